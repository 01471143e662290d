import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  findPackageFile,
  maxDescriptionBytes,
  readDescription,
  readJsonDescription,
} from "../../../ts/models/packages/package-file.ts"
import { emptyFolder } from "../../fakes/hub.ts"

function packageIn(parent: string = emptyFolder(), name = "package"): string {
  const folder = join(parent, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

describe("a file of a package", () => {
  test("is found with its real path, a link inside the package too", () => {
    const folder = packageIn()
    mkdirSync(join(folder, "1_Pooling"))
    writeFileSync(join(folder, "1_Pooling/config.json"), "{}")
    symlinkSync("1_Pooling/config.json", join(folder, "link.json"))
    expect(findPackageFile(folder, "1_Pooling/config.json")).toBe(join(folder, "1_Pooling/config.json"))
    expect(findPackageFile(folder, "link.json")).toBe(join(folder, "1_Pooling/config.json"))
    expect(findPackageFile(folder, "none.json")).toBeUndefined()
  })

  test("of a snapshot in a hub cache may be a link to a blob of its model, and of no other", () => {
    const cache = emptyFolder()
    const snapshot = packageIn(cache, `models--org--name/snapshots/${"a".repeat(40)}`)
    const blobs = [packageIn(cache, "models--org--name/blobs"), packageIn(cache, "models--org--other/blobs")]
    for (const folder of blobs) writeFileSync(join(folder, "blob"), "{}")
    symlinkSync("../../blobs/blob", join(snapshot, "own.json"))
    symlinkSync("../../../models--org--other/blobs/blob", join(snapshot, "other.json"))
    expect(readJsonDescription(snapshot, "own.json")).toEqual({})
    expect(() => findPackageFile(snapshot, "other.json")).toThrow(/is a link that leads out/)
  })

  test.each(["", ".", "..", "../x", "a/../x", "/etc/passwd", "a//b", "a\0b"])("has not the name %j", (name) => {
    expect(() => findPackageFile(packageIn(), name)).toThrow(/the name must be a relative path inside the package/)
  })

  test("is no folder, no pipe and no device", () => {
    const folder = packageIn()
    mkdirSync(join(folder, "rtrun.json"))
    execFileSync("mkfifo", [join(folder, "manifest.json")])
    symlinkSync("/dev/zero", join(folder, "config.json"))
    expect(() => readDescription(folder, "rtrun.json")).toThrow(/"rtrun\.json" .* is not a regular file/)
    expect(() => readDescription(folder, "manifest.json")).toThrow(/"manifest\.json" .* is not a regular file/)
    expect(() => readDescription(folder, "config.json")).toThrow(/"config\.json" .* leads out/)
  })

  test("that is a link to nothing cannot be opened", () => {
    const folder = packageIn()
    symlinkSync("none", join(folder, "rtrun.json"))
    expect(() => readDescription(folder, "rtrun.json")).toThrow(/"rtrun\.json" .* cannot be opened: ENOENT/)
  })
})

test("a description that is too long is not read", () => {
  const folder = packageIn()
  writeFileSync(join(folder, "rtrun.json"), "{}")
  truncateSync(join(folder, "rtrun.json"), maxDescriptionBytes + 1)
  expect(() => readDescription(folder, "rtrun.json")).toThrow(
    `has ${maxDescriptionBytes + 1} bytes; a description has at most ${maxDescriptionBytes}`,
  )
})

test("what is no JSON is named", () => {
  const folder = packageIn()
  writeFileSync(join(folder, "rtrun.json"), "{")
  expect(() => readJsonDescription(folder, "rtrun.json")).toThrow(/Cannot use "rtrun\.json" of package .*: is not JSON/)
})
