// Numbers of telephones and vehicles, which say who uses or keeps them. Words must name them, and their check digits must fit.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { type CheckedNumber, digits, findCheckedNumbers } from "./checked-number.ts"
import { passesLuhn } from "./luhn.ts"

const plateWord =
  "(?:[Kk]ennzeichen|[Nn]ummernschild|[Ll]icen[cs]e [Pp]late|[Nn]umber ?[Pp]late|[Pp]late [Nn]umber|[Rr]eg(?:istration)? [Pp]late|[Ii]mmatricul(?:ation|ée)|[Kk]enteken)"
/** These name other things as well: graphics cards, cars, courses, companies. */
const otherWord = "(?:[Rr]eg(?:istration)? [Nn]umber|[Tt]arga|[Mm]atr[ií]cula|[Pp]laque|[Pp]laca)"
/** "is", "number:", "of my car is". */
const plateGap =
  "(?: ?(?:[Nn]umber|[Nn]o\\.?|[Nn]r\\.?|#))?(?: (?:(?:of|on|for|von|vom|an) )?(?:my|the|his|her|our|mein\\p{L}+|unser\\p{L}+|des|dem) (?:car|van|truck|Autos?|Wagens?|[Vv]ehicle))?(?: (?:is|was|ist|war|lautet|es|est|è|reads))?[ :=\"'(]{1,3}"
/** United Kingdom; France and Italy; Netherlands; Spain: forms that little else has. */
const ownForms = [
  "[A-Z]{2}\\d{2} ?[A-Z]{3}",
  "[A-Z]{2}[- ]?\\d{3}[- ]?[A-Z]{2}",
  "(?=[A-Z-]{0,7}\\d)[A-Z\\d]{1,3}-[A-Z\\d]{2,3}-[A-Z\\d]{1,2}",
  "\\d{4}[- ]?[A-Z]{3}",
]
/** Germany; letters before digits, and digits before letters, elsewhere. */
const otherForms = [
  "[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?[1-9]\\d{0,3}[EH]?",
  "[A-Z]{3}[- ]?\\d{1,2}[A-Z]?\\d{1,3}",
  "\\d[A-Z]{3}\\d{3}",
]

/** A number plate, which has no check digit: the word stands right in front of it. Behind "license plate" there may be anything else. */
const plateBehind = (word: string, plates: readonly string[]): CheckedNumber => ({
  pattern: new RegExp(
    `(?=[A-ZÄÖÜ\\d])(?<=${word}${plateGap})(?:${plates.join("|")})(?![\\p{L}\\d_]|-[\\p{L}\\d])`,
    "gu",
  ),
  isValid: (signs) => /\p{L}/u.test(signs),
  words: new RegExp(word, "u"),
})

const ids: readonly CheckedNumber[] = [
  {
    // International mobile equipment identity (3GPP TS 23.003).
    pattern: digits("14"),
    isValid: passesLuhn,
    words: /(?<!\p{L})imei(?!\p{L})/iu,
  },
  {
    // Vehicle identification number (ISO 3779).
    pattern: /(?<![\w-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-HJ-NPR-Z\d]{17}(?![\w-])/gi,
    isValid: isVehicle,
    words: /(?<!\p{L})vin(?!\p{L})|vehicle identification|fahrgestell|chassis/iu,
  },
  plateBehind(plateWord, [...otherForms, ...ownForms]),
  plateBehind(otherWord, ownForms),
]

export const findDeviceIds = (text: string): Work<readonly TextRange[]> => findCheckedNumbers(text, ids)

const letterValues = "ABCDEFGH JKLMN P R STUVWXYZ"
const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]

/** The ninth sign is the weighted sum modulo 11, where letters have the values of 49 CFR 565.15. */
function isVehicle(signs: string): boolean {
  const sum = Array.from(signs.toUpperCase(), (sign, place) => valueOf(sign) * (weights[place] ?? 0)).reduce(
    (total, each) => total + each,
    0,
  )
  return "0123456789X".charAt(sum % 11) === signs.charAt(8).toUpperCase()
}

const valueOf = (sign: string): number => (/\d/.test(sign) ? Number(sign) : (letterValues.indexOf(sign) % 9) + 1)
