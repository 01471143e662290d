import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findIbans } from "../../../../../ts/plugins/_shared/personal-data/patterns/iban.ts"

const found = partsBy(findIbans)

const value = "GB82WEST12345698765432"

test("account numbers are found behind a word and in groups of other sizes", () => {
  const cases = [
    ["an AT 61 1904 3002 3457 3201 bitte", "AT 61 1904 3002 3457 3201"],
    ["KontoAT611904300234573201", "AT611904300234573201"],
    ["IBANAT611904300234573201", "AT611904300234573201"],
    ["iban_AT611904300234573201", "AT611904300234573201"],
    ["AT61 19043 00234573201", "AT61 19043 00234573201"],
    ["FR14 20041 01005 0500013M026 06", "FR14 20041 01005 0500013M026 06"],
    ["IT60 X 05428 11101 000000123456", "IT60 X 05428 11101 000000123456"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("sentences and signs in a row are none", () => {
  const cases = [
    "AT 62 1904 3002 3457 3201",
    "XAT611904300234573201",
    "AT6119 04300234573201",
    "KontoAT611904300234573201X",
    "at 61 1904 3002 3457 3201",
    "AT 61 1904 3002 3457",
    "AT 61 1904-3002 3457-3201",
    "AT61 1904 3002 3457 32015",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of ["AT 61 ", "AT61 1", "aaaAT61", "IBAN", "GB82WEST", "AT 61 1 "]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})
