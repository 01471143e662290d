// Base64 and its like in parts that are too short to be found alone: numbered, in groups, as strings of a program.

import { base64, bytesOf, fromAlphabet } from "./encoded.ts"
import type { Range } from "./gains.ts"
import { hasWordSigns, isPlausible } from "./letter-pairs.ts"
import { decoded, type Segment } from "./segment.ts"

const label = "(?:(?:[Pp]art|[Cc]hunk|[Pp]iece|[Bb]lock|[Ll]ine)[^A-Za-z\\d]{0,2})?\\d{1,3}[^A-Za-z\\d]{1,4}"
const between = `[^A-Za-z\\d]{1,6}(?:${label})?`
const chunk = "[A-Za-z\\d+/]{4,}={0,6}"
/** Parts of a run in a list: numbered, in groups, as strings of a program. */
const chunks = new RegExp(
  `(?<![A-Za-z\\d+/])${chunk}(?:${between}${chunk}){2,}(?:${between}[A-Za-z\\d+/]{1,3}(?:={1,2}|(?![A-Za-z\\d])))?`,
  "g",
)
const fewestOfChunks = { parts: 3, signs: 24 }
const isWord = /^[A-Z]?[a-z]+$/
const isLabel = /^(?:\d{1,3}|part|chunk|piece|block|line)$/i

/** Runs in parts that are too short to be runs. */
export function decodeChunks(text: string): readonly Segment[] {
  return partsWithTurns(text).flatMap(({ start, end }) =>
    decoded(
      Array.from(text.slice(start, end).matchAll(chunks), ({ 0: found, index }) =>
        decodeList(found, start + index),
      ).flat(),
      hasWordSigns,
    ),
  )
}

function decodeList(found: string, start: number): readonly Segment[] {
  const signs = Array.from(found.matchAll(/[A-Za-z\d+/]+=*/g)).filter(([each]) => !isLabel.test(each))
  const [first, last] = [signs.findIndex(notWord), signs.findLastIndex(notWord)]
  const parts = signs.slice(first, last + 1)
  const [from, to] = [parts[0], parts.at(-1)]
  if (from === undefined || to === undefined || parts.length < fewestOfChunks.parts) return []
  const plain = fromParts(parts.map(([each]) => each))
  return plain === undefined ? [] : [{ start: start + from.index, end: start + to.index + to[0].length, plain }]
}

/**
 * A turn is where a capital or a digit stands behind another kind of sign. Base64 has one among three or four letters and digits,
 * programs one among eight. Parts are found as in `gains.ts`.
 */
const lettersOfTurn = 6
const enough = 18
const longestChunk = 128
const turn = /[A-Z](?<=[a-z\d].)|\d(?<=[A-Z].)/
const [capital, small, digit] = [1, 2, 3]
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[A-Z]/.test(sign) ? capital : /[a-z]/.test(sign) ? small : /\d/.test(sign) ? digit : 0
})

function partsWithTurns(text: string): readonly Range[] {
  if (text.search(turn) === -1) return []
  const found: Range[] = []
  let [start, last, sum, most, letters] = [0, 0, 0, 0, 0]
  const close = (): void => {
    if (most < enough) return
    const before = found.at(-1)
    if (before !== undefined && start - longestChunk <= before.end)
      found[found.length - 1] = { start: before.start, end: last + longestChunk }
    else found.push({ start: Math.max(0, start - longestChunk), end: last + longestChunk })
  }
  for (let [index, before] = [0, 0]; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 128 ? (kinds[code] as number) : 0
    const isTurn = (kind === capital && before >= small) || (kind === digit && before === capital)
    before = kind
    if (kind !== 0) letters += 1
    if (!isTurn) continue
    sum -= letters
    if (sum <= 0 || index - last > longestChunk) {
      close()
      start = index
      sum = most = 0
    }
    last = index
    letters = 0
    sum += lettersOfTurn
    most = Math.max(most, sum)
  }
  close()
  return found
}

const notWord = ([found]: RegExpExecArray): boolean => !isWord.test(found)

/** Each part may be encoded alone. */
function fromParts(signs: readonly string[]): string | undefined {
  if (signs.slice(0, -1).some((each) => each.endsWith("="))) {
    const plain = signs.map((each) => new TextDecoder().decode(bytesOf(each.replaceAll("=", ""), base64, 6)))
    const together = plain.join(plain.some((each) => /\s/.test(each)) ? "" : " ")
    return isPlausible(together) ? together : undefined
  }
  const all = signs.join("").replaceAll("=", "")
  return all.length < fewestOfChunks.signs ? undefined : fromAlphabet(all)
}
