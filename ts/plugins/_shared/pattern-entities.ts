// Personal data that rules find better than a model: numbers with check digits, addresses of the net, telephone numbers.

import type { TextRange } from "../../kernel/index.ts"
import type { Entity, PatternKind } from "./entities.ts"
import { findEmailAddresses } from "./patterns/email-address.ts"
import { findIbans } from "./patterns/iban.ts"
import { findIpAddresses } from "./patterns/ip-address.ts"
import { findPaymentCards } from "./patterns/payment-card.ts"
import { findPhoneNumbers } from "./patterns/phone-number.ts"
import { findSocialSecurityNumbers } from "./patterns/social-security-number.ts"
import { findUrlCredentials } from "./patterns/url-credentials.ts"
import { toPlainTexts } from "./plain-text.ts"

/** The surest first: where two overlap, the earlier one stands. */
const finders: readonly (readonly [kind: PatternKind, find: (text: string) => readonly TextRange[]])[] = [
  ["PASSWORD", findUrlCredentials],
  ["EMAIL_ADDRESS", findEmailAddresses],
  ["IBAN_CODE", findIbans],
  ["CREDIT_CARD", findPaymentCards],
  ["US_SSN", findSocialSecurityNumbers],
  ["IP_ADDRESS", findIpAddresses],
  ["PHONE_NUMBER", findPhoneNumbers],
]

/** Entities with probability 1, in the order of the text, without overlaps. Takes time in proportion to the text. */
export function findPatternEntities(text: string): readonly Entity[] {
  return toPlainTexts(text).reduce<readonly Entity[]>(
    (found, plain) =>
      finders.reduce(
        (sofar, [kind, find]) =>
          addFree(
            sofar,
            find(plain.text).map((range) => ({ kind, ...plain.sourceSpan(range), probability: 1 })),
          ),
        found,
      ),
    [],
  )
}

/** Both lists in order, without those of the second that overlap one of the first. */
function addFree(found: readonly Entity[], more: readonly Entity[]): readonly Entity[] {
  let next = 0
  const free = more.filter(({ start, end }) => {
    while ((found[next]?.end ?? Infinity) <= start) next++
    return (found[next]?.start ?? Infinity) >= end
  })
  return free.length === 0 ? found : [...found, ...free].toSorted((a, b) => a.start - b.start)
}
