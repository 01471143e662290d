import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findPaymentCards } from "../../../../../ts/plugins/_shared/personal-data/patterns/payment-card.ts"

const found = partsBy(findPaymentCards)

const value = "5425233430109903"

test("numbers are found behind the name of their field", () => {
  const cases = [
    ["card_5425233430109903", "5425233430109903"],
    ["credit_card_number_5425233430109903", "5425233430109903"],
    ["cc5425233430109903", "5425233430109903"],
    ["Kreditkarte_5425 2334 3010 9903", "5425 2334 3010 9903"],
    ["creditCardNumber5425233430109903", "5425233430109903"],
    ["tarjeta_5425-2334-3010-9903", "5425-2334-3010-9903"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("numbers of every network are found", () => {
  const numbers = [
    "4827364910515",
    "4827364910517283646",
    "5182736491051726",
    "2221827364910518",
    "2238273649105171",
    "2382736491051721",
    "2708273649105172",
    "2720827364910514",
    "348273649105172",
    "6011827364910513",
    "6448273649105178",
    "6582736491051728361",
    "30582736491052",
    "30958273649106",
    "36827364910517",
    "38827364910515",
    "3528827364910516",
    "3538273649105176",
    "213182736491050",
    "180082736491051",
    "62827364910517284",
    "5082736491051727",
    "568273649105172837",
    "6304827364910519",
    "6759827364910517289",
    "6761827364910515",
    "2200827364910513",
    "6082736491051725",
    "8182736491051720",
  ]
  for (const number of numbers) expect([number, ...found(`my card ${number}`)]).toEqual([number, number])
})

test("numbers behind other names are none", () => {
  const cases = [
    "user_5425233430109903",
    "img_5425233430109903",
    "scorecard_5425233430109903",
    "acc5425233430109903",
    "card_id_5425233430109903",
    "card_5425233430109904",
    "card_54252334301099030",
    "postcard_5425233430109903",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("numbers are found in the groups of pages, addresses of the web, tables and lists", () => {
  const numbers = [
    "4539%201488%200343%206467",
    "4539+1488+0343+6467",
    "4539·1488·0343·6467",
    "4539 · 1488 · 0343 · 6467",
    "4539, 1488, 0343, 6467",
    "4539,1488,0343,6467",
    "4539|1488|0343|6467",
    "4539 | 1488 | 0343 | 6467",
  ]
  for (const number of numbers) expect([number, ...found(`x=${number}&y`)]).toEqual([number, number])
  expect(found("my card: 5425, 2334, 3010, 9903")).toEqual(["5425, 2334, 3010, 9903"])
  for (const [text, number] of [
    ["5425233430109903EUR", "5425233430109903"],
    ["5425233430109903.00", "5425233430109903"],
    ["5425233430109903.0,", "5425233430109903"],
    ["q=%205425233430109903", "5425233430109903"],
  ] as const)
    expect([text, ...found(text)]).toEqual([text, number])
})

test("numbers of a list or a sum, and prices, are none", () => {
  const cases = [
    "5425, 2334, 3010, 9903",
    "5425+2334+3010+9903",
    "| 5425 | 2334 | 3010 | 9903 |",
    "card: 1000, 5425, 2334, 3010, 9903",
    "card: 5425, 2334, 3010, 9903, 1000",
    "card: 1 | 5425 | 2334 | 3010 | 9903",
    "5425233430109903.25",
    "5425233430109903.001",
    "5425233430109903.00.1",
    "5425233430109903eurasia",
    "4539%201488+0343%206467",
  ]
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of ["card_4", "card_", "cc5425 ", "card_number_"]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})
