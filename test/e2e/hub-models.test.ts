// The real `rtrun` against a hub on this machine: what it fetches, it serves.

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildFeatures } from "rtr/node"
import { expect, test } from "vitest"
import { emptyFolder, type FakeHub, type FakeRepository, startFakeHub } from "../fakes/hub.ts"
import { commit } from "../fakes/hub-repository.ts"
import { runCommand, startCommand, waitFor } from "./_processes.ts"

const fixtures = join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures")

function fixtureRepository(name: string, leaveOut: readonly string[] = []): FakeRepository {
  const folder = join(fixtures, name)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const kept = paths.filter((path) => !leaveOut.includes(path))
  return {
    commit,
    revisions: ["v1.0"],
    files: Object.fromEntries(kept.map((path) => [path, readFileSync(join(folder, path))])),
  }
}

async function setUp(): Promise<{ hub: FakeHub; environment: Record<string, string> }> {
  const hub = await startFakeHub({
    // As authors publish them, and as this project packs them.
    "org/plain": fixtureRepository("embeddings", ["manifest.json", "rtrun.json", "golden.json"]),
    "org/packed": fixtureRepository("heads-int8"),
  })
  return { hub, environment: { HUB_ENDPOINT: hub.endpoint, RTRUN_CACHE_DIR: emptyFolder(), HOME: emptyFolder() } }
}

interface Prepared {
  readonly model: string
  readonly folder: string
  readonly commit: string
  readonly digest: string
}

async function serve(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const worker = startCommand("rtrun", ["serve", "--port", "0", ...args], environment)
  await waitFor(() => worker.stdout().includes("listens on") || worker.child.exitCode !== null, 30_000)
  const url = /listens on (\S+)/.exec(worker.stdout())?.[1]
  if (url === undefined) throw new Error(worker.stderr())
  await waitFor(async () => (await fetch(`${url}/health`)).status === 200, 30_000)
  return url
}

test("what is prepared is served without the hub, under the names of the repositories", async () => {
  const { hub, environment } = await setUp()
  const { code, stdout, stderr } = await runCommand(
    "rtrun",
    ["prepare", "--json", "org/plain@v1.0", `org/packed@${commit}`],
    environment,
  )
  expect(code, stderr).toBe(0)
  expect(stderr).toBe(`org/plain@v1.0 is commit ${commit}; pin it with org/plain@${commit}\n`)
  const prepared = JSON.parse(stdout) as readonly Prepared[]
  expect(prepared).toMatchObject([
    { model: "org/plain@v1.0", commit },
    { model: `org/packed@${commit}`, commit },
  ])

  hub.requests.length = 0
  const url = await serve(
    ["--offline", "org/plain@v1.0", "org/packed"].map((name) => (name === "org/packed" ? `${name}@${commit}` : name)),
    environment,
  )
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: { id: string; manifest_sha256?: string }[]
  }
  expect(data.map(({ id }) => id)).toEqual(["plain", "packed"])
  expect(`sha256:${data[1]?.manifest_sha256}`).toBe(prepared[1]?.digest)
  const answer = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "plain", input: "hello" }),
  })
  expect(answer.status).toBe(200)
  expect(hub.requests).toEqual([])
}, 120_000)

test("a models file with pinned entries is fetched and served under its own names", async () => {
  const { environment } = await setUp()
  const file = join(emptyFolder(), "models.yaml")
  writeFileSync(file, `- { model: org/plain, revision: "${commit}", name: texts }\n- { model: static }\n`)
  const url = await serve(["--models", file], environment)
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id)).toEqual(["texts", "static"])
}, 120_000)

test("a file that was damaged in the cache is found by prepare", async () => {
  const { environment } = await setUp()
  const { stdout } = await runCommand("rtrun", ["prepare", "--json", "org/plain"], environment)
  const [{ folder } = { folder: "" }] = JSON.parse(stdout) as readonly Prepared[]
  const file = join(folder, "config.json")
  writeFileSync(file, readFileSync(file, "utf8").replace("2", "3"))
  const again = await runCommand("rtrun", ["prepare", "org/plain"], environment)
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/config\.json: it has digest .* named/)])
}, 60_000)

test("models and plugins tell what this build has", async () => {
  const models = JSON.parse((await runCommand("rtrun", ["models", "--json"])).stdout) as {
    name: string
    files: object
  }[]
  expect(models.map(({ name, files }) => [name, Object.keys(files).includes("model.safetensors")])).toEqual([
    ["decide", true],
    ["guard", true],
    ["signals", true],
    ["static", true],
  ])
  expect(JSON.parse((await runCommand("rtrun", ["plugins", "--json"])).stdout)).toEqual({
    families: buildFeatures.families,
    engines: buildFeatures.engines,
    accelerators: ["cpu"],
    profiles: buildFeatures.profiles,
  })
})
