// Words that are written as numbers or in the alphabets of base64 and base32.

import type { Range } from "./gains.ts"
import { hasWordSigns, isPlausible } from "./letter-pairs.ts"
import { decoded, isCode, type Segment, segmentsOf } from "./segment.ts"
import { rot13 } from "./shifted.ts"

/** `runs` are parts without blanks, of letters, digits and what base64 has beside them. */
export function decodeRuns(text: string, runs: readonly Range[]): readonly Segment[] {
  return joinedLines(text, runs).flatMap(({ start, end }): readonly Segment[] => {
    const found = text.slice(start, end)
    const plain = plainOf(found)
    const segments = plain === undefined ? decodePieces(found) : [{ start: 0, end: found.length, plain }]
    const placed = segments.map((each) => ({ ...each, start: start + each.start, end: start + each.end }))
    return decoded(placed, hasWordSigns).map((each) => withPadding(text, each))
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
  return plain !== undefined || signs.length < fewestChanged ? plain : fromChanged(signs)
}

const isHex = /^(?:[\da-f]{2})+$/i

export function fromAlphabet(signs: string): string | undefined {
  if (/^(?:[01]{8})+$/.test(signs)) return readable(bytesOf(signs, hex, 1))
  const numbers = fromDigits(signs)
  if (numbers !== undefined && isPlausible(numbers)) return numbers
  if (isHex.test(signs)) return readable(bytesOf(signs, hex, 4)) ?? numbers
  const plain = isBase32.test(signs) ? readable(bytesOf(signs.toUpperCase(), base32, 5)) : undefined
  return plain ?? numbers ?? readable(bytesOf(signs, base64, 6))
}

/** Long words have no digits. */
const isBase32 = /^(?:[A-Z2-7]+|(?=[a-z]*\d)[a-z2-7]+)$/

/** Codes of letters without blanks between them: decimal ones need none, octal ones have three digits. */
function fromDigits(signs: string): string | undefined {
  const form = [decimal, octal].find(({ all }) => all.test(signs))
  const plain = form && toText(signs.match(form.each) ?? [], form.radix)
  return plain !== undefined && new Set(plain).size >= fewestSigns ? plain : undefined
}

/** Numbers that have some digits again and again read like some letter. */
const fewestSigns = 8
const decimal = { all: /^(?:0?[3-9]\d|1[01]\d|12[0-7]|01[03])+$/, each: /[01]\d\d|\d\d/g, radix: 10 }
const octal = { all: /^(?:0[4-7]|1[0-7])(?:[0-7](?:0[4-7]|1[0-7]))*[0-7]$/, each: /\d{3}/g, radix: 8 }

/** Base64 and hexadecimal digits backwards, and base64 in the alphabet of rot13. */
function fromChanged(signs: string): string | undefined {
  const turned = backwards(signs)
  if (isHex.test(signs)) return readable(bytesOf(turned, hex, 4))
  return readable(bytesOf(turned, base64, 6)) ?? readable(bytesOf(rot13(signs), base64, 6))
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
export const base64 = alphabet(`${capitals}${capitals.toLowerCase()}${digits}+/`, { "-": 62, _: 63 })
const base32 = alphabet(`${capitals}234567`)
const hex = alphabet(`${digits}abcdef`, { A: 10, B: 11, C: 12, D: 13, E: 14, F: 15 })

/** So many bytes tell whether the rest is a text. */
const firstBytes = 24

export function bytesOf(signs: string, values: Uint8Array, width: number): Uint8Array | undefined {
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
    if (!isUtf32(first) && utf16In(first) === undefined && unprintable(first) > count / 4) return undefined
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

/** Three of four bytes of a Latin text are zero. */
const isUtf32 = (bytes: Uint8Array): boolean =>
  bytes.length >= 16 && bytes.reduce((count, byte) => count + Number(byte === 0), 0) >= bytes.length * 0.7

const unprintable = (bytes: Uint8Array): number =>
  bytes.reduce(
    (count, byte) => count + Number((byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) || byte === 0x7f),
    0,
  )

function readable(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  if (isUtf32(bytes)) return readable(bytes.filter((byte) => byte !== 0))
  const utf16 = utf16In(bytes)
  if (utf16 === undefined && unprintable(bytes) > bytes.length / 8) return undefined
  const text = new TextDecoder(utf16).decode(bytes)
  return hasWordSigns(text) || isCode(text) ? text : undefined
}

/** Six in a row: a search from each digit is fast. */
const mayBeNumbers = /\d[\da-fA-F]{1,7}h?(?:[\s"',;:/|.+_&-]{1,4}(?:0[xob]|[uU]\+)?\d[\da-fA-F]{1,7}h?){5}/

export const hasNumbers = (text: string): boolean => mayBeNumbers.test(text)

/** Numbers in a row, each a byte or a letter: hexadecimal, decimal, octal, binary, and Morse code, each with its parts. */
export const decodeNumbers = (text: string): readonly (readonly Segment[])[] =>
  numberForms.map(({ pattern, toPlain }) =>
    decoded(
      segmentsOf(text, pattern, (found) => eitherWay(found, toPlain)),
      isPlausible,
    ),
  )

/** As it stands, and backwards. */
const eitherWay = (found: string, toPlain: (found: string) => string): string => {
  const plain = toPlain(found)
  return isPlausible(plain) || isCode(plain) ? plain : toPlain(backwards(found))
}

const backwards = (text: string): string => Array.from(text).toReversed().join("")

const toText = (numbers: readonly string[], radix: number): string =>
  new TextDecoder().decode(Uint8Array.from(numbers, (each) => Number.parseInt(each, radix)))

const morse: ReadonlyMap<string, string> = new Map(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    .split(" ")
    .map((signs, index) => [signs, String.fromCharCode(0x61 + index)]),
)

/** Dots and dashes, also those of typographers. */
const beep = "[.•·∙●⋅‧–—−‒-]{1,5}"

const decimals = /(?<![\da-z])(?:0o?)?\d{2,3}(?:[\s"',;:/|.+_&-]{1,4}(?:0o?)?\d{2,3}(?![\da-z])){7,}/gi
const fromDecimals = (found: string): string => toText(found.match(/\d{2,}/g) ?? [], 10)

const numberForms: readonly { readonly pattern: RegExp; readonly toPlain: (found: string) => string }[] = [
  {
    // `49`, `0x49`, `49h`, `U+0049`, and in groups.
    pattern:
      /(?<![\da-z])(?:0x|u\+00)?(?:[\da-f]{2}){1,4}h?(?:[\s"',;:/|.+_&-]{1,4}(?:0x|u\+00)?(?:[\da-f]{2}){1,4}h?(?![\da-z])){7,}/gi,
    toPlain: (found) => toText(found.replaceAll(/0x|u\+00/gi, "").match(/[\da-f]{2}/gi) ?? [], 16),
  },
  {
    pattern: decimals,
    toPlain: fromDecimals,
  },
  {
    pattern: decimals,
    toPlain: (found) =>
      /[89]/.test(found) || isPlausible(fromDecimals(found)) ? "" : toText(found.match(/\d{2,}/g) ?? [], 8),
  },
  {
    pattern: /(?<![\da-z])(?:0b)?[01]{7,8}(?:[\s"',;:/|.+_&-]{1,4}(?:0b)?[01]{7,8}(?![\da-z])){5,}/gi,
    toPlain: (found) => toText(found.match(/[01]{7,}/g) ?? [], 2),
  },
  {
    pattern: new RegExp(`(?<!\\S)${beep}(?:\\s{1,3}(?:[/|]\\s?)?${beep}(?!\\S)){7,}`, "g"),
    toPlain: (found) =>
      found
        .replaceAll(/[•·∙●⋅‧]/g, ".")
        .replaceAll(/[–—−‒]/g, "-")
        .split(/ {2,}|\s?[/|]\s?|\s*\n\s*/)
        .map((word) =>
          word
            .split(" ")
            .map((signs) => morse.get(signs) ?? "")
            .join(""),
        )
        .join(" "),
  },
]
