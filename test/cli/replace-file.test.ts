import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { replaceFile, type WriteFile } from "../../ts/cli/replace-file.ts"

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Writes a part, then fails, as a disk does that is full. */
const fullDisk: WriteFile = (path, text) => {
  writeFileSync(path, text.slice(0, 1))
  throw Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), { code: "ENOSPC" })
}

test("a file is written whole, a new one as well as one that is there", async () => {
  const file = join(temporaryFolder(), "config.yaml")
  await replaceFile(file, "first")
  expect(readFileSync(file, "utf8")).toBe("first")
  chmodSync(file, 0o600)
  symlinkSync("config.yaml", join(file, "../link.yaml"))
  await replaceFile(join(file, "../link.yaml"), "second")
  expect(readFileSync(file, "utf8")).toBe("second")
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test("a full disk is named with the path, and leaves what was there before", async () => {
  const folder = temporaryFolder()
  const file = join(folder, "config.yaml")
  await expect(replaceFile(file, "new", fullDisk)).rejects.toMatchObject({
    code: "invalid_request",
    message: `Cannot write ${file}: the disk is full (ENOSPC)`,
  })
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(file, "old")
  await expect(replaceFile(file, "new", fullDisk)).rejects.toThrow(file)
  expect(readdirSync(folder)).toEqual(["config.yaml"])
  expect(readFileSync(file, "utf8")).toBe("old")
})

test("a folder that does not exist, and a path that is a folder, are said", async () => {
  const folder = temporaryFolder()
  await expect(replaceFile(join(folder, "none/config.yaml"), "")).rejects.toThrow("its folder does not exist")
  await expect(replaceFile(folder, "")).rejects.toThrow(`Cannot write ${folder}: it is a folder`)
})
