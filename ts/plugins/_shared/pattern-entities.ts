// Personal data that rules find better than a model: numbers with check digits, addresses of the net, telephone numbers.

import type { Entity, PatternKind } from "./entities.ts"
import { findEmailAddresses } from "./patterns/email-address.ts"
import { findIbans } from "./patterns/iban.ts"
import { findIpAddresses } from "./patterns/ip-address.ts"
import { findPaymentCards } from "./patterns/payment-card.ts"
import { findPhoneNumbers } from "./patterns/phone-number.ts"
import type { Place } from "./patterns/place.ts"
import { findSocialSecurityNumbers } from "./patterns/social-security-number.ts"
import { findUrlCredentials } from "./patterns/url-credentials.ts"

/** The surest first: where two overlap, the earlier one stands. */
const finders: readonly (readonly [kind: PatternKind, find: (text: string) => readonly Place[]])[] = [
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
  const plain = toPlainSigns(text)
  return finders.reduce<readonly Entity[]>(
    (found, [kind, find]) =>
      addFree(
        found,
        find(plain).map(({ start, end }) => ({ kind, start, end, probability: 1 })),
      ),
    [],
  )
}

/**
 * Full-width signs, hyphens and spaces of any width as the ASCII signs that they stand for. Each stays one code unit, so
 * places hold for the text itself.
 */
function toPlainSigns(text: string): string {
  return text.replace(/[\u00a0\u2007\u2009-\u2013\u202f\u2212\u3000\uff01-\uff5e]/g, (sign) => {
    const code = sign.charCodeAt(0)
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0)
    return (code >= 0x2010 && code <= 0x2013) || code === 0x2212 ? "-" : " "
  })
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
