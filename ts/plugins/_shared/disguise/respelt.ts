// Words with other signs in the place of letters, and words whose letters stand apart.

import { bitsOf, isPlausible, letterOf } from "./letter-pairs.ts"
import { decoded, type Segment, segmentsOf } from "./segment.ts"

const likeLetters: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "il",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "l",
  "+": "t",
}

/** With the likeliest letter for each digit that stands for one. */
export const withLetters = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => likeLetters[digit]?.charAt(0) ?? digit)

const word = /[A-Za-z0-9@$!|+]+/g
const isMixed = /[a-z].*[013-57-9@$!|+]|[013-57-9@$!|+].*[a-z]/i
/**
 * In the middle, or before letters. A number there is often an order or a measure (1st, 3D, 5k), a sign marks a name (@notice),
 * and digits at the end are a version (utf8): those come with surer ones only.
 */
const isSure = /[a-z][013-57-9@$!+]+[a-z]|^[013-57-9]+[a-z]{3}|^[013-57][a-z][013-57]$/i
const isNumber = /^[013-57]{1,3}$/
const isAddress = /@[a-z]+$/i
/** One such word is a name. */
const fewestWords = 2

interface Word extends Segment {
  readonly isSure: boolean
  readonly isNumber: boolean
}

/** Leetspeak: a text with some such words. Numbers beside one are words, too. */
export function unleet(text: string): readonly Segment[] {
  const words = Array.from(text.matchAll(word), ({ 0: found, index: start }): Word | undefined => {
    if (found.length > longestWord) return undefined
    const given = found.replace(/(?<=[a-z])[!|+]+$/i, "")
    const end = start + given.length
    const isMaybe = isMixed.test(given) && !(isAddress.test(given) && text[end] === ".")
    if (!isMaybe && !isNumber.test(given)) return undefined
    const plain = lettersFor(given)
    return plain === undefined
      ? undefined
      : { start, end, plain, isSure: isMaybe && isSure.test(given), isNumber: !isMaybe }
  })
  if (words.filter((each) => each?.isSure).length < fewestWords) return []
  return words.filter(
    (each, index) =>
      each !== undefined && (!each.isNumber || words[index - 1]?.isSure === true || words[index + 1]?.isSure === true),
  ) as readonly Word[]
}

const longestWord = 24
/** Words are short, and some of them odd. */
const mostBits = 5

/** Undefined where what comes out reads like no word. */
function lettersFor(given: string): string | undefined {
  let [plain, before, said] = ["", 0, 0]
  for (const [index, sign] of Array.from(given).entries()) {
    const choices = likeLetters[sign] ?? sign
    const next = letterOf[(likeLetters[given[index + 1] ?? " "] ?? given[index + 1] ?? " ").charCodeAt(0)] ?? 0
    let best = { letter: "", value: 0, bits: Infinity, here: 0 }
    for (const letter of choices) {
      const value = letterOf[letter.charCodeAt(0)] ?? 0
      const here = bitsOf(before, value)
      const bits = here + bitsOf(value, next)
      if (bits < best.bits) best = { letter, value, bits, here }
    }
    plain += best.letter
    said += best.here
    before = best.value
  }
  return said + bitsOf(before, 0) <= mostBits * (given.length + 1) ? plain : undefined
}

/** Any signs, such as those around characters of programs; `@` and `$` may be letters, too. */
const anyLetter = "A-Za-z0-9\\u00c0-\\u1fff\\u2c00-\\ud7ff\\uf900-\\uffff"
const gap = `(?:[^${anyLetter}@$]{1,9}|[@$][\\s@$]{0,5})`
const apart = new RegExp(`(?<![${anyLetter}])[A-Za-z0-9@$](?:${gap}[A-Za-z0-9@$](?![${anyLetter}])){4,}`, "g")
const letterAndGap = new RegExp(`([A-Za-z0-9@$])(${gap})?`, "g")
const isOfLists = /^[\s._\-*|/~,+]{1,6}$/
/** Other signs have to be the same in most places, and between more letters. */
const shareOfUsual = 0.6
const fewestOfOthers = 8

/** Letters with the same between all of them; where there is more, or something else, a word ends. */
export function joinLetters(text: string): readonly Segment[] {
  return decoded(segmentsOf(text, apart, joined), isPlausible)
}

/** Nothing where what is between them looks like no disguise, or where they are characters of a program. */
function joined(found: string): string {
  const letters = Array.from(found.matchAll(letterAndGap), ([, letter = "", between = ""]) => ({ letter, between }))
  const counts = new Map<string, number>()
  for (const { between } of letters.slice(0, -1)) counts.set(between, (counts.get(between) ?? 0) + 1)
  const [usual = "", count = 0] =
    [...counts].toSorted((one, other) => other[1] - one[1] || one[0].length - other[0].length)[0] ?? []
  if (/["'`].*["'`]/.test(usual)) return ""
  const isList = [...counts.keys()].every((between) => isOfLists.test(between))
  if (!isList && (letters.length < fewestOfOthers || count < shareOfUsual * (letters.length - 1))) return ""
  const after = (between: string): string =>
    between === usual || between === "" ? "" : isOfLists.test(between) ? " " : `${signsOf(between, usual)} `
  return letters
    .map(({ letter, between }) => letter + after(between))
    .join("")
    .trimEnd()
}

/** Marks of sentences. */
const signsOf = (between: string, usual: string): string =>
  Array.from(between)
    .filter((sign) => sign.trim() !== "" && !usual.includes(sign))
    .join("")
