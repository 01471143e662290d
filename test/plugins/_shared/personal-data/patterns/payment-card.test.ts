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

test("hostile texts are read to their end", () => {
  for (const unit of ["card_4", "card_", "cc5425 ", "card_number_"]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})
