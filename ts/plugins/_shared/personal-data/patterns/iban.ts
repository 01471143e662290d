// International bank account numbers (ISO 13616).

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { matchesOfStep } from "./text-range.ts"

/** Characters of an IBAN by country, from the registry of SWIFT. */
const lengths: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 " +
    "FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 " +
    "LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 " +
    "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/**
 * Behind a word in small letters, as in `KontoDE89`, the country stands in capitals; "IBAN" may stand right in front. A country that stands apart is one
 * where the number goes on.
 */
const countryAndCheck =
  /(?:(?<![A-Za-z0-9])|(?<=[a-zäöü]{3})(?=[A-Z])|(?<=IBAN))(?:[A-Za-z]{2}\d{2}|[A-Z]{2}[ -]\d{2}(?=[ -]?\d{4}|[ -]?[A-Z]{1,4}[ -]?\d{4}))/g

/** Finds them unbroken or in groups behind one sign or two spaces, with the length of their country and check digits that fit. */
export function* findIbans(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let beginnings = 0
  for (const { 0: found, index } of text.matchAll(countryAndCheck)) {
    if (++beginnings % matchesOfStep === 0) yield
    const length = lengths.get(found.slice(0, 2).toUpperCase())
    const read = length === undefined ? undefined : readGroups(text, index, found, length)
    if (read !== undefined && remainder(read.signs) === 1) ranges.push({ start: index, end: read.end })
  }
  return ranges
}

/** Reads so many letters and digits; undefined when there are fewer, or more, or when the groups are those of a sentence. */
function readGroups(
  text: string,
  start: number,
  beginning: string,
  length: number,
): { signs: string; end: number } | undefined {
  const behind = start + beginning.length
  const separator = /^(?: {1,2}|[-.])/.exec(text.slice(behind, behind + 2))?.[0] ?? ""
  const rest = length - 4
  let signs = ""
  let end = behind
  while (signs.length < rest) {
    if (separator !== "" && text.startsWith(separator, end)) end += separator.length
    const group = /^[A-Za-z0-9]+/.exec(text.slice(end, end + rest))?.[0].slice(0, rest - signs.length) ?? ""
    if (group === "") return undefined
    signs += group
    end += group.length
  }
  if (/[A-Za-z0-9]/.test(text.charAt(end))) return undefined
  const hasUsualGroups = beginning.length === 4 && (separator === "" || isInFours(text.slice(behind, end), separator))
  if (!hasUsualGroups && !isMostlyDigits(beginning, signs)) return undefined
  return { signs: (beginning.replace(/[ -]/, "") + signs).toUpperCase(), end }
}

const isInFours = (written: string, separator: string): boolean =>
  written
    .split(separator)
    .slice(1)
    .every((group, index, groups) => group.length === 4 || (index === groups.length - 1 && group.length < 4))

/** Banks group by their own parts, as `DE89 37040044 0532013000` and `IT60 X 05428 …`. So do words: "at 20 we met". */
const isMostlyDigits = (beginning: string, signs: string): boolean =>
  /^[A-Z]/.test(beginning) && /^[A-Z\d]+$/.test(signs) && signs.replace(/\d/g, "").length <= 4

/** The number modulo 97 with the first four signs at its end and letters as 10 to 35. */
function remainder(signs: string): number {
  let rest = 0
  for (const sign of signs.slice(4) + signs.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}
