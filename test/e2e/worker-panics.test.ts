// Panics on purpose: every caller gets an answer, and the models serve again.

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createPanicLoad } from "../../bench/soak/panics/load.ts"
import { models } from "../../bench/soak/worker/mixed-load.ts"
import { temporaryFolder, waitFor } from "./_processes.ts"
import { startWorker } from "./_workers.ts"

const root = join(import.meta.dirname, "../..")
const panics = { RTRUN_PANIC_EVERY_SECONDS: "2" }

test("a worker that panics answers every request and serves again", async () => {
  const path = join(temporaryFolder(), "worker.sock")
  const patience = ["--load-attempts", "1000", "--load-retry-seconds", "0.1"]
  const worker = await startWorker(models, ["--uds", path, ...patience], panics)
  const load = createPanicLoad()

  // Resolves when every request has its reply.
  const { replies } = await load({ socketPath: path, connections: 4, seconds: 12, deadlineMs: 5000 })

  const unexpected = Object.keys(replies).filter((status) => !["200", "429", "500", "503", "504"].includes(status))
  expect(unexpected).toEqual([])
  expect(replies[200]).toBeGreaterThan(0)
  expect(replies[500]).toBeGreaterThan(0)
  expect(await worker.metric("rtrun_model_restarts_total")).toBeGreaterThan(0)
  await waitFor(async () => (await worker.ask("/health")).status === 200, 30_000)
  expect(worker.child.exitCode).toBeNull()
  // The place of each panic is told, and not its message.
  expect(worker.stderr()).toContain("faults.rs")
  expect(worker.stderr()).not.toContain("on purpose")
}, 90_000)

test("panics in this process settle every promise, are seen in the status, and do not end it", () => {
  const script = `
    import { createNativeInference } from "./ts/kernel/runtime/native.ts"
    const inference = await createNativeInference({ models: { m: "models/static" }, threads: 1 })
    const ends = {}, states = new Set()
    let count = 0
    // A bundle rejects for a bug only, which a panic in its own task is.
    const asked = () => inference.bundle([{ kind: "embed", deployment: "m", text: "word " + count++ }])
    const ask = () => asked().catch((error) => [{ kind: "error", error }])
    const until = Date.now() + 6000
    while (Date.now() < until) {
      for (const [answer] of await Promise.all(Array.from({ length: 8 }, ask))) {
        const end = answer.kind === "error" ? answer.error.code : answer.kind
        ends[end] = (ends[end] ?? 0) + 1
      }
      states.add(inference.status()[0].state)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await inference.close()
    console.log(JSON.stringify({ ends: Object.keys(ends), states: [...states] }))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...panics },
    timeout: 60_000,
  })
  expect([status, stderr.split("\n").filter((line) => !line.startsWith("{"))]).toEqual([0, [""]])
  const { ends, states } = JSON.parse(stdout) as { ends: string[]; states: string[] }
  expect(ends).toContain("embed")
  expect(ends.length).toBeGreaterThan(1)
  // One panic is forgiven; whoever embeds an engine has asked for one attempt, so the second one is the last.
  expect(states).toContain("ready")
  expect(states).toContain("failed")
}, 90_000)
