// Personal data that rules find better than a model: numbers with check digits, addresses of the net, telephone numbers.

import { type MaybePromise, type TextRange, type Work, workOn } from "../../kernel/index.ts"
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
const finders: readonly (readonly [kind: PatternKind, find: (text: string) => Work<readonly TextRange[]>])[] = [
  ["PASSWORD", findUrlCredentials],
  ["EMAIL_ADDRESS", findEmailAddresses],
  ["IBAN_CODE", findIbans],
  ["CREDIT_CARD", findPaymentCards],
  ["US_SSN", findSocialSecurityNumbers],
  ["IP_ADDRESS", findIpAddresses],
  ["PHONE_NUMBER", findPhoneNumbers],
]

/**
 * Entities with probability 1, in the order of the text, without overlaps. Takes time in proportion to the text; a promise
 * for a long one, which is searched in slices.
 */
export const findPatternEntities = (text: string): MaybePromise<readonly Entity[]> =>
  workOn(text, findingEntities(text))

/** The same in steps. */
export function* findingEntities(text: string): Work<readonly Entity[]> {
  let found: readonly Entity[] = []
  for (const { text: plain, sourceSpan } of yield* toPlainTexts(text)) {
    if (!mayHold.test(plain)) continue
    for (const [kind, find] of finders) {
      const entities: Entity[] = []
      for (const range of yield* find(plain)) {
        entities.push({ kind, ...sourceSpan(range), probability: 1 })
        if (entities.length % entitiesOfStep === 0) yield
      }
      found = addFree(found, entities)
      yield
    }
  }
  return found
}

const entitiesOfStep = 1024

/** Every entity has one of these. */
const mayHold = /[\d@:]/

/** Both lists in order, without those of the second that overlap one of the first. */
function addFree(found: readonly Entity[], more: readonly Entity[]): readonly Entity[] {
  let next = 0
  const free = more.filter(({ start, end }) => {
    while ((found[next]?.end ?? Infinity) <= start) next++
    return (found[next]?.start ?? Infinity) >= end
  })
  return free.length === 0 ? found : [...found, ...free].toSorted((a, b) => a.start - b.start)
}
