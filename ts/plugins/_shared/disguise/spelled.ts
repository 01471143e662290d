// Letters that are spelled: by their places in the alphabet, in words of the radio alphabet, by calls of a program; and texts that
// a program joins.

import { hasWordSigns, isEnglish, isPlausible } from "./letter-pairs.ts"
import type { Segment } from "./segment.ts"

export function unspell(text: string): readonly (readonly Segment[])[] {
  return [
    segmentsOf(text, calls, (found) => fromCodes(found.match(/\d+/g) ?? [])).filter(({ plain }) => hasWordSigns(plain)),
    segmentsOf(text, strings, (found) => Array.from(found.matchAll(string), ([, , said]) => said).join("")).filter(
      ({ plain }) => isPlausible(plain),
    ),
    segmentsOf(text, places, fromPlaces).filter(({ plain }) => plain.length >= fewestLetters && isEnglish(plain)),
    segmentsOf(text, radio, fromRadio),
  ]
}

const segmentsOf = (text: string, form: RegExp, toPlain: (found: string) => string): readonly Segment[] =>
  Array.from(text.matchAll(form), ({ 0: found, index: start }) => ({
    start,
    end: start + found.length,
    plain: toPlain(found),
  }))

const calls =
  /\b(?:chr|char|(?:string\.)?fromcharcode)\( ?\d{2,3} ?\)(?:\s{0,3}[+.,&|]{0,2}\s{0,3}\b(?:chr|char|(?:string\.)?fromcharcode)\( ?\d{2,3} ?\)){7,}/gi

const fromCodes = (codes: readonly string[]): string => String.fromCharCode(...codes.map(Number))

/** One or two joined strings are what programs have. */
const strings = /(["'`])[^"'`\n]{1,40}\1(?:\s{0,3}[+.&]\s{0,3}(["'`])[^"'`\n]{1,40}\2){3,}/g
const string = /(["'`])([^"'`\n]{1,40})\1/g

/** 9-7-14 is a word, a blank ends it. Where all are one number, blanks are between letters. */
const places =
  /(?<![\w.,-])(?:1?\d|2[0-6])(?:[-.](?:1?\d|2[0-6]))*(?:[ /|]{1,3}(?:1?\d|2[0-6])(?:[-.](?:1?\d|2[0-6]))*){3,}(?![\w-])/g
/** Dates, versions and scores are shorter. */
const fewestLetters = 12

function fromPlaces(found: string): string {
  const words = found.split(/[ /|]+/).map((word) => word.split(/[-.]/))
  const between = words.every((word) => word.length === 1) ? "" : " "
  return words
    .map((word) => word.map((place) => (place === "0" ? " " : String.fromCharCode(0x60 + Number(place)))).join(""))
    .join(between)
}

const radioWords =
  "al(?:f|ph)a bravo charlie delta echo foxtrot golf hotel india juliett? kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whisk[e]?y x-?ray yankee zulu".replaceAll(
    " ",
    "|",
  )
const radioWord = new RegExp(`\\b(?:${radioWords})\\b`, "gi")
const radio = new RegExp(`\\b(?:${radioWords})\\b(?:[\\s,./|-]{1,5}(?:${radioWords})\\b){5,}`, "gi")

/** Letters that stand apart; what more there is between two of them stays, so that words end. */
const fromRadio = (found: string): string => found.replaceAll(radioWord, (word) => word.charAt(0))
