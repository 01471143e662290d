// Numbers of telephones and vehicles, which say who uses or keeps them. Words must name them, and their check digits must fit.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { type CheckedNumber, digits, findCheckedNumbers } from "./checked-number.ts"
import { passesLuhn } from "./luhn.ts"

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
