// Dates of birth: what says that a date is one, in many languages, and how far the date goes.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { matchesOfStep } from "./text-range.ts"

/** Beginnings of the names of months, in the order of the languages. */
const month = `(?:${[
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mrz|mai|okt|dez",
  "fév|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|maa|mei|maj",
  "sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru|led|úno|bře|dub|kvě|čer|srp|zář|říj|pro",
  "янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек|oca|şub|nis|haz|tem|ağu|eyl|eki|kas|ara",
].join("|")})\\p{L}{0,9}`
const day = "\\d{1,2}(?:st|nd|rd|th|er|[.ºª°])?"

/** A day with its month and its year: `12.04.1987`, `1987-04-12`, `12th of April, 1987`, `April 12, 1987`, `1987年4月12日`. */
export const dateForm = `(?<!\\d)(?:${[
  "\\d{4}[./-]\\d{1,2}[./-]\\d{1,2}",
  "\\d{1,2}(?:\\. ?\\d{1,2}\\. ?|[/-]\\d{1,2}[/-])(?:\\d{4}|\\d{2})",
  `${day}(?: of| de| di)? ${month}\\.?,?(?: de| del| of)? (?:\\d{4}|['’]?\\d{2})`,
  `${month}\\.? ${day},? \\d{4}`,
  "\\d{4}\\s?[年년]\\s?\\d{1,2}\\s?[月월]\\s?\\d{1,2}\\s?[日일]",
].join("|")})(?!\\d)`

/** What stands before the date, by language. */
const words = [
  "born|d\\.?o\\.?b\\.?|date of birth|birth[ _-]?(?:date|day)",
  "geb\\.?|geboren|geburtsdatum|geburtstag|geboortedatum|verjaardag|född|født|födelsedatum|fødselsdato|syntynyt|syntymäaika",
  "née?|né\\(e\\)|date de naissance|nacid[oa]|nací|nació|fecha de nac(?:imiento|\\.)|cumpleaños|nat[oa](?= (?:il|a) )|data di nascita|compleanno",
  "nascid[oa]|nasci|nasceu|data de nascimento|născută?|data nașterii|ur\\.|urodzon[ya]|urodził(?:em|am|a)? się|data urodzenia",
  "nar\\.|narozen[aý]?|datum narození|született|doğum tarihim?|родил(?:ся|ась)|дата рождения|γεννήθηκε|ημερομηνία γέννησης",
].join("|")
/** Written without spaces. */
const unspacedWords = "生年月日|出生(?:年月)?日期?|出生[于於]|生日|생년월일|생일"
const place = "(?:,? (?:in|at|à|a|en|em|te|zu|w|v) \\p{L}[\\p{L}'’-]{1,30})?"
const joint =
  "[^\\p{L}\\p{N}\\n]{0,8}(?:(?:is|was|ist|war|on|the|in|am|den|le|il|el|em|op|på|dnia|dne|la|pe|es|é|è|est)[ :]{1,2}){0,3}"
const before = `(?:(?<!\\p{L})(?:${words})${place}${joint}|(?:${unspacedWords})[^\\p{L}\\p{N}\\n]{0,3}[は是为為은는이]?[^\\p{L}\\p{N}\\n]{0,3})`

/** Whether a text ends in words behind which a date is one of birth. */
export const saysBirth = new RegExp(`${before}["']?$`, "iu")

const anyDate = new RegExp(dateForm, "giu")
/** Dates with the words behind them, or with a mark before them. */
const patterns: readonly RegExp[] = [
  // "wurde am 12.04.1987 in Kassel geboren", "1987年4月12日生まれ".
  new RegExp(
    `(${dateForm})(?=${place},? (?:geboren|geb\\.|urodzon[ya]|född|født|doğumlu)(?!\\p{L})|に?生まれ|出生|생|출생)`,
    "giu",
  ),
  // "Klara Hoffmann, *12.04.1987": behind a name alone, because items of lists have the same mark.
  /(?<=\p{Lu}[\p{L}'’-]{1,20},? \p{Lu}[\p{L}'’-]{1,24},? ?\(?)\* ?(\d{1,2}\.\d{1,2}\.\d{4})(?![*\d])/gu,
]
/** "born November 20, 1942" is how articles tell of public people: there the model decides, which knows these words well. */
const isBiography = /^born/i

/** What each date of somebody who may live has: found in a tenth of the time of the patterns, which read what is near it alone. */
const yearOrDate =
  /(?<!\d)(?:(?:19|20)\d\d(?!\d)|\d{1,2}(?:\. ?\d{1,2}\. ?|[/-]\d{1,2}[/-])\d\d|\d{1,2}(?:st|nd|rd|th|er|[.ºª°])?(?: of| de| di)? \p{L}{3,12}\.?,? ['’]?\d\d(?!\d))/gu
const [charactersBefore, charactersBehind] = [160, 120]

/** Parts of a text that may hold a date of birth, from a word on. */
function* partsOf(text: string): Generator<TextRange> {
  let part: { start: number; end: number } | undefined
  for (const { index } of text.matchAll(yearOrDate)) {
    if (part !== undefined && index - charactersBefore <= part.end) part.end = index + charactersBehind
    else {
      if (part !== undefined) yield part
      const from = Math.max(0, index - charactersBefore)
      const word = text.slice(from, index).search(/(?<![\p{L}\p{N}])/u)
      part = { start: from + Math.max(0, word), end: index + charactersBehind }
    }
  }
  if (part !== undefined) yield part
}

/** Dates that the words beside them say to be of birth, of somebody who may live. */
export function* findBirthDates(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let parts = 0
  for (const { start, end } of partsOf(text)) {
    if (++parts % matchesOfStep === 0) yield
    for (const date of datesOfBirth(text.slice(start, end)))
      ranges.push({ start: start + date.start, end: start + date.end })
  }
  return ranges
}

/** Words before a date are looked for from the date on: one pattern of both takes seconds to compile. */
function* datesOfBirth(text: string): Generator<TextRange> {
  for (const { 0: date, index } of text.matchAll(anyDate)) {
    const intro = saysBirth.exec(text.slice(Math.max(0, index - charactersBefore), index))?.[0]
    if (intro === undefined || (isBiography.test(intro) && /\p{L}/u.test(date))) continue
    if (mayLive(date)) yield { start: index, end: index + date.length }
  }
  for (const pattern of patterns)
    for (const { 1: date = "", 0: all, index } of text.matchAll(pattern)) {
      const start = index + all.length - date.length
      if (mayLive(date)) yield { start, end: start + date.length }
    }
}

const mayLive = (date: string): boolean => !isOfTheDead(date) && !isToCome(date)

/** Most that a date goes on to each side of its day. */
const reach = 32

/** The date of which a part is marked; the part itself where it belongs to none with a year. */
export function wholeDate(text: string, { start, end }: TextRange): TextRange {
  const from = Math.max(0, start - reach)
  for (const { 0: date, index } of text.slice(from, end + reach).matchAll(anyDate))
    if (from + index < end && start < from + index + date.length)
      return { start: from + index, end: from + index + date.length }
  return { start, end }
}

/** Nobody who lives is older. */
const mostYears = 115

const yearOf = (date: string): number | undefined => {
  const year = /(?<!\d)[12]\d{3}(?!\d)/.exec(date)?.[0]
  return year === undefined ? undefined : Number(year)
}

/** Whether a date is that of the birth of somebody long dead. */
export function isOfTheDead(date: string): boolean {
  const year = yearOf(date)
  return year !== undefined && new Date().getFullYear() - year > mostYears
}

/** A birthday that somebody plans. */
const isToCome = (date: string): boolean => (yearOf(date) ?? 0) > new Date().getFullYear()
