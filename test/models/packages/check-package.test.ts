import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkPackage, findBuiltinPackage } from "rtr/node"
import { describe, expect, test } from "vitest"
import { emptyFolder, gitSha1, sha256 } from "../../fakes/hub.ts"

function copyOfStatic(): string {
  const folder = join(emptyFolder(), "static")
  cpSync(findBuiltinPackage("static") ?? "", folder, { recursive: true })
  return folder
}

describe("a package with a manifest", () => {
  test("has the digest of its manifest", async () => {
    const folder = copyOfStatic()
    const checked = await checkPackage(folder)
    expect(checked).toMatchObject({ digest: sha256(readFileSync(join(folder, "manifest.json"))), files: 8 })
  })

  test.each([
    [
      "another byte",
      (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace("1", "2")),
      /has SHA-256 .* is recorded/,
    ],
    ["another size", (file: string) => writeFileSync(file, "{}"), /has 2 bytes; \d+ are recorded/],
    ["no file", (file: string) => rmSync(file), /it is missing/],
  ])("is refused for %s", async (_, damage, message) => {
    const folder = copyOfStatic()
    damage(join(folder, "config.json"))
    await expect(checkPackage(folder)).rejects.toThrow(message)
  })
})

describe("a package without one", () => {
  test("has a digest of all names and contents, like that of sha256sum's output", async () => {
    const folder = emptyFolder()
    mkdirSync(join(folder, "1_Pooling"))
    writeFileSync(join(folder, "config.json"), "{}")
    writeFileSync(join(folder, "1_Pooling/config.json"), "[]")
    const lines = `${sha256("[]")}  1_Pooling/config.json\n${sha256("{}")}  config.json\n`
    expect(await checkPackage(folder)).toEqual({ digest: sha256(lines), files: 2, bytes: 4 })
  })

  test("is compared with what is recorded elsewhere", async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, "config.json"), "{}")
    await checkPackage(folder, { "config.json": { bytes: 2, sha256: sha256("{}") } })
    await expect(checkPackage(folder, { "config.json": { bytes: 2, sha256: sha256("[]") } })).rejects.toThrow(
      /config\.json/,
    )
    await expect(checkPackage(folder, { "other.json": { bytes: 2, sha256: sha256("[]") } })).rejects.toThrow(
      /other\.json: it is missing/,
    )
  })
})

test.each([
  ["SHA-256", sha256("{}")],
  ["the git blob's SHA-1", gitSha1("{}")],
])("a cached file is compared with the digest that names it: %s", async (_, digest) => {
  const model = join(emptyFolder(), "models--org--name")
  const snapshot = join(model, "snapshots", "a".repeat(40))
  mkdirSync(snapshot, { recursive: true })
  mkdirSync(join(model, "blobs"))
  writeFileSync(join(model, "blobs", digest), "{}")
  symlinkSync(`../../blobs/${digest}`, join(snapshot, "config.json"))
  expect(await checkPackage(snapshot)).toMatchObject({ files: 1 })
  writeFileSync(join(model, "blobs", digest), "[]")
  await expect(checkPackage(snapshot)).rejects.toThrow(/in the cache it is named/)
})

describe("nothing is read of a package", () => {
  /** A package beside a secret that it must not tell the digest of. */
  function besideSecret(): { folder: string; secret: string } {
    const parent = emptyFolder()
    const folder = join(parent, "package")
    mkdirSync(folder)
    writeFileSync(join(parent, "secret"), "secret")
    return { folder, secret: sha256("secret") }
  }

  const refusalOf = async (folder: string): Promise<string> =>
    ((await checkPackage(folder).catch((error: unknown) => error)) as Error).message

  test.each(["../secret", "/etc/passwd", "a/../../secret"])("whose manifest names %s", async (name) => {
    const { folder, secret } = besideSecret()
    const files = { [name]: { bytes: 6, sha256: "0".repeat(64) } }
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ schema: 1, files }))
    const message = await refusalOf(folder)
    expect(message).toContain(`Cannot use "${name}" of package`)
    expect(message).toContain("must be a relative path inside the package")
    expect(message).not.toContain(secret)
  })

  test("whose file is a link to one outside", async () => {
    const { folder, secret } = besideSecret()
    symlinkSync("../secret", join(folder, "config.json"))
    const message = await refusalOf(folder)
    expect(message).toMatch(/"config\.json" .* is a link that leads out of the package folder/)
    expect(message).not.toContain(secret)
  })

  test("whose manifest tells no size", async () => {
    const { folder } = besideSecret()
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ schema: 1, files: { "config.json": null } }))
    expect(await refusalOf(folder)).toMatch(/files\["config\.json"\] must have bytes and sha256/)
  })
})
