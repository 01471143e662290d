// Numbers that states give to persons, by their form and their check digits.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { type CheckedNumber, digits, findCheckedNumbers } from "./checked-number.ts"
import { passesLuhn } from "./luhn.ts"

const medicare = /(?<!\p{L})medicare(?!\p{L})/iu

const ids: readonly CheckedNumber[] = [
  {
    // Italy: codice fiscale. Letters take the place of digits where two persons would have the same.
    pattern: /(?<![\w-])[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPR-T][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z](?![\w-])/gi,
    isValid: (signs) => /\d.*\d/.test(signs) && isCodiceFiscale(signs.toUpperCase()),
  },
  {
    // France: NIR, with its key. Departments of Corsica have a letter.
    pattern:
      /(?<![\w.,+/-])[12]([ .]?)\d{2}\1(?:0[1-9]|1[0-2])\1(?:\d{2}|2[AB])\1\d{3}\1\d{3}[ .]?\d{2}(?![\w-]|[.,]\d)/gi,
    isValid: isNir,
  },
  {
    // Spain: DNI and NIE.
    pattern: /(?<![\w.,/-])(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z](?![\w-])/g,
    isValid: isDni,
  },
  {
    // Brazil: CPF.
    pattern: /(?<![\w.,/-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\w-]|\.\d)/g,
    isValid: isCpf,
    sureForm: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/,
    words: /(?<!\p{L})cpf(?!\p{L})|cadastro de pessoa/iu,
  },
  {
    // India: Aadhaar.
    pattern: /(?<![\w.,/+-]|\d )[2-9]\d{3}([ -]?)\d{4}\1\d{4}(?![\w-]| \d|[.,]\d)/g,
    isValid: isAadhaar,
    sureForm: /^\d{4}([ -])(?!(?:19|20)\d\d\1(?:19|20))\d{4}\1\d{4}$/,
    words: /aadhaa?r|uidai|आधार/i,
  },
  {
    // Sweden: personnummer, with a plus from the hundredth birthday on.
    pattern:
      /(?<![\w.,/+-])(?:(?:18|19|20)?\d{2})(?:0[1-9]|1[0-2])(?:[06][1-9]|[12378]\d|9[01])[-+]?\d{4}(?![\w-]|[.,]\d)/g,
    isValid: isPersonnummer,
    // `20240115-1205` is the name of a file.
    sureForm: /^(?!(?:20)?[0-3]\d{5}-(?:[01]\d|2[0-3])[0-5]\d$)\d+[-+]\d{4}$/,
    words: /personnummer|person-?nr|(?<!\p{L})pnr(?!\p{L})|samordningsnummer|swedish personal/iu,
  },
  {
    // United Kingdom: NHS number, in the groups of American telephone numbers.
    pattern: /(?<![\w.,/+-])\d{3}([ -]?)\d{3}\1\d{4}(?![\w-]|[.,]\d)/g,
    isValid: isNhsNumber,
    words: /(?<!\p{L})nhs(?!\p{L})|(?:patient|hospital)(?![^]{0,40}(?:phone|tel|call|mobile|fax|contact))/iu,
  },
  {
    // Netherlands: burgerservicenummer.
    pattern: digits("8"),
    isValid: isBsn,
    words: /(?<!\p{L})bsn(?!\p{L})|burgerservice|sofi-?nummer/iu,
  },
  {
    // Germany: Steuer-Identifikationsnummer.
    pattern: digits("10"),
    isValid: isSteuerId,
    words:
      /steuer-?(?:liche )?[ -]?(?:id|ident)|(?<!\p{L})(?:idnr|stid|steuer-?nr|tin)(?!\p{L})|identifikationsnummer|(?:german )?tax[ -]?(?:id|number)/iu,
  },
  {
    // Canada: social insurance number. Capitals, because "sin" is a word of several languages and a function.
    pattern: digits("8"),
    isValid: passesLuhn,
    words: /(?<!\p{L})(?:SIN|NAS)(?!\p{L})|[Ss]ocial [Ii]nsurance|[Aa]ssurance[ -]sociale/u,
  },
  {
    // Australia: tax file number.
    pattern: digits("8"),
    isValid: isTaxFileNumber,
    words: /(?<!\p{L})tfn(?!\p{L})|tax file/iu,
  },
  {
    // China: identity card (GB 11643), with the province, the day of birth and a check digit.
    pattern:
      /(?<![\w.,/+-])(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[12])\d{4}([ ]?)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\1\d{3}[\dX](?![\w-]|[.,]\d)/gi,
    isValid: isChineseId,
  },
  {
    // Switzerland: AHV number, with the check digit of EAN.
    pattern: /(?<![\w.,/+-])756([. ]?)\d{4}\1\d{4}\1\d{2}(?![\w-]|[.,]\d)/g,
    isValid: (signs) => weighted(signs, (place) => (place % 2 === 0 ? 1 : 3)) % 10 === 0,
    sureForm: /^756([. ])/,
    words: /(?<!\p{L})(?:n?ahv|n?avs|oasi)(?!\p{L})|sozialversicherung|social security/iu,
  },
  {
    // Belgium: national register number. From 2000 on a 2 stands in front of the number that is checked.
    pattern: /(?<![\w.,/+-])\d{2}\.(?:[0-5]\d)\.(?:[0-3]\d)-\d{3}\.\d{2}(?![\w-]|[.,]\d)/g,
    isValid: (signs) =>
      ["", "2"].some((century) => 97 - (Number(century + signs.slice(0, 9)) % 97) === Number(signs.slice(9))),
  },
  {
    // Finland: personal identity code.
    pattern:
      /(?<![\w.,/+-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[\dA-FHJ-NPR-Y](?![\w-]|[.,]\d)/g,
    isValid: (signs) => {
      const number = signs.slice(0, 6) + signs.slice(-4, -1)
      return "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(Number(number) % 31) === signs.slice(-1)
    },
    sureForm: /[A-FHJ-NPR-Y]$|^\d{6}[A-F]/,
    words: /hetu|henkilötunnus|personbeteckning|finnish/iu,
  },
  {
    // Brazil: RG. States have check digits of their own, so its form beside its name has to say enough.
    pattern: /(?<![\w.,/-])\d{1,2}\.\d{3}\.\d{3}-[\dX](?![\w-]|\.\d)/gi,
    isValid: () => true,
    words: /(?<!\p{L})RG(?!\p{L})|[Rr]egistro [Gg]eral|(?:[Cc]arteira|[Cc]édula) de [Ii]dentidade/u,
  },
  {
    // Australia: Medicare card. Its groups beside its name say enough, even where somebody mistyped a digit.
    pattern: /(?<![\w+.,/-])[2-6]\d{3}([ -])\d{5}\1\d(?![\w]|[-./]\d)/g,
    isValid: () => true,
    words: medicare,
  },
  {
    // The same without groups.
    pattern: /(?<![\w+.,/-])[2-6]\d{9}(?![\w]|[-./]\d)/g,
    isValid: isMedicareCard,
    words: medicare,
  },
]

export const findNationalIds = (text: string): Work<readonly TextRange[]> => findCheckedNumbers(text, ids)

/** ISO 7064, modulus 11 and 2. */
function isChineseId(signs: string): boolean {
  const sum = weighted(signs.slice(0, 17), (place) => 2 ** (17 - place) % 11)
  return "10X98765432".charAt(sum % 11) === signs.charAt(17).toUpperCase()
}

/** The values of signs at odd places; those at even places count as their own number (decree of 23 December 1976). */
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

function isCodiceFiscale(signs: string): boolean {
  let sum = 0
  for (let place = 0; place < 15; place++) {
    const sign = signs.charAt(place)
    const number = /\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65
    sum += place % 2 === 0 ? (oddValues[number] ?? 0) : number
  }
  return signs.charCodeAt(15) - 65 === sum % 26
}

/** The key and the number modulo 97 make 97. */
function isNir(signs: string): boolean {
  const number = signs.toUpperCase().slice(0, 13).replace("2A", "19").replace("2B", "18")
  return Number(signs.slice(13)) === 97 - (Number(number) % 97)
}

function isDni(signs: string): boolean {
  const number = signs.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)))
  return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(number) % 23) === signs.slice(-1)
}

/** The sum of digits, each times its weight. */
const weighted = (signs: string, weight: (place: number) => number): number =>
  Array.from(signs, (sign, place) => Number(sign) * weight(place)).reduce((sum, each) => sum + each, 0)

function isCpf(signs: string): boolean {
  const checkDigit = (length: number): number =>
    ((weighted(signs.slice(0, length), (place) => length + 1 - place) * 10) % 11) % 10
  return checkDigit(9) === Number(signs.charAt(9)) && checkDigit(10) === Number(signs.charAt(10))
}

/** A turn of the permutation for each place (Verhoeff, 1969). */
const turn = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** The product of the group of the pentagon's symmetries. */
function product(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b - 5) % 5)
  return b < 5 ? 5 + ((a - b) % 5) : (a - b + 5) % 5
}

function isAadhaar(signs: string): boolean {
  let check = 0
  for (let place = 0; place < signs.length; place++) {
    let digit = Number(signs.charAt(signs.length - 1 - place))
    for (let turns = place % 8; turns > 0; turns--) digit = turn[digit] ?? 0
    check = product(check, digit)
  }
  return check === 0
}

/** A date that was, with 60 added to the day for those who do not live in the country, and Luhn's sum. */
function isPersonnummer(signs: string): boolean {
  const short = signs.slice(-10)
  const [month, day] = [Number(short.slice(2, 4)), Number(short.slice(4, 6)) % 60]
  return (signs.length === 10 || signs.length === 12) && day >= 1 && day <= daysOf(month) && passesLuhn(short)
}

const daysOf = (month: number): number => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)

function isNhsNumber(signs: string): boolean {
  return (11 - (weighted(signs.slice(0, 9), (place) => 10 - place) % 11)) % 11 === Number(signs.charAt(9))
}

function isBsn(signs: string): boolean {
  return weighted(signs, (place) => (place === 8 ? -1 : 9 - place)) % 11 === 0
}

/** ISO 7064, modulus 11 and 10; one digit of the first ten stands there two or three times. */
function isSteuerId(signs: string): boolean {
  if (signs.startsWith("0") || ![8, 9].includes(new Set(signs.slice(0, 10)).size)) return false
  let check = 10
  for (const sign of signs.slice(0, 10)) check = (((check + Number(sign)) % 10 || 10) * 2) % 11
  return (11 - check) % 10 === Number(signs.charAt(10))
}

function isTaxFileNumber(signs: string): boolean {
  return weighted(signs, (place) => [1, 4, 3, 7, 5, 8, 6, 9, 10][place] ?? 0) % 11 === 0
}

/** The ninth digit checks those before it; the tenth is the number of the card. */
function isMedicareCard(signs: string): boolean {
  const sum = weighted(signs.slice(0, 8), (place) => [1, 3, 7, 9][place % 4] ?? 0)
  return sum % 10 === Number(signs.charAt(8))
}
