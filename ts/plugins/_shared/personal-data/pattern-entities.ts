// Personal data that rules find better than a model: numbers with check digits, addresses of the net, keys, telephone numbers.

import { type MaybePromise, type TextRange, type Work, workOn } from "../../../kernel/index.ts"
import type { Entity } from "./entities.ts"
import { findCryptoAddresses } from "./patterns/crypto-address.ts"
import { findEmailAddresses } from "./patterns/email-address.ts"
import { findIbans } from "./patterns/iban.ts"
import { findIpAddresses } from "./patterns/ip-address.ts"
import { findMacAddresses } from "./patterns/mac-address.ts"
import { findPaymentCards } from "./patterns/payment-card.ts"
import { findPhoneNumbers } from "./patterns/phone-number.ts"
import { findServiceKeys } from "./patterns/service-key.ts"
import { findSocialSecurityNumbers } from "./patterns/social-security-number.ts"
import { findUrlCredentials } from "./patterns/url-credentials.ts"
import { findWebAddresses } from "./patterns/web-address.ts"
import { toPlainTexts } from "../plain-text.ts"

/** The surest first: where two overlap, the earlier one stands. */
const finders: readonly (readonly [kind: string, find: (text: string) => Work<readonly TextRange[]>])[] = [
  ["PASSWORD", findUrlCredentials],
  ["API_KEY", findServiceKeys],
  ["EMAIL_ADDRESS", findEmailAddresses],
  ["IBAN_CODE", findIbans],
  ["CREDIT_CARD", findPaymentCards],
  ["US_SSN", findSocialSecurityNumbers],
  ["IP_ADDRESS", findIpAddresses],
  ["MAC_ADDRESS", findMacAddresses],
  ["CRYPTO_ADDRESS", findCryptoAddresses],
  ["PHONE_NUMBER", findPhoneNumbers],
  // Last, because what stands in an address of the web is a finding of its own.
  ["DOMAIN_NAME", findWebAddresses],
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

/** Every entity has one of these, names of hosts have a dot before letters, and blocks of keys a line. */
const mayHold = /[\d@:]|\.[a-z]{2}|-----/i

/** Both lists in order, without those of the second that overlap one of the first. */
function addFree(found: readonly Entity[], more: readonly Entity[]): readonly Entity[] {
  let next = 0
  const free = more.filter(({ start, end }) => {
    while ((found[next]?.end ?? Infinity) <= start) next++
    return (found[next]?.start ?? Infinity) >= end
  })
  return free.length === 0 ? found : [...found, ...free].toSorted((a, b) => a.start - b.start)
}
