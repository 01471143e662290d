import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { exposedKeysWarning } from "../../ts/cli/exposed-keys.ts"
import { emptyFolder } from "../fakes/hub.ts"

const nowhere = (): undefined => undefined
const key = ["listeners", 0, "api_keys", 1]
const fileOf = (mode: number): string => {
  const file = join(emptyFolder(), "config.yaml")
  writeFileSync(file, "")
  chmodSync(file, mode)
  return file
}

test.skipIf(process.platform === "win32")(
  "keys in a file that everybody can read are told, with the mode",
  async () => {
    const file = fileOf(0o644)
    expect(exposedKeysWarning(file, [key], () => ({ line: 7, column: 9 }))).toEqual({
      path: ["listeners", 0, "api_keys", 1],
      position: { line: 7, column: 9 },
      code: "invalid",
      message: `is a key that every user of this machine can read (mode 0644); run chmod 600 ${file}, or write \${VARIABLE} instead`,
    })
    const header = ["providers", "models", 0, "backend_refs", 0, "extra_headers", "x-foo"]
    expect(exposedKeysWarning(file, [header], nowhere)?.message).toMatch(/^may be a key that every user/)
    const link = join(emptyFolder(), "link.yaml")
    symlinkSync(file, link)
    expect(exposedKeysWarning(link, [key, ["store", "password"]], nowhere)?.message).toMatch(
      /^and 1 more are keys .*chmod 600 \S+link\.yaml/,
    )
  },
)

test.skipIf(process.platform === "win32")(
  "a private file, one without literal keys, and what is no file are fine",
  async () => {
    for (const mode of [0o600, 0o640, 0o400]) expect(exposedKeysWarning(fileOf(mode), [key], nowhere)).toBeUndefined()
    expect(exposedKeysWarning(fileOf(0o644), [], nowhere)).toBeUndefined()
    const folder = join(emptyFolder(), "folder")
    mkdirSync(folder, { mode: 0o755 })
    for (const path of [folder, "/dev/null", "/nowhere.yaml"])
      expect(exposedKeysWarning(path, [key], nowhere)).toBeUndefined()
  },
)
