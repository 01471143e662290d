// Typed questions to the built-in package `decide`, as the router asks them.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromDecisionsReply, toDecisionsBody } from "../../../ts/kernel/runtime/worker-bodies/question-bodies.ts"
import type { BatchedQuestions } from "../../../ts/kernel/index.ts"
import { modelName, startWorker } from "../../inference/worker.ts"
import { createAsker } from "../asker.ts"
import type { VectorsOptions } from "./vectors.ts"

/** Requests that are on their way at a time. */
const lanes = 4

export async function askDecisions<Value>(
  { rtrun, threads }: Pick<VectorsOptions, "rtrun" | "threads">,
  use: (decide: BatchedQuestions["decide"]) => Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const worker = await startWorker({ rtrun, threads }, { model: "decide", socketPath: join(folder, "worker.sock") })
  try {
    const asker = createAsker(worker.address, worker.card)
    let free: Promise<unknown>[] = Array.from({ length: lanes }, () => Promise.resolve())
    let next = 0
    return await use((text, question) => {
      const task = { kind: "decide" as const, deployment: modelName, text, question }
      const lane = next++ % lanes
      const answer = (free[lane] as Promise<unknown>).then(async () => {
        const body = toDecisionsBody(task, { model: modelName, overflow: "truncate" } as never)
        const given = fromDecisionsReply(await asker.post("/v1/decisions", body), task)
        if (given.kind === "error") throw given.error
        return given.decided
      })
      free = free.with(
        lane,
        answer.catch(() => undefined),
      )
      return answer as unknown as ReturnType<BatchedQuestions["decide"]>
    })
  } finally {
    await worker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
