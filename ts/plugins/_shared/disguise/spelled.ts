// Letters that are spelled: as places in the alphabet, in words of the radio alphabet, in Braille, in calls of a program. And texts that a
// program joins.

import { hasWordSigns, isEnglish, isPlausible } from "./letter-pairs.ts"
import { type Segment, segmentsOf } from "./segment.ts"

/** Five ways to spell, each with its parts. */
export function unspell(text: string): readonly (readonly Segment[])[] {
  return [
    segmentsOf(text, calls, (found) => fromCodes(found.match(/\d+/g) ?? [])).filter(({ plain }) => hasWordSigns(plain)),
    segmentsOf(text, strings, (found) => Array.from(found.matchAll(string), ([, , said]) => said).join("")).filter(
      ({ plain }) => isPlausible(plain),
    ),
    segmentsOf(text, places, fromPlaces).filter(({ plain }) => plain.length >= fewestLetters && isEnglish(plain)),
    segmentsOf(text, radio, fromRadio),
    segmentsOf(text, braille, fromBraille).filter(({ plain }) => isPlausible(plain)),
  ]
}

const calls =
  /\b(?:chr|char|(?:string\.)?fromcharcode)\( ?\d{2,3} ?\)(?:\s{0,3}[+.,&|]{0,2}\s{0,3}\b(?:chr|char|(?:string\.)?fromcharcode)\( ?\d{2,3} ?\)){7,}/gi

const fromCodes = (codes: readonly string[]): string => String.fromCharCode(...codes.map(Number))

/** One or two joined strings are what programs have. */
const strings = /(["'`])[^"'`\n]{1,40}\1(?:\s{0,3}[+.&]\s{0,3}(["'`])[^"'`\n]{1,40}\2){3,}/g
const string = /(["'`])([^"'`\n]{1,40})\1/g

/** 9-7-14 is a word, and a blank ends it; 0 is a blank. Where no word has two numbers, the blanks are between letters. */
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

const radioWord =
  "al(?:f|ph)a bravo charlie delta echo foxtrot golf hotel india juliett? kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiske?y x-?ray yankee zulu".replaceAll(
    " ",
    "|",
  )
const radio = new RegExp(`\\b(?:${radioWord})(?:[\\s,./|-]{1,5}(?:${radioWord})\\b){5,}`, "gi")
const inRadio = new RegExp(`\\b(?:${radioWord})\\b`, "gi")

/** Letters that stand apart, with what is between them: it tells where words end. */
const fromRadio = (found: string): string => found.replaceAll(inRadio, (word) => word.charAt(0))

const braille = /[\u2801-\u283f][\u2801-\u283f ]{5,}/g
const brailleLetters: ReadonlyMap<string, string> = new Map(
  Array.from("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", (sign, place) => [sign, String.fromCharCode(0x61 + place)]),
)
const fromBraille = (found: string): string => Array.from(found, (sign) => brailleLetters.get(sign) ?? sign).join("")
