// Words that are written as numbers or in the alphabets of base64 and base32.

import type { Range } from "./gains.ts"
import { hasWordSigns, isPlausible } from "./letter-pairs.ts"
import { type Segment, segmentsOf } from "./segment.ts"
import { rot13 } from "./shifted.ts"

/** `runs` are parts without blanks, of letters, digits and what base64 has beside them. */
export function decodeRuns(text: string, runs: readonly Range[]): readonly Segment[] {
  return joinedLines(text, runs).flatMap(({ start, end }): readonly Segment[] => {
    const found = text.slice(start, end)
    const plain = plainOf(found)
    const segments = plain === undefined ? decodePieces(found) : [{ start: 0, end: found.length, plain }]
    return segments.map((each) => withPadding(text, { ...each, start: start + each.start, end: start + each.end }))
  })
}

function withPadding(text: string, segment: Segment): Segment {
  let { end } = segment
  while (text[end] === "=" && end - segment.end < mostPadding) end++
  return { ...segment, end }
}

/** What stands in an address or behind another word: `files/…`, `token_…`, `0x…`. */
const piece = /[A-Za-z\d]{24,}/g
const hexPiece = /[\da-f]{32,}/i
/** Four letters of base64 are three bytes: with letters before them they begin at one of these places. */
const beginnings = [1, 2, 3]

function decodePieces(run: string): readonly Segment[] {
  return Array.from(run.matchAll(piece), ({ 0: found, index }): readonly Segment[] => {
    const end = index + found.length
    const plain = found.length < run.length ? plainOf(found) : undefined
    if (plain !== undefined) return [{ start: index, end, plain }]
    const places = [found.search(hexPiece), ...beginnings].filter((place) => place > 0)
    for (const place of places) {
      const later = fromAlphabet(found.slice(place))
      if (later !== undefined) return [{ start: index + place, end, plain: later }]
    }
    return []
  }).flat()
}

const mostPadding = 6

/** Encoders break long lines. */
function joinedLines(text: string, runs: readonly Range[]): readonly Range[] {
  const joined: Range[] = []
  for (const run of runs) {
    const last = joined.at(-1)
    if (last !== undefined && run.start - last.end <= 2 && /^=*\r?\n$/.test(text.slice(last.end, run.start)))
      joined[joined.length - 1] = { start: last.start, end: run.end }
    else joined.push(run)
  }
  return joined
}

function plainOf(run: string): string | undefined {
  const signs = run.replaceAll(/[\r\n]/g, "")
  const plain = fromAlphabet(signs)
  // A short run could make words by chance.
  return plain !== undefined || signs.length < fewestChanged || isHex.test(signs) ? plain : fromChanged(signs)
}

const isHex = /^(?:[\da-f]{2})+$/i

function fromAlphabet(signs: string): string | undefined {
  if (/^(?:[01]{8})+$/.test(signs)) return readable(bytesOf(signs, hex, 1))
  if (isHex.test(signs)) return readable(bytesOf(signs, hex, 4))
  const plain = /^[A-Z2-7]+$/.test(signs) ? readable(bytesOf(signs, base32, 5)) : undefined
  return plain ?? readable(bytesOf(signs, base64, 6))
}

/** Base64 backwards, and in the alphabet of rot13. */
function fromChanged(signs: string): string | undefined {
  const backwards = Array.from(signs).toReversed().join("")
  return readable(bytesOf(backwards, base64, 6)) ?? readable(bytesOf(rot13(signs), base64, 6))
}

const fewestChanged = 32

const alphabet = (signs: string, more: Readonly<Record<string, number>> = {}): Uint8Array => {
  const values = new Uint8Array(128).fill(255)
  Array.from(signs).forEach((sign, value) => (values[sign.charCodeAt(0)] = value))
  for (const sign in more) values[sign.charCodeAt(0)] = more[sign] as number
  return values
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const digits = "0123456789"
const base64 = alphabet(`${capitals}${capitals.toLowerCase()}${digits}+/`, { "-": 62, _: 63 })
const base32 = alphabet(`${capitals}234567`)
const hex = alphabet(`${digits}abcdef`, { A: 10, B: 11, C: 12, D: 13, E: 14, F: 15 })

/** So many bytes tell whether the rest is a text. */
const firstBytes = 24

function bytesOf(signs: string, values: Uint8Array, width: number): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((signs.length * width) / 8))
  let [held, bits, count] = [0, 0, 0]
  for (let index = 0; index < signs.length; index++) {
    held = ((held << width) | (values[signs.charCodeAt(index)] as number)) & 0xffff
    bits += width
    if (bits < 8) continue
    bits -= 8
    bytes[count++] = held >> bits
    if (count !== firstBytes) continue
    const first = bytes.subarray(0, count)
    if (utf16In(first) === undefined && unprintable(first) > count / 4) return undefined
  }
  return bytes
}

/** In UTF-16, as shells of Windows encode commands, nearly every other byte of a Latin text is zero. */
function utf16In(bytes: Uint8Array): "utf-16be" | "utf-16le" | undefined {
  const zeros = [0, 0]
  bytes.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const place = zeros.findIndex((count) => count > 0 && count >= (bytes.length / 2) * 0.75)
  return place === -1 ? undefined : place === 0 ? "utf-16be" : "utf-16le"
}

const unprintable = (bytes: Uint8Array): number =>
  bytes.reduce(
    (count, byte) => count + Number((byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) || byte === 0x7f),
    0,
  )

function readable(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const utf16 = utf16In(bytes)
  if (utf16 === undefined && unprintable(bytes) > bytes.length / 8) return undefined
  const text = new TextDecoder(utf16).decode(bytes)
  return hasWordSigns(text) || isCode(text) ? text : undefined
}

/** What may be encoded once more. */
const isCode = (text: string): boolean => /^[\w+/=%\\\s-]{16,}$/.test(text)

/** Numbers in a row, each a byte or a letter: hexadecimal, decimal, octal, binary, and Morse code. */
export function decodeNumbers(text: string): readonly Segment[] {
  return numberForms.flatMap(({ pattern, toPlain }) =>
    segmentsOf(text, pattern, toPlain).filter(({ plain }) => isPlausible(plain) || isCode(plain)),
  )
}

const toText = (numbers: readonly string[], radix: number): string =>
  new TextDecoder().decode(Uint8Array.from(numbers, (each) => Number.parseInt(each, radix)))

const morse: ReadonlyMap<string, string> = new Map(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    .split(" ")
    .map((signs, index) => [signs, String.fromCharCode(0x61 + index)]),
)

const numberForms: readonly { readonly pattern: RegExp; readonly toPlain: (found: string) => string }[] = [
  {
    pattern: /\b(?:0x)?[\da-f]{2}(?:[\s,:]{1,2}(?:0x)?[\da-f]{2}\b){7,}/gi,
    toPlain: (found) => toText(found.replaceAll(/0x/gi, "").match(/[\da-f]{2}/gi) ?? [], 16),
  },
  {
    pattern: /\b\d{2,3}(?:[\s,;]{1,3}\d{2,3}\b){7,}/g,
    toPlain(found) {
      const numbers = found.match(/\d+/g) ?? []
      const plain = toText(numbers, 10)
      return isPlausible(plain) || /[89]/.test(found) ? plain : toText(numbers, 8)
    },
  },
  {
    pattern: /\b[01]{8}(?:[\s,]{1,2}[01]{8}\b){5,}/g,
    toPlain: (found) => toText(found.match(/[01]{8}/g) ?? [], 2),
  },
  {
    pattern: /(?<![^\s])[.-]{1,5}(?: {1,3}(?:\/ ?)?[.-]{1,5}(?![^\s])){7,}/g,
    toPlain: (found) =>
      found
        .split(/ {2,}| ?\/ ?/)
        .map((word) =>
          word
            .split(" ")
            .map((signs) => morse.get(signs) ?? "")
            .join(""),
        )
        .join(" "),
  },
]
