import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type BuiltinModel, findBuiltinPackage, findPackage, type FoundPackage, type PackageOptions } from "rtr/node"
import { describe, expect, test } from "vitest"
import { emptyFolder, type FakeHub, type FakeRepository, sha256, startFakeHub } from "../../fakes/hub.ts"
import { commit, needed, repository } from "../../fakes/hub-repository.ts"

const recorded = Object.fromEntries(
  Object.entries(needed).map(([path, content]) => [
    path,
    { bytes: Buffer.byteLength(content), sha256: sha256(content) },
  ]),
)
const builtin: BuiltinModel = {
  name: "pinned",
  repository: "org/model",
  revision: commit,
  family: "embeddings",
  licence: "Apache-2.0",
  maxTokens: undefined,
  heads: [],
  files: recorded,
}

async function setUp(
  change: Partial<FakeRepository> = {},
): Promise<{ hub: FakeHub; find: (model: string, options?: PackageOptions) => Promise<FoundPackage>; cache: string }> {
  const hub = await startFakeHub({ "org/model": { ...repository, ...change } })
  const cache = emptyFolder()
  const environment = { HOME: "/nowhere", HUB_ENDPOINT: hub.endpoint, RTRUN_CACHE_DIR: cache }
  return { hub, cache, find: (model, options = {}) => findPackage(model, { environment, ...options }) }
}

const weightsAsked = ({ requests }: FakeHub): boolean => requests.some(({ path }) => path.includes(".safetensors"))

describe("a model of the hub", () => {
  test.each(["org/model", "org/model@v1.0", `org/model@${commit}`, `org/model@${commit.slice(0, 9)}`])(
    "%s",
    async (name) => {
      const { find, cache } = await setUp()
      expect(await find(name)).toEqual({
        name: "model",
        folder: join(cache, "models--org--model/snapshots", commit),
        repository: "org/model",
        commit,
        licence: "apache-2.0",
      })
    },
  )

  test("offline, what is missing is named", async () => {
    const { find, hub } = await setUp()
    await expect(find("org/model", { offline: true })).rejects.toThrow(/rtrun prepare org\/model@main/)
    expect(hub.requests).toEqual([])
  })

  test("a licence that nobody has accepted ends it before the weights, also later when the model is cached", async () => {
    const files = { ...repository.files, "README.md": "---\nlicense: cc-by-nc-4.0\n---\n" }
    const { find, hub } = await setUp({ files })
    const refusal =
      /Cannot load org\/model: its licence "cc-by-nc-4\.0" has to be accepted; .* --accept-licence cc-by-nc-4\.0/
    await expect(find("org/model")).rejects.toThrow(refusal)
    expect(weightsAsked(hub)).toBe(false)
    await find("org/model", { acceptedLicences: ["cc-by-nc-4.0"] })
    for (const offline of [false, true]) await expect(find("org/model", { offline })).rejects.toThrow(refusal)
  })

  test("two revisions at once are refused", async () => {
    const { find, hub } = await setUp()
    await expect(find("org/model@v1.0", { revision: commit })).rejects.toThrow(/another revision is given too/)
    expect(hub.requests).toEqual([])
  })

  test("an adapter comes with its base, which it pins itself or which is given", async () => {
    const adapter = (config: object): Record<string, string> => ({
      "adapter_config.json": JSON.stringify(config),
      "adapter_model.safetensors": "x",
    })
    const pinned = await setUp({ files: adapter({ base_model_name_or_path: "org/model", revision: commit }) })
    expect(await pinned.find("org/model")).toMatchObject({
      basePath: join(pinned.cache, "models--org--model/snapshots", commit),
    })
    const unpinned = await setUp({ files: adapter({ base_model_name_or_path: "org/model" }) })
    await expect(unpinned.find("org/model")).rejects.toThrow(/give a copy of the base with --base-path/)
    const base = emptyFolder()
    expect(await unpinned.find("org/model", { basePath: base })).toMatchObject({ basePath: base })
  })
})

describe("a built-in model that is pinned in a hub", () => {
  const builtinModels = [builtin]

  test.each(["pinned", "org/model", `pinned@${commit}`])(
    "%s is fetched at its revision, and every file is checked",
    async (name) => {
      const { find, hub } = await setUp()
      expect(await find(name, { builtinModels })).toMatchObject({ name: "pinned", commit, recorded })
      expect(new Set(hub.requests.filter(({ method }) => method === "HEAD").map(({ path }) => path)).size).toBe(
        Object.keys(recorded).length,
      )
    },
  )

  test.each([
    ["a small file", "config.json", /config\.json: it has SHA-256/],
    ["the weights", "model.safetensors", /the hub has 60000 bytes with digest .* are recorded/],
  ])("%s that differs is refused", async (_, path, message) => {
    const { find } = await setUp()
    const files = { ...recorded, [path]: { ...recorded[path]!, sha256: "0".repeat(64) } }
    await expect(find("pinned", { builtinModels: [{ ...builtin, files }] })).rejects.toThrow(message)
  })

  test("what has been changed in the cache is noticed before it is used", async () => {
    const { find } = await setUp()
    const { folder } = await find("pinned", { builtinModels })
    const file = join(folder, "tokenizer.json")
    writeFileSync(file, readFileSync(file, "utf8").replace("model", "MODEL"))
    await expect(find("pinned", { builtinModels, offline: true })).rejects.toThrow(/tokenizer\.json: it has SHA-256/)
  })

  test("a file that the repository no longer has is named", async () => {
    const { find } = await setUp()
    const files = { ...recorded, "gone.json": recorded["config.json"]! }
    await expect(find("pinned", { builtinModels: [{ ...builtin, files }] })).rejects.toThrow(/does not have gone\.json/)
  })

  test("another revision is another model", async () => {
    const { find } = await setUp()
    const wrong = { "config.json": { bytes: 1, sha256: "0".repeat(64) } }
    const found = await find("pinned@v1.0", { builtinModels: [{ ...builtin, revision: "f".repeat(40), files: wrong }] })
    expect([found.name, found.commit, found.recorded]).toEqual(["pinned", commit, undefined])
  })

  test("its licence may need acceptance", async () => {
    const { find, hub } = await setUp()
    await expect(find("pinned", { builtinModels: [{ ...builtin, licence: "gemma" }] })).rejects.toThrow(
      'Cannot load pinned: its licence "gemma" has to be accepted; read it and give --accept-licence gemma',
    )
    expect(hub.requests).toEqual([])
  })
})

describe("what is on this machine", () => {
  test("an embedded package by its name", async () => {
    const { find } = await setUp()
    expect(await find("static")).toEqual({ name: "static", folder: findBuiltinPackage("static"), licence: "MIT" })
    await expect(find("static@main")).rejects.toThrow(/it is a built-in package, which has none/)
  })

  test("a folder by its path, with the licence that it names", async () => {
    const { find } = await setUp()
    const folder = join(emptyFolder(), "with@sign")
    mkdirSync(folder)
    expect(await find(folder)).toEqual({ name: "with@sign", folder })
    await expect(find(folder, { revision: commit })).rejects.toThrow(/it is a folder, which has none/)
    writeFileSync(join(folder, "rtrun.json"), '{"licence":"own-terms"}')
    await expect(find(folder)).rejects.toThrow(/--accept-licence own-terms/)
    expect(await find(folder, { acceptedLicences: ["own-terms"] })).toMatchObject({ licence: "own-terms" })
  })

  test("a relative path starts from the folder that is given", async () => {
    const { find } = await setUp()
    const from = emptyFolder()
    mkdirSync(join(from, "org/mine"), { recursive: true })
    for (const path of ["org/mine", "./org/mine", "../" + basename(from) + "/org/mine"])
      expect(await find(path, { relativeTo: from })).toEqual({ name: "mine", folder: join(from, "org/mine") })
  })

  test("a path that looks like a repository is told where it was looked for", async () => {
    const { find } = await setUp()
    await expect(find("org/missing", { relativeTo: "/srv" })).rejects.toMatchObject({
      code: "unavailable",
      hint: "there is no folder /srv/org/missing either",
    })
  })

  test.each(["nothing", "/no/such/folder", "./org/model", "org/model/more", "org--x/model", "../org", ""])(
    "%j is neither a folder nor a name",
    async (model) => {
      const { find, hub } = await setUp()
      await expect(find(model)).rejects.toThrow(
        /(?:there is no folder \/.*|it has no name); use a built-in model \(decide, guard, signals, static\), the folder of a package, or organisation\/name of a hub/,
      )
      expect(hub.requests).toEqual([])
    },
  )
})
