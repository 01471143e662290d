// Seven heads in one request against one head, over one trunk.

import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { type Cost, measureCost } from "./cost.ts"
import { headNames, manyHeadsPackage } from "./packages/many-heads.ts"
import type { TextMaker } from "./texts.ts"
import { modelName, startWorker } from "./worker.ts"
import { readWorkerCounts } from "./worker-metrics.ts"

export interface HeadsFigures {
  /** By the number of tokens of the text. */
  readonly costs: Readonly<Record<string, Cost>>
  /** Over all requests, of one head and of seven: 1 means that heads share the reading of a text. */
  readonly forwardsPerText: number
}

const lengths = [16, 128]

export async function measureHeads(options: BenchOptions, texts: TextMaker, folder: string): Promise<HeadsFigures> {
  const socketPath = join(folder, "heads.sock")
  const worker = await startWorker(options, { model: manyHeadsPackage(options.cache), socketPath })
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
        path: "/v1/classify",
        body: { model: modelName, head: headNames[0], input: text() },
        expected: ['"probabilities":['],
      }),
      many: () => {
        const input = text()
        return {
          path: "/v1/bundle",
          body: { tasks: headNames.map((head) => ({ id: head, classify: { model: modelName, head, input } })) },
          expected: headNames.map((head) => `"id":"${head}","status":200`),
        }
      },
    })
  }
  const { forwards } = await readWorkerCounts(socketPath)
  await worker.stop()
  return { costs, forwardsPerText: forwards / requests }
}
