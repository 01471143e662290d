// Telephone numbers: with an international prefix, in the groups in which a country writes its own, or where words say so.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import type { NumberingPlans } from "../numbering-plans.ts"
import { type Announcement, announcementOf } from "./phone-words.ts"
import { execFrom, isNumberOfFile, isNumberOfThing, matchesOfStep, textAfter, textBefore } from "./text-range.ts"

/** Seven digits and more with a few signs between them, with or without a plus. */
const candidate = /(?<!\w|\w[-/_]|\d[.,:]|[+#])(?:\(?\+ ?)?\(?\d(?:[ ()./-]{0,3}\d){6,16}(?!(?!x\d)\w)/g
const extension = /^,? ?(?:ext|x|extension|durchwahl|poste)\.? ?\d{1,5}(?!\w)/i

/** Most numbers of a text that are held against the plans, so that a text of numbers cannot keep the router busy. */
const maxChecks = 500

/** Where it is known without the plans what a number is, they are not asked. */
export function* findPhoneNumbers(text: string, plans: NumberingPlans): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  const check = limited(plans)
  let candidates = 0
  for (let from = 0, match = execFrom(candidate, text, from); match !== null; match = execFrom(candidate, text, from)) {
    if (++candidates % matchesOfStep === 0) yield
    const { 0: found, index: start } = match
    const number = longestNumber(text, { found, start, last: ranges.at(-1)?.end ?? 0 }, check)
    if (number === undefined) {
      // The next number may begin inside what was read.
      from = start + (/^\D*\d+/.exec(found)?.[0].length ?? 1)
      continue
    }
    const end = start + number.length
    const more = extension.exec(text.slice(end, end + 20))?.[0].length ?? 0
    ranges.push({ start, end: end + more })
    from = end + more
  }
  return ranges
}

/** Behind the limit an international number counts by its calling code and length, and any other by words only. */
function limited(plans: NumberingPlans): NumberingPlans {
  let left = maxChecks
  return {
    isInternational: (written) =>
      left-- > 0 ? plans.isInternational(written.replace(/^\(?00[ ./-]*/, "+")) : /^\(?\+/.test(written),
    isNational: (written) => left-- > 0 && plans.isNational(written),
  }
}

interface Candidate {
  readonly found: string
  readonly start: number
  /** Where the number before it ends. */
  readonly last: number
}

/** What was read may hold another number behind the first: the longest beginning that is one counts. */
function longestNumber(text: string, read: Candidate, plans: NumberingPlans): string | undefined {
  const { found, start } = read
  const announcement = announcementOf(text, start)
  const isNational = mayBeNational(text, read)
  if (announcement === undefined && !/^\(?\+/.test(found) && !isNational) return undefined
  for (let number = found; number !== ""; number = number.replace(/[ ()./-]*\d+$/, "")) {
    const end = start + number.length
    const behind = textAfter(text, end)
    if (!/^[.,/:-]\d/.test(behind)) {
      if (isAnnouncedNumber(number, announcement, behind) || isInternationalNumber(number, announcement, plans))
        return number
      if (isNational && isPlain(number)) {
        if (isDialledAbroad(number, text, start) && plans.isInternational(number)) return number
        if (isNationalNumber(number, plans)) return withRest(number, behind, plans)
      }
    }
    if (!/\D\d+$/.test(number)) return undefined
  }
  return undefined
}

/** Groups behind a zero, or in the American form, or with a word behind them: for the plans to decide. */
function mayBeNational(text: string, { found, start, last }: Candidate): boolean {
  const hasForm = /^[(0]|^\d{3}[-.]\d{3}[-.]\d{4}/.test(found) || isOffice.test(textAfter(text, start + found.length))
  if (!hasForm || isNumberOfThing(text, start) || isNumberOfFile(text, start)) return false
  const before = textBefore(text, start)
  if (callingCodeBefore.test(before) || list.test(before) || isPostcode(found, before)) return false
  return !/\d{2}[ -]$/.test(before) || last >= start - 1
}

const isOffice = /^ {0,2}\(?(?:office|mobile|fax|cell|phone|home)\b/i
/** "Boston, MA 02110-1301". */
const isPostcode = (found: string, before: string): boolean =>
  /^\d{5}-\d{4}$/.test(found) && /(?<![A-Z])[A-Z]{2},?[\s#*/]{1,8}$/.test(before)
const callingCodeBefore = /\+\d{1,3}[ ().-]{0,3}$/
/** What stands in a row of numbers. */
const list =
  /(?:^|[^\p{L}])(?:sizes?|größen?|tailles?|tallas?|lotto\p{L}*|loto|lottery(?: numbers)?|(?:lucky|winning) numbers|scores?)[ :=([]{1,4}$/iu

/** Whether it holds what some number may: no date, no list. */
function isPlain(written: string): boolean {
  const isOneDigit = /^\D*(\d)(?:\D*\1)*\D*$/.test(written)
  return !isOneDigit && !isDate(written) && !isCoordinate(written) && !isCounting(written)
}

const digitsOf = (written: string): string => written.replace("(0)", "").replace(/\D/g, "")

function isInternationalNumber(
  written: string,
  announcement: Announcement | undefined,
  plans: NumberingPlans,
): boolean {
  if (!/^\(?\+/.test(written) || !isPlain(written) || !isInternational(digitsOf(written))) return false
  return announcement !== undefined || plans.isInternational(written)
}

function isAnnouncedNumber(written: string, announcement: Announcement | undefined, behind: string): boolean {
  if (announcement === undefined || written.includes("+") || !isPlain(written) || !areParenthesesClosed(written))
    return false
  const digits = digitsOf(written)
  if (digits.startsWith("00")) return isInternational(digits.slice(2))
  if (digits.length < 7 || digits.length > 13) return false
  if (announcement === "surely") return true
  if (countsThings.test(behind) || areYears.test(written)) return false
  if (/\D/.test(written)) return true
  return !isOfMachine(digits) && (announcement === "likely" || digits.length >= 9)
}

/** Of what there may be a million. */
const countsThings =
  /^ (?:times|iterations|calls|requests|users|rows|items|records|steps|tokens|bytes|m?s|seconds|mal|fois|veces|eur|usd|dollars|euros?)(?!\p{L})|^ ?[%€$£]/iu

const areYears = /^(?:(?:19|20)\d{2}\D*)+$/

/** Days and the hours of days, seconds and milliseconds since 1970, round numbers and rows of digits. */
const isOfMachine = (digits: string): boolean =>
  /^(?:(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|1[4-9]\d{8}(?:\d{3})?$|\d+?0{5,}$|0?123456)/.test(digits)

function isNationalNumber(written: string, plans: NumberingPlans): boolean {
  const digits = digitsOf(written)
  return areParenthesesClosed(written) && digits.length >= 9 && /[ ()./-]/.test(written) && plans.isNational(written)
}

/** Two zeros in the place of the plus. Groups say that it is dialled, and so does a place of its own between words. */
function isDialledAbroad(written: string, text: string, start: number): boolean {
  const digits = digitsOf(written)
  const code = digits.startsWith("00") && isInternational(digits.slice(2)) && callingCode.exec(digits.slice(2))?.[0]
  const dialled = written.replace(/^\(?00[ ./-]*/, "")
  if (typeof code !== "string" || !dialled.startsWith(code) || !areParenthesesClosed(written)) return false
  const rest = dialled.slice(code.length)
  if (/^[ ()./-]/.test(rest)) return !hasEqualGroups(written)
  // Numbers of North America have ten digits, as have many others with zeros before them.
  if (code === "1" || digits.length < 12) return false
  const end = start + written.length
  return /^\d+$/.test(rest)
    ? /(?:^|[\s(])$/.test(textBefore(text, start)) && /^(?:$|[\s),;]|[.!?:](?:\s|$))/.test(textAfter(text, end))
    : /^\d{1,4}[ /-]\d{5,9}$/.test(rest)
}

/** Bytes and codes stand in such groups. */
function hasEqualGroups(written: string): boolean {
  const groups = written.match(/\d+/g) ?? []
  return groups.length > 2 && groups.every(({ length }) => length === groups[0]?.length)
}

/**
 * A national number with what stands behind it. Germany and Austria write numbers in groups of any size and length, so pairs
 * may go on. Another group of three and more that begins no number says that all of them are a list.
 */
function withRest(number: string, behind: string, plans: NumberingPlans): string | undefined {
  const pair = /^([ ./-])\d{2}(?!\d)/.exec(behind)
  if (pair !== null && /^\d{3}/.test(number) && /(\D)\d{2}$/.exec(number)?.[1] === pair[1]) {
    const whole = number + pair[0]
    const digits = digitsOf(whole).slice(1)
    if (plans.isInternational(`+49${digits}`) || plans.isInternational(`+43${digits}`)) return whole
  }
  if (!/^[ -]\d{3}/.test(behind)) return number
  const next = /^[ -](\(?0\d[\d ()/-]{6,14}\d)(?![\d-])/.exec(behind)?.[1]
  return next !== undefined && plans.isNational(next) ? number : undefined
}

/** Country calling codes (ITU-T E.164): what has none needs no plan to be refused. */
const callingCode =
  /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[1-368]|2[2-6]\d|29[017-9]|35\d|37\d|38[0-35-79]|42[013]|50\d|59\d|67[02-9]|68[0-35-9]|69[0-2]|80[08]|85[02356]|88[0-368]|96[0-8]|97[0-79]|99[2-68])/

function isInternational(digits: string): boolean {
  const code = callingCode.exec(digits)?.[0]
  if (code === undefined || digits.length < 8 || digits.length > 15) return false
  const national = digits.slice(code.length)
  if (/^(\d)\1*$/.test(national)) return false
  if (code === "1") return /^[2-9]\d{2}[2-9]\d{6}$/.test(national)
  return code !== "7" || national.length === 10
}

const isDate = (written: string): boolean =>
  /^(?:\+?\d{4}([-/. ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-/. ])(?:0?[1-9]|[12]\d|3[01])\2\d{4})(?![-/. ]?\d)/.test(
    written,
  )

/** Degrees as ISO 6709 writes them: `+40.6892-074.0445`, or the first half of a pair. */
const isCoordinate = (written: string): boolean => /^\+\d{1,3}\.\d{4,6}(?:-\d{1,3}\.\d+)?\/?$/.test(written)

/** `01 02 03 04 05` is a list. */
function isCounting(written: string): boolean {
  const groups = (written.match(/\d+/g) ?? []).map(Number)
  return groups.length > 3 && groups.every((group, index) => index === 0 || group === (groups[index - 1] ?? 0) + 1)
}

const areParenthesesClosed = (written: string): boolean =>
  written.split("(").length === written.split(")").length && written.indexOf("(") <= written.indexOf(")")
