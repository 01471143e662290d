// The rivals must compute the same thing, or their speed says nothing.

import { say } from "../_shared/progress.ts"
import type { PythonLoop } from "./python-rivals.ts"
import { mixedLengths, type TextMaker } from "./texts.ts"
import { embed } from "./worker.ts"

/** Floats of one graph differ between batch shapes only far behind the point. */
const leastCosine = 0.99999

/** Rejects when worker, server and loop give other vectors for the same texts, or when a text has not the length it should have. */
export async function checkSameAnswers(
  workerSocket: string,
  serverSocket: string,
  loop: PythonLoop,
  texts: TextMaker,
): Promise<void> {
  const sample = mixedLengths.map((length) => texts.ofTokens(length))
  const worker = await embed(workerSocket, sample)
  const wanted = mixedLengths.reduce((sum, length) => sum + length, 0)
  if (worker.tokens !== wanted) throw new Error(`The texts have ${worker.tokens} tokens, and should have ${wanted}`)
  const rivals = { FastAPI: (await embed(serverSocket, sample)).vectors, "the Python loop": await loop.embed(sample) }
  for (const [name, vectors] of Object.entries(rivals)) {
    const lowest = Math.min(...worker.vectors.map((vector, row) => dot(vector, vectors[row] ?? [])))
    if (!(lowest >= leastCosine)) throw new Error(`The worker and ${name} differ: the lowest cosine is ${lowest}`)
    say(`The worker and ${name} give the same vectors (lowest cosine ${lowest.toFixed(7)})`)
  }
}

/** The cosine, as the vectors have length 1. */
function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? Number.NaN)
  return sum
}
