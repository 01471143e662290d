// Numbers of payment cards.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { passesLuhn } from "./luhn.ts"
import { findChecked, isNumberOfThing, textAfter, textBefore } from "./text-range.ts"

/** Of a name of a field, as in `card_4111…`: the number of an order, a picture or a user stands behind an underscore as well. */
const fieldBefore =
  "(?<=(?<![A-Za-z])(?:(?:credit|debit|bank|payment)?_?card|cc|visa|master_?card|amex|(?:kredit|bank)?karte|tarjeta|carte|carta)(?:_?(?:no|nr|num|number|nummer|numero))?_?)"

/** Pages have the space as an entity, addresses of the web as `%20` or `+`, tables as a tab or bar, forms have a line for each group. */
const between = "( {1,3}|\\t|\\r?\\n|[-./_·•+|]| - | [|·•] |, ?|&nbsp;|&#160;|&#xa0;|(?:%20){1,2}|%C2%A0|%2D)"
/** Behind a number: no more digits, and no word but a currency. Programs that take it for a price write `.00`. */
const endOfNumber =
  "(?=(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|INR|BRL|AUD|CAD|JPY)(?!\\w)|[.,]00?(?![\\w])(?![.,]\\d)|(?!\\w|[.-]\\d))"
/** Unbroken, or in the groups that are printed on cards: 4-4-4-4, 4-4-4-4-3, 4-6-5, 4-6-4. */
const candidate = new RegExp(
  `(?=\\d)(?:(?<!\\w|\\d[.-])|(?<=%(?:20|3A|3D|2B))|(?<!\\d)${fieldBefore})(?:\\d{13,19}|\\d{4}${between}(?:\\d{4}\\1\\d{4}\\1\\d{4}(?:\\1\\d{3})?|\\d{6}\\1\\d{4,5}))${endOfNumber}`,
  "gi",
)

/** First digits of each network, and how many digits its numbers have. */
const networks: readonly (readonly [first: RegExp, lengths: readonly number[]])[] = [
  // Visa
  [/^4/, [13, 16, 19]],
  // Mastercard
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  // American Express
  [/^3[47]/, [15]],
  // Discover
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  // Diners Club
  [/^3(?:0[0-5]|095|6|[89])/, [14]],
  // JCB
  [/^35(?:2[89]|[3-8])/, [16, 19]],
  [/^(?:2131|1800)/, [15]],
  // UnionPay
  [/^62/, [16, 17, 18, 19]],
  // Maestro
  [/^(?:50|5[6-8]|6304|6759|676[1-3])/, [16, 18, 19]],
  // Mir
  [/^220[0-4]/, [16, 19]],
  // RuPay
  [/^(?:60|8[12])/, [16]],
]

/** One number in ten passes the Luhn check by chance, so that of an order is left out even then. */
export function findPaymentCards(text: string): Work<readonly TextRange[]> {
  return findChecked(text, candidate, ({ 0: found, index }) => {
    const digits = found.replace(/&[^;]*;|%[\dA-F]{2}|\D/gi, "")
    const isKnown = networks.some(([first, lengths]) => first.test(digits) && lengths.includes(digits.length))
    return (
      isKnown &&
      passesLuhn(digits) &&
      !isNumberOfThing(text, index) &&
      !isOfColumn(text, index, found) &&
      !isOfList(text, index, found)
    )
  })
}

/** Whether the groups are a few of many in a row or column: numbers of four digits, of which some pass by chance. */
function isOfColumn(text: string, index: number, found: string): boolean {
  if (!/[\t\n]/.test(found)) return false
  return (
    /\d{4}[\t\n]$/.test(textBefore(text, index)) ||
    /^(?:\t|\r?\n)\d{4}(?!\d)/.test(textAfter(text, index + found.length))
  )
}

/** Signs between the numbers of a list, a sum or a row, as well as between groups. */
const ofList = /[,|+]/
const saysCard =
  /(?<!\p{L})(?:(?:credit|debit|bank)?cards?|(?:kredit|bank|giro|debit|ec-?)?karten?(?:nummer|nr)?|cartes?|tarjetas?|carta|cartão|kaart|kaartnummer|visa|master-?card|amex|maestro|cc|pan)(?!\p{L})/iu

/** Whether the groups are numbers of a list, of which some pass by chance: no zero begins them, more of them stand beside them, or nothing speaks of a card. */
function isOfList(text: string, index: number, found: string): boolean {
  const sign = ofList.exec(found)?.[0]
  if (sign === undefined) return false
  const before = textBefore(text, index)
  const after = textAfter(text, index + found.length)
  if (sign !== "|" && (/\d\s?[,+] ?$/.test(before) || /^\s?[,+] ?\d/.test(after))) return true
  if (sign === "|" && (/\d ?\| ?$/.test(before) || /^ ?\| ?\d/.test(after))) return true
  return !/\D0\d{3}(?!\d)/.test(found) && !saysCard.test(before) && !saysCard.test(after)
}
