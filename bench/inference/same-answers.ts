// The rivals must compute the same thing, or their speed says nothing.

import type { Address } from "../_shared/load/address.ts"
import { say } from "../_shared/progress.ts"
import { mixedLengths, type TextMaker } from "./texts.ts"
import { embed } from "./worker.ts"

/** Floats of one graph differ between batch shapes, and those of libraries between each other, only far behind the point. */
const leastCosine = 0.99999

type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>

/** Asks any server of the embeddings endpoint. */
export const embedBy =
  (address: Address): Embed =>
  async (texts) =>
    (await embed(address, texts)).vectors

/** Rejects when a rival gives other vectors for the same texts than the worker, or when a text has not the length it should have. */
export async function checkSameAnswers(
  worker: Address,
  rivals: Readonly<Record<string, Embed>>,
  texts: TextMaker,
  least: number = leastCosine,
): Promise<void> {
  const sample = mixedLengths.map((length) => texts.ofTokens(length))
  const ours = await embed(worker, sample)
  const wanted = mixedLengths.reduce((sum, length) => sum + length, 0)
  if (ours.tokens !== wanted) throw new Error(`The texts have ${ours.tokens} tokens, and should have ${wanted}`)
  for (const [name, embedTexts] of Object.entries(rivals)) {
    const vectors = await embedTexts(sample)
    const lowest = Math.min(...ours.vectors.map((vector, row) => dot(vector, vectors[row] ?? [])))
    if (!(lowest >= least)) throw new Error(`The worker and ${name} differ: the lowest cosine is ${lowest}`)
    say(`The vectors of the worker and of ${name} agree (lowest cosine ${lowest.toFixed(7)})`)
  }
}

/** The cosine, as the vectors have length 1. */
function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? Number.NaN)
  return sum
}
