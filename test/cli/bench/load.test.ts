import { expect, test } from "vitest"
import { runLoad } from "../../../ts/cli/bench/load.ts"
import type { Surface } from "../../../ts/cli/bench/surface.ts"
import type { WorkerClient, WorkerReply } from "../../../ts/cli/bench/worker-client.ts"

const surface: Surface = { path: "/p", body: (text) => ({ text }), tokens: ({ tokens }) => Number(tokens) }

/** Answers with these replies, one after the other; the last one stays. */
function clientWith(...replies: readonly Partial<WorkerReply>[]): WorkerClient & { readonly open: () => number } {
  let asked = 0
  let open = 0
  let most = 0
  return {
    open: () => most,
    close: () => {},
    async ask() {
      const reply = replies[Math.min(asked++, replies.length - 1)]
      most = Math.max(most, ++open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return { status: 200, body: { tokens: 16 }, phases: { forward: 2 }, latencyMs: 3, ...reply }
    },
  }
}

test("every connection asks again when it is answered, until the time is over", async () => {
  const client = clientWith({ latencyMs: 9 }, {})
  const result = await runLoad({ client, surface, nextText: () => "t", connections: 4, seconds: 0.05 })
  expect(client.open()).toBe(4)
  expect(result).toMatchObject({ tokens: 16, p50Ms: 3, forwardMs: 2 })
  expect(result.tokensPerSecond).toBeCloseTo(16 * result.requestsPerSecond, 6)
})

test("a request that fails ends the load with what the worker said", async () => {
  const client = clientWith({}, { status: 429, body: { error: { code: "overloaded", message: "The queue is full" } } })
  await expect(runLoad({ client, surface, nextText: () => "t", connections: 2, seconds: 5 })).rejects.toThrow(
    "The worker answered 429: The queue is full",
  )
})
