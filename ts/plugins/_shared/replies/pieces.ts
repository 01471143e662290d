// Cuts a reply into whole sentences that a model of few tokens reads beside a part of the context.

import { textTokens } from "../tokens/text-tokens.ts"

export interface Piece {
  readonly start: number
  readonly text: string
}

/** Most tokens of a piece, as rtr estimates them: the smallest usual models read 256, with some of the context. */
const maxPieceTokens = 60

/** Characters of a sentence that is longer than a piece: each may be a token. */
const maxSliceCharacters = 60

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let [start, end, tokens] = [0, 0, 0]
  const close = (): void => {
    if (end > start) pieces.push({ start, text: text.slice(start, end) })
    ;[start, tokens] = [end, 0]
  }
  for (const { segment } of new Intl.Segmenter("und", { granularity: "sentence" }).segment(text))
    for (const part of partsOf(segment)) {
      const more = textTokens(part)
      if (tokens + more > maxPieceTokens) close()
      tokens += more
      end += part.length
    }
  close()
  return pieces
}

function partsOf(sentence: string): readonly string[] {
  if (textTokens(sentence) <= maxPieceTokens) return [sentence]
  return sentence.match(new RegExp(`[^]{1,${maxSliceCharacters}}(?!\\S)|[^]{1,${maxSliceCharacters}}`, "gu")) ?? []
}
