import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import {
  cutAfter,
  type FakeHub,
  type FakeRepository,
  isContent,
  type SeenRequest,
  settingsFor,
  sha256,
  startFakeHub,
  type TestSettings,
  times,
} from "../../fakes/hub.ts"
import { commit, needed, repository, weights } from "../../fakes/hub-repository.ts"
import { type FetchedModel, fetchModel } from "../../../ts/models/hub/fetch-model.ts"

const name = "org/model"

interface Setting {
  readonly hub: FakeHub
  readonly settings: TestSettings
  readonly fetch: (revision?: string, settings?: TestSettings) => Promise<FetchedModel>
  readonly notices: string[]
}

async function setUp(
  change: Partial<FakeRepository> = {},
  more: Parameters<typeof settingsFor>[1] = {},
): Promise<Setting> {
  const hub = await startFakeHub({ [name]: { ...repository, ...change } })
  const settings = settingsFor(hub, more)
  const notices: string[] = []
  return {
    hub,
    settings,
    notices,
    fetch: (revision, given = settings) =>
      fetchModel({ repository: name, revision, settings: given, onNotice: (message) => notices.push(message) }),
  }
}

/** Every file of a cache that is not a finished blob, a link or a listing. */
function leftovers(cacheFolder: string): readonly string[] {
  return readdirSync(cacheFolder, { recursive: true, encoding: "utf8" }).filter((path) =>
    /incomplete|\.rtrun$|\/\.[0-9a-f-]{36}$/.test(path),
  )
}

const blob = (settings: TestSettings, digest: string): string =>
  join(settings.cacheFolder, "models--org--model/blobs", digest)

function expectWhole({ folder }: FetchedModel, settings: TestSettings): void {
  for (const [path, content] of Object.entries(needed))
    expect(readFileSync(join(folder, path)).equals(Buffer.from(content)), path).toBe(true)
  expect(leftovers(settings.cacheFolder).filter((path) => !path.endsWith(".rtrun"))).toEqual([])
}

/** Runs a fetch that must fail; the cache then has no weights under their name. */
async function failureOf({ fetch, settings }: Setting, revision?: string): Promise<string> {
  const error = await fetch(revision).then(
    () => new Error("it did not fail"),
    (cause: Error) => cause,
  )
  expect(error.name, error.stack).toBe("RtrError")
  expect(existsSync(blob(settings, sha256(weights)))).toBe(false)
  return error.message
}

describe("a whole fetch", () => {
  test("fetches what a package needs, and nothing else, in the layout of the hub's cache", async () => {
    const { hub, settings, fetch } = await setUp()
    const model = await fetch("v1.0")
    expect(model).toEqual({
      folder: join(settings.cacheFolder, "models--org--model/snapshots", commit),
      repository: name,
      commit,
    })
    expectWhole(model, settings)
    const files = readdirSync(model.folder, { recursive: true, encoding: "utf8" })
    expect(files.toSorted()).toEqual([...Object.keys(needed), "1_Pooling"].toSorted())
    expect(readlinkSync(join(model.folder, "model.safetensors"))).toBe(`../../blobs/${sha256(weights)}`)
    expect(readlinkSync(join(model.folder, "1_Pooling/config.json"))).toMatch(/^\.\.\/\.\.\/\.\.\/blobs\/[0-9a-f]{40}$/)
    expect(readFileSync(join(settings.cacheFolder, "models--org--model/refs/v1.0"), "utf8")).toBe(commit)
    expect(hub.requests.filter(({ server }) => server === "content")).toHaveLength(1)
  })

  test.each([
    ["main", undefined],
    ["a branch with slashes", "refs/pr/1"],
    ["the start of a commit", commit.slice(0, 8)],
    ["a commit", commit],
  ])("resolves %s", async (_, revision) => {
    const { settings, fetch } = await setUp()
    const model = await fetch(revision)
    expect(model.commit).toBe(commit)
    expectWhole(model, settings)
  })

  test("a pinned model that is cached needs no request, a branch needs one", async () => {
    const { hub, fetch } = await setUp()
    await fetch()
    hub.requests.length = 0
    await fetch(commit)
    expect(hub.requests).toEqual([])
    await fetch()
    expect(hub.requests.map(({ path }) => path)).toEqual(["/api/models/org/model/revision/main"])
  })

  test("blobs that another tool has cached are not fetched again", async () => {
    const { hub, settings, fetch } = await setUp()
    mkdirSync(dirname(blob(settings, "x")), { recursive: true })
    writeFileSync(blob(settings, sha256(weights)), weights)
    expectWhole(await fetch(), settings)
    expect(hub.requests.filter(isContent)).toEqual([])
  })

  test("a file that has gone from the cache is fetched again", async () => {
    const { settings, fetch } = await setUp()
    await fetch(commit)
    rmSync(blob(settings, sha256(weights)))
    expectWhole(await fetch(commit), settings)
  })

  test("a model with a manifest gets all that it lists, and heads that rtrun.json names", async () => {
    const files = {
      ...repository.files,
      "heads/domain.bin": "h",
      "rtrun.json": '{"heads":[{"file":"heads/domain.bin"}]}',
    }
    const listed = Object.fromEntries(["config.json", "onnx/model.onnx"].map((path) => [path, {}]))
    const withHeads = await setUp({ files })
    expect(existsSync(join((await withHeads.fetch()).folder, "heads/domain.bin"))).toBe(true)
    const withManifest = await setUp({ files: { ...files, "manifest.json": JSON.stringify({ files: listed }) } })
    const { folder } = await withManifest.fetch()
    expect([existsSync(join(folder, "onnx/model.onnx")), existsSync(join(folder, "model.safetensors"))]).toEqual([
      true,
      false,
    ])
  })

  test("tells how far it is", async () => {
    const { settings } = await setUp()
    const hub = await startFakeHub({ [name]: repository })
    const seen: number[][] = []
    await fetchModel({
      repository: name,
      settings: { ...settings, endpoint: hub.endpoint },
      onProgress: ({ receivedBytes, totalBytes }) => seen.push([receivedBytes, totalBytes]),
    })
    const all = Object.values(needed).reduce((sum, content) => sum + Buffer.byteLength(content), 0)
    expect(seen.at(-1)).toEqual([all, all])
  })

  test("refusing approval ends it before the weights", async () => {
    const { hub, settings } = await setUp()
    const approve = (folder: string): void => {
      throw new Error(readFileSync(join(folder, "README.md"), "utf8").split("\n")[1])
    }
    await expect(fetchModel({ repository: name, settings, approve })).rejects.toThrow("license: apache-2.0")
    expect(hub.requests.some(({ path }) => path.includes("model.safetensors"))).toBe(false)
  })
})

describe("faults that pass", () => {
  test("a download that is cut goes on where it ended, under the same tag", async () => {
    const { hub, settings, fetch } = await setUp()
    hub.faults.push(times(1, isContent, cutAfter(weights, 20_000)))
    expectWhole(await fetch(), settings)
    const [first, second] = hub.requests.filter(isContent)
    expect(first?.headers.range).toBeUndefined()
    expect(second?.headers.range).toMatch(/^bytes=[1-9]\d*-$/)
    expect(second?.headers["if-range"]).toBe('"content-60000"')
  })

  test("a later process goes on with what an earlier one left", async () => {
    const { hub, settings, fetch } = await setUp()
    mkdirSync(dirname(blob(settings, "x")), { recursive: true })
    writeFileSync(`${blob(settings, sha256(weights))}.rtrun.incomplete`, weights.subarray(0, 33_333))
    expectWhole(await fetch(), settings)
    expect(hub.requests.filter(isContent).map(({ headers }) => headers.range)).toEqual(["bytes=33333-"])
  })

  test("damage that an earlier process left is thrown away", async () => {
    const { hub, settings, fetch } = await setUp()
    mkdirSync(dirname(blob(settings, "x")), { recursive: true })
    writeFileSync(`${blob(settings, sha256(weights))}.rtrun.incomplete`, Buffer.alloc(33_333))
    expectWhole(await fetch(), settings)
    expect(hub.requests.filter(isContent).map(({ headers }) => headers.range)).toEqual(["bytes=33333-", undefined])
  })

  test.each([
    ["ignores the range", (start: number) => [200, {}, weights, start] as const],
    ["refuses the range", () => [416, {}, Buffer.alloc(0), 0] as const],
    ["answers another range", () => [206, { "content-range": "bytes 0-59999/60000" }, weights, 0] as const],
  ])("a server that %s makes it begin again", async (_, answer) => {
    const { hub, settings, fetch } = await setUp()
    hub.faults.push(
      times(1, isContent, cutAfter(weights, 20_000)),
      times(1, isContent, (__, response) => {
        const [status, headers, body] = answer(0)
        response.writeHead(status, headers).end(body)
      }),
    )
    expectWhole(await fetch(), settings)
  })

  test("429 is waited for as the hub asks", async () => {
    const { hub, settings, fetch } = await setUp()
    hub.faults.push(
      times(1, isResolve, (_, response) => response.writeHead(429, { "retry-after": "7" }).end()),
      times(1, isContent, (_, response) => response.writeHead(429, { "retry-after": "3" }).end()),
    )
    expectWhole(await fetch(), settings)
    expect(settings.waits.map((wait) => Math.floor(wait / 1000))).toSatisfy(
      ([first, second]: number[]) => first! >= 7 && first! <= 8 && second === 3,
    )
  })

  test("5xx is tried again, each time later", async () => {
    const { hub, settings, fetch } = await setUp()
    hub.faults.push(
      times(
        3,
        ({ path }) => path.startsWith("/api/"),
        (_, response) => response.writeHead(503).end(),
      ),
    )
    expectWhole(await fetch(), settings)
    expect(settings.waits.map((wait) => Math.floor(wait / 1000))).toEqual(
      [1, 2, 4].map(
        (seconds) => expect.toSatisfy((wait: number) => wait >= seconds && wait <= seconds * 1.25) as number,
      ),
    )
  })

  test("a body that stalls counts as cut", async () => {
    const { hub, settings, fetch } = await setUp({}, { stallMs: 300 })
    hub.faults.push(
      times(1, isContent, (_, response) => {
        response.writeHead(200, { "content-length": String(weights.length) })
        response.write(weights.subarray(0, 5000))
      }),
    )
    expectWhole(await fetch(), settings)
  })

  test("a signed address that is too old is asked for anew", async () => {
    const { hub, settings, fetch } = await setUp()
    hub.faults.push(times(1, isContent, (_, response) => response.writeHead(403).end()))
    expectWhole(await fetch(), settings)
    expect(
      hub.requests.filter(({ method, path }) => method === "GET" && /\/resolve\/.*safetensors/.test(path)),
    ).toHaveLength(2)
  })

  test("when the hub cannot be reached, a branch is what it was last known to be", async () => {
    const { hub, settings, fetch, notices } = await setUp()
    await fetch()
    hub.faults.push((_, response) => {
      response.destroy()
      return true
    })
    expectWhole(await fetch(), settings)
    expect(notices.at(-1)).toMatch(/the connection to .* was cut; tried 5 times; using commit 0123.* from the cache/)
  })
})

const isResolve = ({ path }: SeenRequest): boolean => path.includes("/resolve/")

describe("faults that stay", () => {
  test("a wrong hash", async () => {
    const setting = await setUp()
    const wrong = Buffer.from(weights).fill(1, 100, 200)
    setting.hub.faults.push(times(9, isContent, (_, response) => response.writeHead(200).end(wrong)))
    expect(await failureOf(setting)).toBe(
      `Cannot use org/model/model.safetensors: it has digest ${sha256(wrong)}; the hub records ${sha256(weights)}`,
    )
    expect(leftovers(setting.settings.cacheFolder)).toEqual([])
  })

  test("a small file with a wrong hash", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(
        9,
        // That of the root only: the other has another length, and whichever file fails first is told.
        ({ method, path }) => method === "GET" && /\/resolve\/[^/]+\/config\.json$/.test(path),
        (_, response) => response.writeHead(200).end('{"architectures":["EvilModel"]}'),
      ),
    )
    expect(await failureOf(setting)).toMatch(
      /org\/model\/config\.json: it has digest [0-9a-f]{40}; the hub records [0-9a-f]{40}$/,
    )
  })

  test("more bytes than recorded", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(9, isContent, (_, response) => response.writeHead(200).end(Buffer.concat([weights, weights]))),
    )
    expect(await failureOf(setting)).toMatch(/it has more than the 60000 bytes that the hub records/)
    expect(leftovers(setting.settings.cacheFolder)).toEqual([])
  })

  test("fewer bytes than recorded, again and again", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(99, isContent, (_, response) => response.writeHead(200).end(weights.subarray(0, 500))),
    )
    expect(await failureOf(setting)).toMatch(/127\.0\.0\.1:\d+ .*; tried 5 times/)
  })

  test.each([
    ["no token", {}, /the hub answers 401: there is no access token, .*set HUB_TOKEN/],
    ["a wrong token", { HUB_TOKEN: "wrong" }, /the hub answers 404: the repository or its revision is not found/],
  ])("a private repository with %s", async (_, environment, message) => {
    const setting = await setUp({ token: "right" }, { environment })
    expect(await failureOf(setting)).toMatch(message)
  })

  test("a repository whose terms nobody has accepted", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(9, isResolve, (_, response) => response.writeHead(403, { "x-error-code": "GatedRepo" }).end()),
    )
    expect(await failureOf(setting)).toMatch(/the hub answers 403: access has to be granted first; .*HUB_TOKEN/)
  })

  test("a revision that is not there", async () => {
    const setting = await setUp()
    expect(await failureOf(setting, "v2.0")).toMatch(/org\/model@v2\.0 .*404: the revision is not found/)
  })

  test.each(["../../etc", "a b", "", "/main", "a//b", "-\n"])("revision %j is not asked for", async (revision) => {
    const setting = await setUp()
    expect(await failureOf(setting, revision)).toMatch(/it must be a branch, a tag or a commit/)
    expect(setting.hub.requests).toEqual([])
  })

  test.each([
    ["instead of the listing", ({ path }: SeenRequest): boolean => path.startsWith("/api/")],
    ["instead of a file", isResolve],
    ["instead of a large file", isContent],
  ])("a web page %s", async (_, fits) => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(99, fits, (__, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>log in")),
    )
    expect(await failureOf(setting)).toMatch(/HUB_ENDPOINT may be wrong, or a proxy may have answered/)
  })

  test.each(["../outside", "/etc/passwd", "a/../../b", "a\\..\\b", "C:/x", "a//b", "1_Pooling/../../../config.json"])(
    "a listing with the file %j",
    async (path) => {
      const setting = await setUp({ ghosts: [path] })
      expect(await failureOf(setting)).toMatch(/which leads out of its folder/)
      expect(readdirSync(setting.settings.cacheFolder)).toEqual([])
    },
  )

  test("an answer about another commit", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(99, isResolve, (_, response) =>
        response
          .writeHead(200, { etag: `"${"0".repeat(40)}"`, "x-repo-commit": "f".repeat(40), "content-length": "1" })
          .end("x"),
      ),
    )
    expect(await failureOf(setting)).toMatch(/the hub answers with commit ffff.*, not 0123/)
  })

  test("a file without a digest", async () => {
    const setting = await setUp()
    setting.hub.faults.push(times(99, isResolve, (_, response) => response.writeHead(200, { etag: '"1-2"' }).end("x")))
    expect(await failureOf(setting)).toMatch(/the hub gives no digest or no size to check it by/)
  })

  test("a server that asks for a very long wait", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(9, isResolve, (_, response) => response.writeHead(429, { "retry-after": "3600" }).end()),
    )
    expect(await failureOf(setting)).toMatch(/answers 429 and asks to wait 3600 s/)
    expect(setting.settings.waits).toEqual([])
  })

  test("redirects without end, and to addresses that are not safe", async () => {
    const setting = await setUp()
    setting.hub.faults.push((request, response) => {
      if (!isResolve(request)) return false
      response.writeHead(302, { location: request.path }).end()
      return true
    })
    expect(await failureOf(setting)).toMatch(/more than 10 redirects/)
    const other = await setUp()
    other.hub.faults.push(
      times(9, isResolve, (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end()),
    )
    expect(await failureOf(other)).toMatch(/redirects to an address that is not safe/)
  })

  test("a repository with weights of no known format", async () => {
    const setting = await setUp({ files: { "config.json": "{}", "pytorch_model.bin": "x" } })
    expect(await failureOf(setting)).toMatch(/it has neither \*\.safetensors nor an ONNX graph/)
  })
})

describe("a full disk", () => {
  test("while writing leaves nothing behind", async () => {
    const setting = await setUp()
    mkdirSync(dirname(blob(setting.settings, "x")), { recursive: true })
    // Writing to this device fails as writing to a full disk does.
    symlinkSync("/dev/full", `${blob(setting.settings, sha256(weights))}.rtrun.incomplete`)
    expect(await failureOf(setting)).toMatch(
      /^Cannot store the model in .*: there is no room left; free the disk or give another folder with --cache-dir$/,
    )
    expect(leftovers(setting.settings.cacheFolder)).toEqual([])
  })

  test("is noticed before anything is written", async () => {
    const setting = await setUp()
    setting.hub.faults.push(
      times(
        9,
        ({ method, path }) => method === "HEAD" && path.endsWith("model.safetensors"),
        (_, response) =>
          response
            .writeHead(302, {
              location: `${setting.hub.contentOrigin}/x`,
              "x-linked-etag": `"${sha256(weights)}"`,
              "x-linked-size": String(2 ** 52),
            })
            .end(),
      ),
    )
    expect(await failureOf(setting)).toMatch(/4294967296 MiB are needed, \d+ MiB are free/)
    expect(setting.hub.requests.filter(isContent)).toEqual([])
    expect(leftovers(setting.settings.cacheFolder)).toEqual([])
  })

  test("a cache folder that cannot be used is named", async () => {
    const hub = await startFakeHub({ [name]: repository })
    const settings = settingsFor(hub, { cacheFolder: "/dev/null/cache" })
    await expect(fetchModel({ repository: name, settings })).rejects.toThrow(
      /Cannot write to the cache folder \/dev\/null\/cache \(ENOTDIR\)/,
    )
  })
})

describe("the token", () => {
  const token = "hub-secret-token"

  test("goes to the hub and to no other origin", async () => {
    const { hub, settings, fetch } = await setUp({ token }, { environment: { HUB_TOKEN: token } })
    expectWhole(await fetch(), settings)
    const given = (server: string): unknown[] => [
      ...new Set(
        hub.requests.filter((request) => request.server === server).map(({ headers }) => headers.authorization),
      ),
    ]
    expect([given("hub"), given("content")]).toEqual([[`Bearer ${token}`], [undefined]])
    for (const { headers } of hub.requests.filter(isContent)) expect(JSON.stringify(headers)).not.toContain(token)
  })

  test("stands in no error and no notice", async () => {
    const setting = await setUp({ token: "another" }, { environment: { HUB_TOKEN: token } })
    const error = await setting.fetch().catch((cause: unknown) => cause)
    expect(JSON.stringify([error, setting.notices, setting.settings, (error as Error).stack])).not.toContain(token)
  })
})

describe("offline", () => {
  test("uses what is cached, by commit, by the start of one and by branch, without a request", async () => {
    const { hub, settings, fetch } = await setUp()
    await fetch()
    hub.requests.length = 0
    for (const revision of [undefined, "main", commit, commit.slice(0, 7)])
      expectWhole(await fetch(revision, { ...settings, offline: true }), settings)
    expect(hub.requests).toEqual([])
  })

  test("says what is missing", async () => {
    const { settings, fetch } = await setUp()
    const offline = { ...settings, offline: true }
    await expect(fetch("v1.0", offline)).rejects.toThrow(
      `Cannot load org/model@v1.0 offline: ${settings.cacheFolder} does not know this revision; fetch it once with: rtrun prepare org/model@v1.0`,
    )
    await fetch("v1.0")
    rmSync(blob(settings, sha256(weights)))
    await expect(fetch("v1.0", offline)).rejects.toThrow(/snapshots\/0123\w+ is not complete; fetch it once/)
  })

  test("takes what another tool has cached if nothing essential is missing, and says so", async () => {
    const { settings, fetch, notices } = await setUp()
    const { folder } = await fetch()
    rmSync(join(settings.cacheFolder, "models--org--model/.rtrun"), { recursive: true })
    expect((await fetch("main", { ...settings, offline: true })).folder).toBe(folder)
    expect(notices.at(-1)).toMatch(/was cached by another tool/)
    rmSync(join(folder, "1_Pooling/config.json"))
    await expect(fetch("main", { ...settings, offline: true })).rejects.toThrow(/is not complete/)
  })
})

describe("several at once", () => {
  const script = join(import.meta.dirname, "../../fakes/fetch-model-process.ts")
  const run = promisify(execFile)

  test("two processes fetch a model once", async () => {
    const { hub, settings } = await setUp()
    hub.faults.push((request, response) => {
      if (!isContent(request)) return false
      // Slow enough that the second process comes while the first one reads.
      response.writeHead(200, { "content-length": String(weights.length) })
      response.write(weights.subarray(0, 1000))
      setTimeout(() => response.end(weights.subarray(1000)), 1500)
      return true
    })
    const environment = { ...process.env, HUB_ENDPOINT: hub.endpoint, RTRUN_CACHE_DIR: settings.cacheFolder }
    const results = await Promise.all([1, 2].map(() => run(process.execPath, [script, name], { env: environment })))
    for (const { stdout } of results) expectWhole(JSON.parse(stdout) as FetchedModel, settings)
    expect(hub.requests.filter(isContent)).toHaveLength(1)
    expect(statSync(blob(settings, sha256(weights))).size).toBe(weights.length)
  })

  test("a lock that a dead process left does not hold anyone up", async () => {
    const { settings, fetch } = await setUp()
    const lock = join(settings.cacheFolder, ".locks/models--org--model", `${sha256(weights)}.rtrun`)
    mkdirSync(dirname(lock), { recursive: true })
    const child = execFile(process.execPath, [script, "--lock", lock])
    await new Promise((resolve) => child.once("exit", resolve))
    expect(existsSync(lock)).toBe(true)
    expectWhole(await fetch(), settings)
  })
})
