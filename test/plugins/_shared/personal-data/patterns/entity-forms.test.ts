import { expect, test } from "vitest"
import { hasForm } from "../../../../../ts/plugins/_shared/personal-data/patterns/entity-forms.ts"

/** What is marked stands between brackets. */
const looksRight = (kind: string, marked: string): boolean => {
  const start = marked.indexOf("[")
  return hasForm(marked.replaceAll(/[[\]]/g, ""), { kind, start, end: marked.indexOf("]") - 1 })
}

test.each<[kind: string, marked: string, expected: boolean]>([
  ["PHONE_NUMBER", "call [020 7946 0958] today", true],
  ["PHONE_NUMBER", "call +44 20 [7946] 0958 today", true],
  ["PHONE_NUMBER", "[Calculate the square root of 144]", false],
  ["PHONE_NUMBER", "3x [+] 7 = 22", false],
  ["PHONE_NUMBER", "x + y [=] 1234567", true],
  ["IP_ADDRESS", "from [300.1.2.3] at noon", true],
  ["IP_ADDRESS", "card [0c:80:33:28:5d:47]", true],
  ["IP_ADDRESS", "card 0c:80[:33:]28:5d:47", true],
  ["IP_ADDRESS", "flux of 800 W[/m]^2", false],
  ["IP_ADDRESS", "a mass [of] 0.43", false],
  ["US_SSN", "SSN [123-45-6789]", true],
  ["US_SSN", "SSN 987[-]XX-XXXX", true],
  ["US_SSN", "in [1234]", false],
  ["CREDIT_CARD", "card [4111 1111 1111 1111]", true],
  ["CREDIT_CARD", "card [**** **** **** 1111]", true],
  ["CREDIT_CARD", "the [4111] students", false],
  ["IBAN_CODE", "to [GB29 NWBK 6016 1331 9268 19]", true],
  ["IBAN_CODE", "to [GB29]", false],
  ["EMAIL_ADDRESS", "to [ann@example.com]", true],
  ["EMAIL_ADDRESS", "to [ann at example dot com]", true],
  ["EMAIL_ADDRESS", "to [ann]", false],
  ["DOMAIN_NAME", "see [shop.example]", true],
  ["DOMAIN_NAME", "see [localhost://x]", true],
  ["DOMAIN_NAME", "see [AppleWebKit]", false],
  ["ZIP_CODE", "[SW1A 1AA]", true],
  ["ZIP_CODE", "[London]", false],
  ["DATE_TIME", "on [5 May]", true],
  ["DATE_TIME", "on [Tuesday]", true],
  ["DATE_TIME", "[昨天]", true],
  ["DATE_TIME", "rate [of] 2 %", false],
  ["PASSWORD", "it is [hunter2]", true],
  ["PASSWORD", "it is [a b]", false],
  ["PERSON", "[Ann]", true],
  ["PERSON", "A [⊃] B", false],
  ["BADGE", "[4]", true],
])("%s in %j: %s", (kind, marked, expected) => expect(looksRight(kind, marked)).toBe(expected))
