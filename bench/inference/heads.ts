// All heads that read a text, in one request, against the sentence vector of the bare encoder.

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { type Cost, measureCost } from "./cost.ts"
import type { TextMaker } from "./texts.ts"
import { modelName, packageFolder, startWorker } from "./worker.ts"
import { readWorkerCounts } from "./worker-metrics.ts"

export interface HeadsFigures {
  /** By the number of tokens of the text. */
  readonly costs: Readonly<Record<string, Cost>>
  /** Over all requests for heads: 1 means that heads share the reading of a text. */
  readonly forwardsPerText: number
}

/** Hallucination is left out: it reads an answer behind its context, which is a row of its own. */
const heads = ["domain", "jailbreak", "fact_check", "feedback", "modality", "pii"]
const lengths = [16, 128]

export async function measureHeads(options: BenchOptions, texts: TextMaker, folder: string): Promise<HeadsFigures> {
  const socketPath = join(folder, "heads.sock")
  const worker = await startWorker(options, { model: packageFolder, socketPath })
  const bare = await startWorker(options, { model: bareEncoder(folder), socketPath: join(folder, "bare.sock") })
  let requests = 0
  const costs: Record<string, Cost> = {}
  for (const tokens of lengths) {
    costs[`${tokens}`] = await measureCost({
      ...options,
      label: `heads, ${tokens} tokens`,
      address: worker.address,
      fewAddress: bare.address,
      few: () => ({
        path: "/v1/bundle",
        body: {
          tasks: [
            {
              id: "encoder",
              embeddings: { model: modelName, input: [texts.ofTokens(tokens)], encoding_format: "base64" },
            },
          ],
        },
        expected: ['"id":"encoder","status":200'],
      }),
      many: () => {
        requests += 1
        const input = texts.ofTokens(tokens)
        return {
          path: "/v1/bundle",
          body: { tasks: heads.map((head) => ({ id: head, classify: { model: modelName, head, input } })) },
          expected: heads.map((head) => `"id":"${head}","status":200`),
        }
      },
    })
  }
  const { forwards } = await readWorkerCounts(socketPath)
  await Promise.all([worker.stop(), bare.stop()])
  return { costs, forwardsPerText: forwards / requests }
}

/** The package without its heads and what is computed for them. */
function bareEncoder(folder: string): string {
  const copy = join(folder, "bare")
  cpSync(packageFolder, copy, { recursive: true })
  for (const name of ["manifest.json", "golden.json"]) rmSync(join(copy, name), { force: true })
  const file = join(copy, "rtrun.json")
  const settings = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>
  const kept = Object.entries(settings).filter(([key]) => !key.startsWith("heads") && key !== "scores")
  writeFileSync(file, JSON.stringify(Object.fromEntries(kept)))
  return copy
}
