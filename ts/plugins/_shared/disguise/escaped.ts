// Letters that are written as escapes: of URLs, HTML, quoted-printable mail and strings of programs.

import { isPlausible } from "./letter-pairs.ts"
import { type Segment, segmentsOf } from "./segment.ts"

/** What was encoded twice has `%25` for `%`, `&amp;` for `&`, two backslashes for one. */
const forms = [
  "(?:%(?:25){0,3}[\\da-fA-F]{2})+",
  "(?:=(?:3[Dd]){0,3}[\\da-fA-F]{2})+",
  "(?:&(?:amp;){0,3}#(?:[xX]0{0,12}[\\da-fA-F]{2,6}|0{0,12}\\d{2,7});?)+",
  "(?:\\\\{1,4}x(?:[\\da-fA-F]{2}|\\{0{0,6}[\\da-fA-F]{2,6}\\}))+",
  "(?:\\\\{1,4}(?:u(?:1[dDfF][\\da-fA-F]{3}|[\\da-fA-F]{4}|\\{0{0,6}[\\da-fA-F]{2,6}\\})|U00[\\da-fA-F]{6}))+",
  "(?:\\\\{1,4}N\\{(?:LATIN (?:CAPITAL|SMALL) LETTER [A-Z]|SPACE)\\})+",
  // Of CSS, and decimal ones.
  "(?:\\\\{1,4}[\\da-fA-F]{2,6}(?![\\da-fA-F]) ?){5,}",
  "(?:\\\\{1,4}[0-7]{2,3})+",
]
const escape = new RegExp(forms.join("|"), "g")
/** A search for how they begin is much faster. */
const mayBeEscape = /[%=][\da-fA-F]{2}|&#[\dxX]|&amp;#|&amp;a|\\[\da-fA-FxuUN][\da-fA-F{]/

/** Addresses have escapes of signs and blanks; a disguise has some of letters. */
const fewestLetters = 4
const deepest = 2

export const unescapeLetters = (text: string): readonly Segment[] => (mayBeEscape.test(text) ? unescaped(text, 1) : [])

function unescaped(text: string, depth: number): readonly Segment[] {
  const segments = segmentsOf(text, escape, plainOf)
  const plain = segments.map((each) => each.plain).join("")
  if (segments.reduce((sum, each) => sum + lettersIn(each.plain), 0) >= fewestLetters) return segments
  // Signs that begin another escape.
  if (depth === deepest || (plain.match(/[%&=\\]/g)?.length ?? 0) < fewestLetters) return []
  return unescaped(changed(text, segments), depth + 1).length > 0 ? segments : []
}

/** With the digits, dots and dashes of codes: nobody has to escape those in a row. */
const lettersIn = (text: string): number =>
  text.match(text.length >= fewestLetters ? /[\p{L}\p{N}.-]/gu : /\p{L}/gu)?.length ?? 0

function changed(text: string, segments: readonly Segment[]): string {
  let [plain, at] = ["", 0]
  for (const segment of segments) {
    plain += text.slice(at, segment.start) + segment.plain
    at = segment.end
  }
  return plain + text.slice(at)
}

function plainOf(found: string): string {
  const sign = found.charAt(0)
  if (sign === "&") return characters(found.match(/(?<=#)\w+/g) ?? [], (each) => each.replace(/^x/i, "0x"))
  if (sign === "%" || sign === "=") return fromBytes(found.match(/[\da-f]{2}(?![\da-f])/gi) ?? [], 16)
  const kind = /^\\+([xuUN]?)/.exec(found)?.[1]
  if (kind === "N") return found.replaceAll(/\\+N\{(?:LATIN (\w+) LETTER (\w)|SPACE)\}/g, fromName)
  const codes = found.match(/[\da-f]+/gi) ?? []
  if (kind === "" && !found.includes(" ")) return fromCodes(codes)
  if (kind === "x" && !found.includes("{")) return fromBytes(found.match(/[\da-f]{2}/gi) ?? [], 16)
  return characters(codes, (each) => `0x${each}`)
}

const fromName = (_: string, size = "", letter = " "): string => (size === "SMALL" ? letter.toLowerCase() : letter)

/** Octal, decimal or hexadecimal: no sign tells which. */
function fromCodes(codes: readonly string[]): string {
  const readings = [
    codes.every((code) => /^[0-7]{2,3}$/.test(code)) ? fromBytes(codes, 8) : undefined,
    codes.every((code) => /^\d{2,3}$/.test(code)) ? fromBytes(codes, 10) : undefined,
    characters(codes, (code) => `0x${code}`),
  ].filter((each) => each !== undefined)
  return readings.find(isPlausible) ?? readings[0] ?? ""
}

const fromBytes = (bytes: readonly string[], radix: number): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, radix)))

/** Halves of a character stand beside each other. */
const characters = (codes: readonly string[], toNumber: (code: string) => string): string =>
  codes
    .map((code) => character(Number(toNumber(code))))
    .join("")
    .toWellFormed()

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "")
