import { expect, test } from "vitest"
import { allowsValue } from "../../../../ts/plugins/_shared/personal-data/allowed-values.ts"

const allows = allowsValue(["Pia", "shop@acme.io", "Marktplatz 3, 76133 Karlsruhe"])

test.each([
  ["PERSON", "PIA"],
  ["EMAIL_ADDRESS", "Shop@acme.io"],
  ["STREET_ADDRESS", "Marktplatz 3\n76133 Karlsruhe"],
  ["STREET_ADDRESS", "Marktplatz 3"],
])("a %s that the list has is allowed: %j", (kind, value) => expect(allows(kind, value)).toBe(true))

test.each([
  ["PERSON", "Pia Lee"],
  ["PERSON", "Karlsruhe"],
  ["EMAIL_ADDRESS", "ann.shop@acme.io"],
  ["STREET_ADDRESS", "Marktplatz 33"],
  ["STREET_ADDRESS", "Marktplatz 3, 76133 Karlsruhe, Ann Lee"],
])("another %s is not: %j", (kind, value) => expect(allows(kind, value)).toBe(false))

test("without a list nothing is", () => expect(allowsValue()("PERSON", "")).toBe(false))
