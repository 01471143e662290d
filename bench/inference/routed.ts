// A routed request from end to end: read for subject and meaning, decided, answered by an instant backend, against one bare forward.

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { local } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { interleave } from "../_shared/rounds.ts"
import { node, startServer } from "../_shared/server-process.ts"
import { median, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { expectedInJson } from "../overhead/backend-replies.ts"
import { ports } from "../overhead/ports.ts"
import type { PythonLoop } from "./python-rivals.ts"
import type { TextMaker } from "./texts.ts"
import { readWorkerCounts } from "./worker-metrics.ts"

export interface RoutedFigures {
  readonly tokens: number
  readonly routedP50Ms: Spread
  readonly forwardP50Ms: Spread
  readonly ratio: Spread
  /** p50 of a routed request less 1.15 times p50 of a forward: the goal is 1 ms at most. */
  readonly above115PercentMs: Spread
  /** From the worker's counters: 1 means that both questions shared one reading of the text. */
  readonly forwardsPerRequest: number
  readonly rowsPerRequest: number
}

const routerPort = 19011
const tokens = 128

export async function measureRouted(options: BenchOptions, loop: PythonLoop, texts: TextMaker): Promise<RoutedFigures> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const backend = await startServer({
    name: "the mock backend",
    command: node,
    args: [join(import.meta.dirname, "../overhead/backend.ts"), String(ports.backend)],
    address: local(ports.backend),
  })
  const router = await startServer({
    name: "rtr",
    command: node,
    args: [options.rtr, "serve", "--config", join(import.meta.dirname, "router.yaml"), "--metrics-port", "19013"],
    env: { RTRUN_DIR: folder, RTRUN_CPU_THREADS: String(options.threads) },
    address: local(routerPort),
  })
  // The router makes a folder of its own inside.
  const socketPath = join(folder, readdirSync(folder)[0] ?? "", "default.sock")
  let requests = 0
  const routed = async (seconds: number): Promise<number> => {
    const result = await runLoad({
      address: local(routerPort),
      connections: 1,
      seconds,
      nextRequest: () =>
        prepareRequest({
          path: "/v1/chat/completions",
          body: { model: "MoM", messages: [{ role: "user", content: texts.ofTokens(tokens) }] },
          expected: expectedInJson,
        }),
    })
    requests += result.requests
    return result.p50Ms
  }
  const forward = async (): Promise<number> => {
    const calls = Array.from({ length: 32 }, () => [texts.ofTokens(tokens)])
    return median(await loop.run(calls, "padded", options.seconds))
  }

  await routed(options.quick ? 1 : 5)
  requests = 0
  const before = await readWorkerCounts(socketPath)
  const samples = await interleave(
    `routed, ${tokens} tokens`,
    options.rounds,
    [
      { name: "forward", measure: forward },
      { name: "routed", measure: () => routed(options.seconds) },
    ],
    (p50Ms) => `${p50Ms.toFixed(2)} ms`,
  )
  const after = await readWorkerCounts(socketPath)
  await Promise.all([router.stop(), backend.stop()])
  rmSync(folder, { recursive: true, force: true })

  const [routedMs = [], forwardMs = []] = [samples.get("routed"), samples.get("forward")]
  return {
    tokens,
    routedP50Ms: spreadOf(routedMs),
    forwardP50Ms: spreadOf(forwardMs),
    ratio: spreadOfPairs(routedMs, forwardMs, (a, b) => a / b),
    above115PercentMs: spreadOfPairs(routedMs, forwardMs, (a, b) => a - 1.15 * b),
    forwardsPerRequest: (after.forwards - before.forwards) / requests,
    rowsPerRequest: (after.rows - before.rows) / requests,
  }
}
