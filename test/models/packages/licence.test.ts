import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { emptyFolder } from "../../fakes/hub.ts"
import { readLicence, requireAcceptedLicence } from "../../../ts/models/packages/licence.ts"

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe("the licence of a package", () => {
  test.each([
    ["none", {}, undefined],
    [
      "rtrun.json before the card",
      { "rtrun.json": '{"licence":"MIT"}', "README.md": "---\nlicense: other\n---" },
      "MIT",
    ],
    ["the card", { "README.md": "---\ntags:\n- x\nlicense: cc-by-nc-4.0\n---\n# x" }, "cc-by-nc-4.0"],
    ["a quoted one", { "README.md": '---\r\nlicense: "llama3.1"\r\n---\r\n' }, "llama3.1"],
    ["a list", { "README.md": "---\nlicense:\n  - gemma\n---" }, "gemma"],
    [
      "a named other",
      { "README.md": "---\nlicense: other\nlicense_name: own-terms\nlicense_link: LICENSE\n---" },
      "own-terms",
    ],
    ["an unnamed other", { "README.md": "---\nlicense: other\n---" }, "other"],
    ["text below the head", { "README.md": "---\ntitle: x\n---\nlicense: fake" }, undefined],
    ["a card without a head", { "README.md": "license: fake" }, undefined],
    ["broken settings", { "rtrun.json": "{", "README.md": "---\nlicense: mit\n---" }, "mit"],
  ])("%s", (_, files, expected) => {
    expect(readLicence(folderWith(files))).toBe(expected)
  })
})

test.each(["rtrun.json", "README.md"])("a %s that is no file of the package is refused and not read", (name) => {
  const folder = emptyFolder()
  symlinkSync("/dev/zero", join(folder, name))
  expect(() => readLicence(folder)).toThrow(/is a link that leads out of the package folder/)
})

describe("acceptance", () => {
  test.each(["Apache-2.0", "mit", "BSD-3-Clause", "MIT OR Apache-2.0", undefined])("%s needs none", (licence) => {
    expect(() => requireAcceptedLicence("org/model", licence, [])).not.toThrow()
  })

  test.each(["cc-by-nc-4.0", "llama3.1", "gemma", "other", "agpl-3.0", "MIT AND own-terms"])(
    "%s needs it",
    (licence) => {
      expect(() => requireAcceptedLicence("org/model", licence, ["another"])).toThrow(
        `Cannot load org/model: its licence "${licence}" has to be accepted; read it and give --accept-licence`,
      )
      expect(() => requireAcceptedLicence("org/model", licence, ["another", licence.toUpperCase()])).not.toThrow()
    },
  )
})
