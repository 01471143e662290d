import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { builtinPackageNames, findBuiltinPackage, readBuiltinModels } from "rtr/node"
import { describe, expect, test } from "vitest"
import { emptyFolder } from "../../fakes/hub.ts"

const sha256 = "a".repeat(64)
const pinned = {
  name: "pinned",
  repository: "org/model",
  revision: "0".repeat(40),
  family: "embeddings",
  licence: "MIT",
  files: { "config.json": { bytes: 2, sha256 } },
}

function listWith(...models: readonly unknown[]): string {
  const file = join(emptyFolder(), "builtin.json")
  writeFileSync(file, JSON.stringify({ schema: 1, models }))
  return file
}

describe("the list that comes with the product", () => {
  test("has every folder that is a package, with what its own files say", () => {
    const root = join(import.meta.dirname, "../../../models")
    const folders = readdirSync(root).filter((name) => existsSync(join(root, name, "config.json")))
    expect(builtinPackageNames().toSorted()).toEqual(folders)
    expect(findBuiltinPackage("signals")).toBe(join(root, "signals"))
    expect(findBuiltinPackage("no-such-model")).toBeUndefined()
    for (const { folder = "", files, revision } of readBuiltinModels()) {
      expect(revision).toMatch(/^[0-9a-f]{64}$/)
      for (const [path, { bytes }] of Object.entries(files)) expect(statSync(join(folder, path)).size).toBe(bytes)
    }
    expect(readBuiltinModels().find(({ name }) => name === "signals")).toMatchObject({
      licence: "Apache-2.0",
      heads: ["domain", "jailbreak", "fact_check", "feedback", "modality", "pii", "hallucination"],
      maxTokens: 256,
    })
  })
})

describe("other lists", () => {
  test("pinned repositories say everything themselves", () => {
    const [model] = readBuiltinModels(listWith({ ...pinned, heads: ["domain"], max_tokens: 512 }))
    expect(model).toEqual({ ...pinned, heads: ["domain"], maxTokens: 512 })
  })

  test("embedded packages stand beside the list", () => {
    const file = listWith({ name: "own", folder: "own" })
    cpSync(findBuiltinPackage("static") ?? "", join(file, "../own"), { recursive: true })
    expect(readBuiltinModels(file)).toMatchObject([{ name: "own", family: "static_embeddings" }])
  })

  test.each([
    [[{ ...pinned, revision: "main" }], /models\[0\]: revision must be a commit of 40 hexadecimal digits/],
    [[{ ...pinned, repository: "../x" }], /repository must be organisation\/name/],
    [[{ ...pinned, licence: undefined }], /licence must be a non-empty string/],
    [[{ ...pinned, files: {} }], /files must record every file/],
    [[{ ...pinned, files: { "../x": { bytes: 1, sha256 } } }], /leads out of the package/],
    [[{ ...pinned, files: { x: { bytes: 1.5, sha256 } } }], /files\["x"\]\.bytes must be a whole number/],
    [[{ ...pinned, files: { x: { bytes: 1, sha256: "short" } } }], /files\["x"\]\.sha256 must be 64/],
    [[{ ...pinned, colour: "red" }], /colour is not a known key here/],
    [[{ name: "x", folder: "none", licence: "MIT" }], /licence is not a known key here/],
    [[{ name: "x", folder: "none" }], /models\[0\]: there is no .*manifest\.json/],
    [[pinned, { ...pinned, repository: "org/other" }], /models\[1\]\.name "pinned" is used twice/],
    [["x"], /models\[0\]: must be a map/],
  ])("list %# is refused", (models, message) => {
    expect(() => readBuiltinModels(listWith(...models))).toThrow(message)
  })

  test("a list that is no list is refused", () => {
    const file = join(emptyFolder(), "builtin.json")
    for (const [text, message] of [
      ["{", /JSON/],
      ["{}", /schema must be 1/],
      ['{"schema":1}', /models must be a list/],
    ] as const) {
      writeFileSync(file, text)
      expect(() => readBuiltinModels(file)).toThrow(message)
    }
  })
})
