import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { temporaryFolder, waitFor } from "./_processes.ts"
import { canTrace, readTrace, type Traced, traceArguments } from "./_system-calls.ts"
import { ask, packageOf } from "./_workers.ts"

const root = join(import.meta.dirname, "../..")

interface Run extends Traced {
  readonly code: number | null
  readonly output: string
  /** What lies in the folders that a program may think of: home, caches, temporary files. */
  readonly left: readonly string[]
}

/** Runs `rtrun`, or another program of Node, under strace with empty folders of its own. `during` is called once it runs; then it is asked to end. */
async function runTraced(
  args: readonly string[],
  during?: (ends: () => boolean) => Promise<void>,
  program: readonly string[] = [join(root, "bin/rtrun.js")],
): Promise<Run> {
  const folder = temporaryFolder()
  const own = ["home", "cache", "config", "tmp"].map((name) => join(folder, name))
  for (const path of own) mkdirSync(path)
  const [home, cache, config, tmp] = own
  const log = join(folder, "calls")
  const command = [process.execPath, ...program, ...args]
  const { ORT_DISABLE_TELEMETRY: _, ...environment } = process.env
  const child = spawn("strace", [...traceArguments(log), ...command], {
    cwd: folder,
    env: { ...environment, HOME: home, XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: config, TMPDIR: tmp },
  })
  onTestFinished(() => {
    // strace lets its command live when it is killed itself.
    if (child.exitCode === null) process.kill(tracedBy(child.pid ?? 0), "SIGKILL")
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()))
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  if (during !== undefined) {
    await during(() => child.exitCode !== null).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${output}`)
    })
    process.kill(tracedBy(child.pid ?? 0), "SIGTERM")
  }
  const code = await exited
  const left = own.flatMap((path) => readdirSync(path, { recursive: true }).map((name) => `${path}/${String(name)}`))
  return { code, output, left, ...readTrace(log, folder) }
}

/** Pid of the command that strace runs. */
const tracedBy = (pid: number): number => {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
  return Number(child)
}

/** Devices, and what a process tells the system about itself, are no files. */
const isFile = (path: string): boolean => !/^\/(dev|proc)\//.test(path)

function expectNothingLeft({ reached, written, left, calls }: Run, ...allowed: readonly string[]): void {
  expect(calls).toBeGreaterThan(50)
  expect(reached).toEqual([])
  expect(written.filter((path) => isFile(path) && !allowed.some((start) => path.startsWith(start)))).toEqual([])
  expect(left).toEqual([])
}

const surfaces: readonly (readonly [path: string, body: object])[] = [
  ["/v1/embeddings", { model: "heads-int8", input: "hello" }],
  ["/v1/classify", { model: "heads-int8", head: "domain", input: ["hello", "world"] }],
  ["/v1/rerank", { model: "rerank", query: "hello", documents: ["world"] }],
  [
    "/v1/decisions",
    { model: "packed", state: "hello", questions: { q: { type: "noul", instructions: "It greets." } } },
  ],
]

test.skipIf(!canTrace).for<readonly string[]>([["--log-level", "info"], ["--offline"]])(
  "a worker over a socket reaches nobody and writes no file: %j",
  { timeout: 60_000 },
  async (options) => {
    const folder = temporaryFolder()
    const socketPath = join(folder, "own/worker.sock")
    const packages = ["heads-int8", "classifiers/rerank", "decisions/packed", "static"].map(packageOf)
    const run = await runTraced(["serve", ...packages, "--uds", socketPath, ...options], async (ends) => {
      const isReady = async (): Promise<boolean> =>
        ends() || (await ask({ socketPath }, "/health").catch(() => undefined))?.status === 200
      await waitFor(isReady, 60_000)
      for (const [path, body] of surfaces) expect((await ask({ socketPath }, path, body)).status).toBe(200)
      for (const path of ["/v1/models", "/metrics", "/openapi.yaml"])
        expect((await ask({ socketPath }, path)).status).toBe(200)
    })
    expectNothingLeft(run, join(folder, "own"))
    expect(run.bound).toEqual([])
  },
)

test.skipIf(!canTrace)("a worker over TCP listens where it was told and reaches nobody", async () => {
  const port = 20_000 + (process.pid % 10_000)
  const address = { host: "127.0.0.1", port }
  const run = await runTraced(["serve", "signals", "--port", String(port)], async (ends) => {
    const isReady = async (): Promise<boolean> =>
      ends() || (await ask(address, "/health").catch(() => undefined))?.status === 200
    await waitFor(isReady, 60_000)
    expect((await ask(address, "/v1/embeddings", { input: "hello" })).status).toBe(200)
  })
  expectNothingLeft(run)
  expect(run.bound).toEqual([`bind 127.0.0.1:${port}`])
})

test.skipIf(!canTrace).for<[args: readonly string[], code: number]>([
  [["models", "--json"], 0],
  [["plugins"], 0],
  [["devices"], 0],
  [["prepare", packageOf("heads-int8"), "static"], 0],
  [["prepare", packageOf("heads-int8"), "--offline"], 0],
  [["prepare", packageOf("no-such-folder")], 1],
  [["serve", "somebody/some-model", "--offline"], 1],
  [["--help"], 0],
])("rtrun %j reaches nobody and writes no file", async ([args, code]) => {
  const run = await runTraced(args)
  expect([run.code, run.output]).toEqual([code, run.output])
  expectNothingLeft(run)
  expect(run.bound).toEqual([])
})

test.skipIf(!canTrace)("what is traced shows who is reached and what is written", async () => {
  const script = `
    require("node:fs").writeFileSync("report.json", "")
    require("node:net").connect(9, "127.0.0.1").on("error", () => {})
    require("node:dgram").createSocket("udp6").on("error", () => {}).send("x", 9, "::1", function () { this.close() })`
  const run = await runTraced(["-e", script], undefined, [])
  expect(run.reached).toEqual(expect.arrayContaining(["connect 127.0.0.1:9", "sendmsg ::1:9"]))
  expect(run.written.some((path) => path.endsWith("/report.json"))).toBe(true)
})

test.skipIf(canTrace)(
  "without strace nothing shows that the worker reaches nobody: apt-get install strace",
  ({ skip }) => {
    skip("strace is not installed")
  },
)
