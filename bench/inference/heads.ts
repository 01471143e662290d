// All heads that read a text, in one request, against the sentence vector alone: the bare trunk.

import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { type Cost, measureCost } from "./cost.ts"
import type { TextMaker } from "./texts.ts"
import { modelName, packageFolder, startWorker } from "./worker.ts"
import { readWorkerCounts } from "./worker-metrics.ts"

export interface HeadsFigures {
  /** By the number of tokens of the text. */
  readonly costs: Readonly<Record<string, Cost>>
  /** Over all requests, of the trunk and of the heads: 1 means that heads share the reading of a text. */
  readonly forwardsPerText: number
}

/** Hallucination is left out: it reads an answer behind its context, which is a row of its own. */
const heads = ["domain", "jailbreak", "fact_check", "feedback", "modality", "pii"]
const lengths = [16, 128]

export async function measureHeads(options: BenchOptions, texts: TextMaker, folder: string): Promise<HeadsFigures> {
  const socketPath = join(folder, "heads.sock")
  const worker = await startWorker(options, { model: packageFolder, socketPath })
  let requests = 0
  const costs: Record<string, Cost> = {}
  for (const tokens of lengths) {
    const text = (): string => {
      requests += 1
      return texts.ofTokens(tokens)
    }
    costs[`${tokens}`] = await measureCost({
      ...options,
      label: `heads, ${tokens} tokens`,
      address: worker.address,
      few: () => ({
        path: "/v1/bundle",
        body: {
          tasks: [{ id: "trunk", embeddings: { model: modelName, input: [text()], encoding_format: "base64" } }],
        },
        expected: ['"id":"trunk","status":200'],
      }),
      many: () => {
        const input = text()
        return {
          path: "/v1/bundle",
          body: { tasks: heads.map((head) => ({ id: head, classify: { model: modelName, head, input } })) },
          expected: heads.map((head) => `"id":"${head}","status":200`),
        }
      },
    })
  }
  const { forwards } = await readWorkerCounts(socketPath)
  await worker.stop()
  return { costs, forwardsPerText: forwards / requests }
}
