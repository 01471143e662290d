import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findNationalIds } from "../../../../../ts/plugins/_shared/personal-data/patterns/national-id.ts"

const found = partsBy(findNationalIds)

const value = "RSSMRA85T10A562S"

test("numbers of persons are found by their check digits", () => {
  const cases = [
    ["我的号码是440301198706112436吗", "440301198706112436"],
    ["ID card 310104200102283313", "310104200102283313"],
    ["756.3074.8129.53", "756.3074.8129.53"],
    ["756 3074 8129 53", "756 3074 8129 53"],
    ["numéro AVS 7563074812953", "7563074812953"],
    ["79.04.12-217.43", "79.04.12-217.43"],
    ["03.09.22-118.56", "03.09.22-118.56"],
    ["240578-217M", "240578-217M"],
    ["030904A1181", "030904A1181"],
    ["hetu 111164-4511", "111164-4511"],
    ["meu RG é 27.408.915-X", "27.408.915-X"],
    ["Registro Geral: 8.204.771-3", "8.204.771-3"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("numbers whose check digits do not fit, and weak forms without a word, are none", () => {
  const cases = [
    "440301198706112437",
    "440301198713112436",
    "990301198706112436",
    "4403011987061124361",
    "756.3074.8129.54",
    "7563074812953",
    "order 756.3074.8129.53",
    "79.04.12-217.44",
    "240578-217N",
    "27.408.915-X",
    "the arg 27.408.915-3",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("one digit repeated is no number, although its check digits fit", () => {
  for (const text of ["CPF 111.111.111-11", "nhs 000 000 0000", "DNI 00000000T"])
    expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of [
    "440301198706112437 ",
    "44030119",
    "756.3074.",
    "79.04.12-",
    "240578-",
    "RG 1.234.",
    "131052-308",
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})
