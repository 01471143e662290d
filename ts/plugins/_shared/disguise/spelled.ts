// Letters that are spelled: as places in the alphabet, in words of the radio alphabet, in Braille, in calls of a program. And texts that a
// program joins.

import { hasWordSigns, isEnglish, isPlausible } from "./letter-pairs.ts"
import { decoded, type Segment, segmentsOf } from "./segment.ts"

/** Ways to spell, each with its parts. */
export function unspell(text: string): readonly (readonly Segment[])[] {
  return [
    decoded(
      segmentsOf(text, calls, (found) => fromCodes(found.match(codeOfCall) ?? [])),
      hasWordSigns,
    ),
    decoded(
      segmentsOf(text, strings, (found) => Array.from(found.matchAll(string), ([, , said]) => said).join("")),
      isPlausible,
    ),
    decoded(
      segmentsOf(text, characters, (found) => found.replaceAll(character, "$2")),
      isPlausible,
    ),
    segmentsOf(text, places, fromPlaces).filter(({ plain }) => plain.length >= fewestLetters && isEnglish(plain)),
    segmentsOf(text, radio, fromRadio),
    segmentsOf(text, braille, fromBraille).filter(({ plain }) => isPlausible(plain)),
  ]
}

/** `chr(73)`, `ChrW(0x49)`, `[char]73`. */
const call = "\\b(?:ch(?:ar|r[wb]?)|(?:string\\.)?fromcharcode)[( \\]] ?(?:0x[\\da-f]{2}|\\d{2,3}) ?\\)?"
const calls = new RegExp(`${call}(?:\\s{0,3}[+.,&|]{0,2}\\s{0,3}\\[?${call}){7,}`, "gi")
const codeOfCall = /(?<=[( \]])(?:0x[\da-f]{2}|\d{2,3})/gi

const fromCodes = (codes: readonly string[]): string => String.fromCharCode(...codes.map(Number))

/** One or two joined strings are what programs have. */
const strings = /(["'`])[^"'`\n]{1,40}\1(?:\s{0,3}[+.&]\s{0,3}(["'`])[^"'`\n]{1,40}\2){3,}/g
const string = /(["'`])([^"'`\n]{1,40})\1/g

/** A list of characters. */
const characters = /(["'`])\\?[^\n]\1(?:[\s,;+.&|]{0,3}\1\\?[^\n]\1){7,}/g
const character = /(["'`])\\?([^\n])\1[\s,;+.&|]{0,3}/g

/** 9-7-14 is a word, and a blank ends it; 0 is a blank. Where no word has two numbers, the blanks are between letters. */
const places =
  /(?<![\w.,-])(?:[01]?\d|2[0-6])(?:[-.,_:](?:[01]?\d|2[0-6]))*(?:[\s/|]{1,3}(?:[01]?\d|2[0-6])(?:[-.,_:](?:[01]?\d|2[0-6]))*){3,}(?![\w-])/g
/** Dates, versions and scores are shorter. */
const fewestLetters = 12

function fromPlaces(found: string): string {
  const spelt = /[-.,_:]/.test(found) ? found : withWords(found)
  return spelt
    .split(/[\s/|]+/)
    .map((word) =>
      word
        .split(/[-.,_:]/)
        .map((place) => (Number(place) === 0 ? " " : String.fromCharCode(0x60 + Number(place))))
        .join(""),
    )
    .join(" ")
}

/** What is between most of the numbers is between letters. */
function withWords(found: string): string {
  const between = Map.groupBy(found.match(/[\s/|]+/g) ?? [], (each) => each)
  const [usual] = [...between].toSorted((one, other) => other[1].length - one[1].length)[0] ?? []
  return found.replaceAll(/[\s/|]+/g, (each) => (each === usual ? "-" : " "))
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
