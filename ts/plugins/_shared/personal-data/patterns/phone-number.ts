// Telephone numbers: with an international prefix, in the American form with parentheses, or where words say so.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { execFrom, isNumberOfThing, matchesOfStep, textBefore } from "./text-range.ts"

/** Seven digits and more with a few signs between them, with or without a plus. */
const candidate = /(?<!\w|\w[-/_]|\d[.,:]|[+#])(?:\(?\+ ?)?\(?\d(?:[ ()./-]{0,3}\d){6,16}(?!\w)/g
const extension = /^,? ?(?:ext|x|extension|durchwahl|poste)\.? ?\d{1,5}(?!\w)/i

export function* findPhoneNumbers(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let candidates = 0
  for (let from = 0, match = execFrom(candidate, text, from); match !== null; match = execFrom(candidate, text, from)) {
    if (++candidates % matchesOfStep === 0) yield
    const { 0: found, index: start } = match
    const number = longestNumber(text, found, start)
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

/** What was read may hold another number behind the first: the longest beginning that is one counts. */
function longestNumber(text: string, found: string, start: number): string | undefined {
  const isAnnounced = hasPhoneWord(text, start)
  if (!isAnnounced && !/^[+(]/.test(found)) return undefined
  for (let number = found; number !== ""; number = number.replace(/[ ()./-]*\d+$/, "")) {
    if (
      isPhoneNumber(number, isAnnounced) &&
      !/^[.,/:-]\d/.test(text.slice(start + number.length, start + number.length + 2))
    )
      return number
    if (!/\D\d+$/.test(number)) return undefined
  }
  return undefined
}

function isPhoneNumber(written: string, isAnnounced: boolean): boolean {
  const digits = written.replace("(0)", "").replace(/\D/g, "")
  if (/^(\d)\1*$/.test(digits) || isDate(written) || isCoordinate(written)) return false
  if (/^\(?\+/.test(written)) return isInternational(digits)
  if (/^\([2-9]\d{2}\)[ -]?[2-9]\d{2}[-. ]\d{4}$/.test(written)) return true
  if (!isAnnounced || !areParenthesesClosed(written)) return false
  return digits.startsWith("00") ? isInternational(digits.slice(2)) : digits.length >= 7 && digits.length <= 13
}

/** Country calling codes (ITU-T E.164). */
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
  /^(?:\+?\d{4}([-/. ])\d{1,2}\1\d{1,2}|\d{1,2}([-/. ])\d{1,2}\2\d{4})(?![-/.]?\d)/.test(written)

/** Degrees as ISO 6709 writes them: `+40.6892-074.0445`, or the first half of a pair. */
const isCoordinate = (written: string): boolean => /^\+\d{1,3}\.\d{4,6}(?:-\d{1,3}\.\d+)?\/?$/.test(written)

const areParenthesesClosed = (written: string): boolean =>
  written.split("(").length === written.split(")").length && written.indexOf("(") <= written.indexOf(")")

const noun =
  /(?:(?:^|[^\p{L}])(?:(?:tele|cell|i|smart)?phone|contact (?:number|no)|(?:my|his|her|their) number|tel(?! aviv)|telefoon(?:nummer)?|telefon(?:e|o|nummer|szám|u)?|teléfono|téléphone|mobile?|móvil|celular|cell|fax|whatsapp|handy(?:nummer)?|rückruf|sms|hotline|cep|numéro|тел|телефон[ау]?)(?![\p{L}])|电话|電話|手机|手機|携帯|전화|휴대폰|फ़ोन|फोन|मोबाइल)[^\d\n$€£¥]{0,24}$/iu
const verb =
  /(?:^|[^\p{L}])(?:(?:call|text|ring|dial|reach|phone)(?:ed|ing)? (?:(?:me|him|her|us|them|home|back)[^\d\n\t;|$€£¥]{0,24}|[\p{L} .'-]{1,24} (?:on|at) )|(?:call|dial)\s*:?\s*)$/iu
/** Letterheads write `T 030 901820` on a line of its own. */
const letterhead = /(?:^|\n)[TMF][.:]? $/

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
