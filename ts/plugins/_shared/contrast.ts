// Similarity of a long text to two lists of example sentences.

import { hasText, isRtrError, type PartialCoverage, RtrError } from "../../kernel/index.ts"
import { chunksOf, halvesOf } from "./chunks.ts"
import { dot } from "./prototype-bank.ts"

/** Limit of chunks of one text for the contrastive method, about 20,000 English words; a longer text is not judged. */
const maxChunks = 256

/** One number for the vectors of a text's chunks. */
export type Contrast = (chunks: readonly Float32Array[]) => number

type Vector = Float32Array & PartialCoverage
type Embed = (text: string) => Promise<Vector>
export type Vectors = readonly PromiseSettledResult<readonly Vector[]>[]

/** The vectors of a text, chunk by chunk; throws when there are too many. */
export async function embedChunks(text: string, embed: Embed): Promise<Vectors> {
  const chunks = chunksOf(text, maxChunks)
  if (chunks.length > maxChunks)
    throw new RtrError("max_length_exceeded", `Cannot compare a text of more than ${maxChunks} chunks with patterns`)
  // A model sees nothing in a chunk of spaces or pictographs, which would make the coverage partial.
  const asked = chunks.filter(hasText)
  return Promise.allSettled(asked.map((chunk) => embedChunk(chunk, embed)))
}

/** The vector of a chunk, or of its halves where it has more tokens than its model reads: letters that are no words have many. */
async function embedChunk(chunk: string, embed: Embed): Promise<readonly Vector[]> {
  try {
    return [await embed(chunk)]
  } catch (error) {
    const halves = isRtrError(error) && error.code === "max_length_exceeded" ? halvesOf(chunk) : []
    if (halves.length === 0) throw error
    return (await Promise.all(halves.map((half) => embedChunk(half, embed)))).flat()
  }
}

/** How much more similar a text is to the attacks than to the others, or than 0 without others, by its riskiest chunk; −2 to 2. */
export function createContrast(attacks: readonly Float32Array[], benign: readonly Float32Array[]): Contrast {
  const maxSimilarity = (chunk: Float32Array, vectors: readonly Float32Array[]): number =>
    vectors.length === 0 ? 0 : Math.max(...vectors.map((vector) => dot(vector, chunk)))
  return (chunks) => Math.max(...chunks.map((chunk) => maxSimilarity(chunk, attacks) - maxSimilarity(chunk, benign)))
}
