// Sentence vectors of texts by the worker, kept in the cache folder for the next run.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createHash } from "node:crypto"
import { say } from "../../_shared/progress.ts"
import { embed, startWorker } from "../../inference/worker.ts"

const textsPerRequest = 32

export interface VectorsOptions {
  readonly cache: string
  readonly rtrun: string
  readonly threads: number
}

/** Vectors of the built-in package `signals`, by text. */
export async function readVectors(
  texts: readonly string[],
  { cache, rtrun, threads }: VectorsOptions,
): Promise<ReadonlyMap<string, Float32Array>> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const worker = await startWorker({ rtrun, threads }, { model: "signals", socketPath: join(folder, "worker.sock") })
  try {
    const wanted = [...new Set(texts)].toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    const digest = createHash("sha256")
      .update(JSON.stringify([worker.card.model_sha256, wanted]))
      .digest("hex")
    const path = join(cache, `vectors-${digest.slice(0, 16)}.f32`)
    if (existsSync(path)) {
      const kept = new Float32Array(Uint8Array.from(readFileSync(path)).buffer)
      const length = kept.length / wanted.length
      return new Map(wanted.map((text, index) => [text, kept.subarray(index * length, (index + 1) * length)]))
    }
    const vectors: Float32Array[] = []
    for (let first = 0; first < wanted.length; first += textsPerRequest) {
      vectors.push(...(await embed(worker.address, wanted.slice(first, first + textsPerRequest))).vectors)
      if ((first / textsPerRequest) % 64 === 0) say(`vectors: ${vectors.length} of ${wanted.length}`)
    }
    mkdirSync(cache, { recursive: true })
    writeFileSync(path, Buffer.concat(vectors.map(({ buffer }) => Buffer.from(buffer))))
    return new Map(wanted.map((text, index) => [text, vectors[index] as Float32Array]))
  } finally {
    await worker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
