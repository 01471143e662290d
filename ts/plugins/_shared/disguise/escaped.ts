// Letters that are written as escapes: of URLs, HTML, quoted-printable mail and strings of programs.

import { type Segment, segmentsOf } from "./segment.ts"

const escape =
  /(?:%[\da-f]{2})+|(?:=[\da-f]{2})+|&#(?:\d{2,6}|x[\da-f]{2,5});|(?:\\x[\da-f]{2})+|(?:\\[0-7]{2,3})+|\\u\{?[\da-f]{4,5}\}?/gi

/** Addresses have escapes of signs and blanks; a disguise has some of letters. */
const fewestLetters = 4

export function unescapeLetters(text: string): readonly Segment[] {
  const segments = segmentsOf(text, escape, plainOf)
  const letters = segments.reduce((sum, { plain }) => sum + (plain.match(/\p{L}/gu)?.length ?? 0), 0)
  return letters >= fewestLetters ? segments : []
}

function plainOf(found: string): string {
  if (found.startsWith("&#")) return character(found.slice(2, -1).replace(/^x/i, "0x"))
  if (/^\\u/i.test(found)) return character(`0x${found.replaceAll(/[\\u{}]/gi, "")}`)
  const isOctal = /^\\\d/.test(found)
  const bytes = found.match(isOctal ? /\d+/g : /[\da-f]{2}/gi) ?? []
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, isOctal ? 8 : 16)))
}

function character(number: string): string {
  const code = Number(number)
  return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : ""
}
