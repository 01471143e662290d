// One look at every character of a text, which says what disguises it may have: for nearly every text none.

import type { Work } from "../../../kernel/index.ts"
import { endSearch, type Range, searchOn, startSearch } from "./gains.ts"
import { letterOf } from "./letter-pairs.ts"

export interface Survey {
  /** Parts that are likelier to be words with other letters, and backwards. */
  readonly cipher: readonly Range[]
  readonly backwards: readonly Range[]
  /** Parts whose letters are unlike those of words. */
  readonly unlike: readonly Range[]
  /** Runs of letters, digits and what base64 has beside them, longer than most words are. */
  readonly runs: readonly Range[]
  /** Letters that stand alone in a row, the most. */
  readonly spelt: number
  /** Words with letters and digits, or signs that look like letters. */
  readonly mixed: number
  /** Signs that begin an escape. */
  readonly escapes: number
  /** Words of two hexadecimal digits, two or three decimal ones, eight binary ones, or of dots and dashes in a row, the most. */
  readonly numbers: number
  /** Characters beyond Latin. */
  readonly foreign: number
}

const [isOne, isHex, isLetter, isLike, isDot, isOfRun, isEscape, isDigit] = [1, 2, 4, 8, 16, 32, 64, 128]

const traits = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return (
    (/[01]/.test(sign) ? isOne : 0) +
    (/[\da-fA-F]/.test(sign) ? isHex : 0) +
    (/[a-zA-Z]/.test(sign) ? isLetter : 0) +
    (/[\d@$!|+]/.test(sign) ? isLike : 0) +
    (/[.-]/.test(sign) ? isDot : 0) +
    (/[\w+/-]/.test(sign) ? isOfRun : 0) +
    (/[%&=\\]/.test(sign) ? isEscape : 0) +
    (/\d/.test(sign) ? isDigit : 0)
  )
})

const fewestRun = 16
const charactersOfStep = 4096

/** What is counted so far. */
interface Counts {
  runStart: number
  wordStart: number
  has: number
  hasAll: number
  before: number
  spelt: number
  mostSpelt: number
  numbers: number
  mostNumbers: number
  mixed: number
  escapes: number
  foreign: number
}

export function* surveying(text: string): Work<Survey> {
  const runs: Range[] = []
  const counts: Counts = {
    runStart: 0,
    wordStart: 0,
    has: 0,
    hasAll: 255,
    before: 0,
    spelt: 0,
    mostSpelt: 0,
    numbers: 0,
    mostNumbers: 0,
    mixed: 0,
    escapes: 0,
    foreign: 0,
  }
  const [cipher, backwards, unlike] = [startSearch("cipher"), startSearch("backwards"), startSearch("unlike")]
  const letters = new Uint8Array(Math.min(text.length, charactersOfStep))
  for (let offset = 0; offset < text.length; offset += charactersOfStep) {
    if (offset > 0) yield
    const count = Math.min(charactersOfStep, text.length - offset)
    countOn(counts, text, { offset, count, letters, runs })
    searchOn(cipher, letters, count, offset)
    searchOn(backwards, letters, count, offset)
    searchOn(unlike, letters, count, offset)
  }
  endWord(counts, text.length)
  if (text.length - counts.runStart >= fewestRun) runs.push({ start: counts.runStart, end: text.length })
  const { mostSpelt: spelt, mostNumbers: numbers, mixed, escapes, foreign } = counts
  const parts = { cipher: endSearch(cipher), backwards: endSearch(backwards), unlike: endSearch(unlike) }
  return { ...parts, runs, spelt, mixed, escapes, numbers, foreign }
}

interface Step {
  readonly offset: number
  readonly count: number
  readonly letters: Uint8Array
  readonly runs: Range[]
}

function countOn(counts: Counts, text: string, { offset, count, letters, runs }: Step): void {
  let { runStart, has, hasAll, escapes, foreign, before, spelt, mostSpelt } = counts
  for (let index = 0; index < count; index++) {
    const code = text.charCodeAt(offset + index)
    const trait = code < 128 ? (traits[code] as number) : isDotOrDash(code) ? isDot : 0
    const letter = code < 128 ? (letterOf[code] as number) : 0
    letters[index] = letter
    if (letter !== 0) {
      spelt = before === 0 ? spelt + 1 : 0
      if (spelt > mostSpelt) mostSpelt = spelt
    }
    before = letter
    if ((trait & isOfRun) === 0) {
      if (offset + index - runStart >= fewestRun) runs.push({ start: runStart, end: offset + index })
      runStart = offset + index + 1
    }
    if (code > 0x20 && !endsNumber(code)) {
      has |= trait
      hasAll &= trait
      if ((trait & isEscape) !== 0) escapes += 1
      else if (code >= 0x0250) foreign += 1
    } else {
      counts.has = has
      counts.hasAll = hasAll
      endWord(counts, offset + index)
      has = 0
      hasAll = 255
    }
  }
  Object.assign(counts, { runStart, has, hasAll, escapes, foreign, before, spelt, mostSpelt })
}

/** Middle dots, bullets, dashes and the minus. */
const isDotOrDash = (code: number): boolean =>
  code === 0xb7 || (code >= 0x2010 && code <= 0x2027) || code === 0x2212 || code === 0x22c5 || code === 0x25cf

/** Numbers in a list stand between commas, semicolons and brackets. */
const endsNumber = (code: number): boolean => code === 0x2c || code === 0x3b || code === 0x5b || code === 0x5d

function endWord(counts: Counts, at: number): void {
  const { has, hasAll } = counts
  const length = at - counts.wordStart
  counts.wordStart = at + 1
  if (length === 0) return
  const isNumber =
    (length === 2 && (hasAll & isHex) !== 0) ||
    ((length === 2 || length === 3) && (hasAll & isDigit) !== 0) ||
    (length === 8 && (hasAll & isOne) !== 0) ||
    (length <= 6 && (hasAll & isDot) !== 0)
  if (isNumber) counts.mostNumbers = Math.max(counts.mostNumbers, ++counts.numbers)
  else if (length > 1) counts.numbers = 0
  if ((has & isLetter) !== 0 && (has & isLike) !== 0) counts.mixed += 1
}
