import { setTimeout as sleep } from "node:timers/promises"
import type { Transport, TransportResponse } from "rtr"
import { expect, onTestFinished, test, vi } from "vitest"
import { AttachedWorker } from "../../../ts/cli/workers/attached-worker.ts"
import { nullMetrics } from "../../../ts/kernel/types/metrics.ts"

/** A worker that answers these bodies by path; a path without one is not there. */
function workerWith(bodies: Readonly<Record<string, unknown>>): Transport {
  return {
    request: async ({ url }) => {
      const body = bodies[new URL(url).pathname]
      if (body === undefined) throw new Error("connection refused")
      return { status: 200, headers: {}, text: async () => JSON.stringify(body) } as unknown as TransportResponse
    },
    close: async () => {},
  }
}

function attach(bodies: Readonly<Record<string, unknown>>): AttachedWorker {
  const heads = [{ binding: "prompt_guard", deployment: "guard", head: "jailbrake", answers: "classes" }] as const
  const worker = new AttachedWorker(
    { name: "guard", endpoint: "http://worker.example", served_name: "signals", heads },
    workerWith(bodies),
    nullMetrics,
  )
  onTestFinished(() => worker.stop())
  return worker
}

const health = { models: [{ id: "signals", status: "ready" }] }
const listed = (name: string) => ({
  data: [{ id: "signals", heads: [{ name, kind: "sequence", labels: ["benign", "jailbreak"] }] }],
})

async function stateOf(worker: AttachedWorker): Promise<object | undefined> {
  while (worker.status()[0]?.state === "starting") await sleep(5)
  return worker.status()[0]
}

test("a worker whose model lacks a bound head is not ready, says why and logs it", async () => {
  const log = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  onTestFinished(() => log.mockRestore())
  const reason =
    'global.model_catalog.bindings.prompt_guard.head: "jailbrake" is not a head of deployment "guard" that answers with classes: there is "jailbreak" (did you mean "jailbreak"?)'
  const state = await stateOf(attach({ "/health": health, "/v1/models": listed("jailbreak") }))
  expect(state).toMatchObject({ ready: false, state: "failed", reason })
  expect(log.mock.calls.flat().join("")).toContain(JSON.stringify(reason))
})

test.each([
  ["has the head", { "/health": health, "/v1/models": listed("jailbrake") }],
  ["does not tell its models", { "/health": health }],
])("a worker that %s is ready", async (_, bodies) => {
  expect(await stateOf(attach(bodies))).toMatchObject({ ready: true, state: "ready" })
})
