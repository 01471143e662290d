// Telephone numbers: with an international prefix, in the groups in which a country writes its own, or where words say so.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import type { NumberingPlans } from "../numbering-plans.ts"
import { execFrom, isNumberOfThing, matchesOfStep, textAfter, textBefore } from "./text-range.ts"

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
    const number = longestNumber(text, found, start, check)
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

/** Behind the limit an international number counts by its calling code and length, and a national one by words only. */
function limited(plans: NumberingPlans): NumberingPlans {
  let left = maxChecks
  return {
    isInternational: (written) => left-- <= 0 || plans.isInternational(written),
    isNational: (written) => left-- > 0 && plans.isNational(written),
  }
}

/** What was read may hold another number behind the first: the longest beginning that is one counts. */
function longestNumber(text: string, found: string, start: number, plans: NumberingPlans): string | undefined {
  const isAnnounced = hasPhoneWord(text, start)
  if (!isAnnounced && !/^\(?\+/.test(found) && !mayBeNational(text, found, start)) return undefined
  for (let number = found; number !== ""; number = number.replace(/[ ()./-]*\d+$/, "")) {
    if (
      isPhoneNumber(number, isAnnounced, plans) &&
      !/^[.,/:-]\d/.test(text.slice(start + number.length, start + number.length + 2))
    )
      return number
    if (!/\D\d+$/.test(number)) return undefined
  }
  return undefined
}

/** Groups behind a zero, or in the American form, or with a word behind them: for the plans to decide. */
function mayBeNational(text: string, found: string, start: number): boolean {
  const hasForm = /^[(0]|^\d{3}[-.]\d{3}[-.]\d{4}/.test(found) || isOffice.test(textAfter(text, start + found.length))
  return hasForm && !isNumberOfThing(text, start) && !callingCodeBefore.test(textBefore(text, start))
}

const isOffice = /^ {0,2}\(?(?:office|mobile|fax|cell|phone|home)\b/i
const callingCodeBefore = /\+\d{1,3}[ ().-]{0,3}$/

function isPhoneNumber(written: string, isAnnounced: boolean, plans: NumberingPlans): boolean {
  const digits = written.replace("(0)", "").replace(/\D/g, "")
  if (/^(\d)\1*$/.test(digits) || isDate(written) || isCoordinate(written) || isCounting(written)) return false
  if (/^\(?\+/.test(written)) return isInternational(digits) && (isAnnounced || plans.isInternational(written))
  if (!areParenthesesClosed(written)) return false
  if (isAnnounced)
    return digits.startsWith("00") ? isInternational(digits.slice(2)) : digits.length >= 7 && digits.length <= 13
  return digits.length >= 9 && /[ ()./-]/.test(written) && plans.isNational(written)
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

const noun =
  /(?:(?:^|[^\p{L}])(?:(?:tele|cell|i|smart|(?:emergency|home|work|mobile|office|contact|cell)[ _-]?)?phone|contact (?:number|no)|(?:my|his|her|their) number|tel(?! aviv)|desk|landline|telefoon(?:nummer)?|telefon(?:e|o|nummer|szám|u)?|teléfono|téléphone|mobile?|móvil|celular|cell|fax|whatsapp|handy(?:nummer)?|rückruf|sms|hotline|cep|numéro|тел|телефон[ау]?)(?![\p{L}])|电话|電話|手机|手機|携帯|전화|휴대폰|फ़ोन|फोन|मोबाइल)(?:[^\d\n$€£¥]{0,24}|[:：]?[ \t]*\n[ \t]*)$/iu
const verb =
  /(?:^|[^\p{L}])(?:(?:call|text|ring|dial|reach|phone)(?:ed|ing)? (?:(?:me|him|her|us|them|home|back)[^\d\n\t;|$€£¥]{0,24}|[\p{L} .'-]{1,24} (?:on|at) )|(?:call|dial)\s*:?\s*|(?:answer|reach|contact|availab)\p{L}{0,4}[^\d\n\t;|$€£¥]{0,24} (?:at|on|under) |registered (?:number |phone |mobile )?)$/iu
/** Letterheads write `T 030 901820` on a line of its own. */
const letterhead = /(?:^|\n)[TMF][.:]? $/i

/** Whether the words in front of a number say that it is one to call. */
function hasPhoneWord(text: string, start: number): boolean {
  // Most numbers have none before them, and this says so faster than the patterns.
  const last = text
    .slice(Math.max(0, start - 24), start)
    .match(/[\p{L}\d]/gu)
    ?.at(-1)
  if (last === undefined || /\d/.test(last)) return false
  const before = textBefore(text, start)
  return (noun.test(before) || verb.test(before) || letterhead.test(before)) && !isNumberOfThing(text, start)
}
