// Likeness of a long text to two lists of example sentences.

import { isRtrError, type PartlyRead, RtrError, saysAnything } from "../../kernel/index.ts"
import { halvesOf, piecesOf } from "./pieces.ts"

/** Most pieces of one text for the contrastive method, about 20,000 English words; a longer text is not judged. */
const mostPieces = 256

/** One number for the pieces of a text. */
export type Contrast = (pieces: readonly Float32Array[]) => number

type Vector = Float32Array & PartlyRead
type Embed = (text: string) => Promise<Vector>
export type Vectors = readonly PromiseSettledResult<readonly Vector[]>[]

/** The vectors of a text, piece by piece; throws when there are too many. */
export async function embedPieces(text: string, embed: Embed): Promise<Vectors> {
  const pieces = piecesOf(text, mostPieces)
  if (pieces.length > mostPieces)
    throw new RtrError("max_length_exceeded", `Cannot compare a text of more than ${mostPieces} pieces with patterns`)
  // A model sees nothing in a piece of spaces or pictographs, which would leave the whole text unread.
  const asked = pieces.filter(saysAnything)
  return Promise.allSettled(asked.map((piece) => embedPiece(piece, embed)))
}

/** The vector of a piece, or of its halves where it has more tokens than its model reads: letters that are no words have many. */
async function embedPiece(piece: string, embed: Embed): Promise<readonly Vector[]> {
  try {
    return [await embed(piece)]
  } catch (error) {
    const halves = isRtrError(error) && error.code === "max_length_exceeded" ? halvesOf(piece) : []
    if (halves.length === 0) throw error
    return (await Promise.all(halves.map((half) => embedPiece(half, embed)))).flat()
  }
}

/** How much more a text is like the attacks than like the others, by its riskiest piece; −2 to 2. */
export function createContrast(attacks: readonly Float32Array[], benign: readonly Float32Array[]): Contrast {
  const nearest = (piece: Float32Array, vectors: readonly Float32Array[]): number =>
    Math.max(...vectors.map((vector) => vector.reduce((sum, value, index) => sum + value * (piece[index] ?? 0), 0)))
  return (pieces) => Math.max(...pieces.map((piece) => nearest(piece, attacks) - nearest(piece, benign)))
}
