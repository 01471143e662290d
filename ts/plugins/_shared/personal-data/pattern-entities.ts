// Personal data that rules find better than a model: numbers with check digits, addresses of the net, keys, telephone numbers.

import { type MaybePromise, type NormalizedText, type TextRange, type Work, workOn } from "../../../kernel/index.ts"
import type { Entity } from "./entities.ts"
import { loadNumberingPlans, type NumberingPlans } from "./numbering-plans.ts"
import { findAssignedKeys, findAssignedPasswords } from "./patterns/secrets/assigned-secret.ts"
import { findBankAccounts } from "./patterns/bank-account.ts"
import { findCryptoAddresses } from "./patterns/crypto-address.ts"
import { findDeviceIds } from "./patterns/device-id.ts"
import { findEmailAddresses } from "./patterns/email-address.ts"
import { findHeaderKeys, findLoginPasswords } from "./patterns/secrets/header-secret.ts"
import { findIbans } from "./patterns/iban.ts"
import { findIpAddresses } from "./patterns/ip-address.ts"
import { findLabelledValues, type LabelledRange } from "./patterns/labelled-values.ts"
import { findMacAddresses } from "./patterns/mac-address.ts"
import { findMilitaryAddresses } from "./patterns/military-address.ts"
import { findNationalIds } from "./patterns/national-id.ts"
import { findPaymentCards } from "./patterns/payment-card.ts"
import { findPhoneNumbers } from "./patterns/phone-number.ts"
import { findServiceKeys } from "./patterns/secrets/service-key.ts"
import { findSocialSecurityNumbers } from "./patterns/social-security-number.ts"
import { findSpelledEmails } from "./patterns/spelled-email.ts"
import { addFree } from "./patterns/text-range.ts"
import { findUrlCredentials } from "./patterns/secrets/url-credentials.ts"
import { findWebAddresses } from "./patterns/web-address.ts"
import { toPlainTexts } from "../plain-text.ts"

type Find = (text: string, plans: NumberingPlans) => Work<readonly TextRange[]>

/** The surest first: where two overlap, the earlier one stands. Every part of the kind has what the hint finds at less cost. */
const finders: readonly (readonly [kind: string, hint: RegExp, find: Find])[] = [
  ["PASSWORD", /:\/\//, findUrlCredentials],
  ["API_KEY", /\d[a-z]|[a-z]\d|-----B|hf_/i, findServiceKeys],
  ["API_KEY", /bearer|token|key|secret/i, findHeaderKeys],
  ["PASSWORD", /basic|--?u|-p|-a|login/i, findLoginPasswords],
  ["API_KEY", /(?:secret|token|key).{0,10}[=:>]/i, findAssignedKeys],
  ["PASSWORD", /(?:pass|pwd?|wort).{0,10}[=:>]/i, findAssignedPasswords],
  ["EMAIL_ADDRESS", /@|%40|&#x?0{0,4}[46][04];|&commat;/i, findEmailAddresses],
  [
    "EMAIL_ADDRESS",
    /[([{<]\s?(?:at|ät|arroba|arobase)\s?[)\]}>]|\s(?:@|at|ät|arroba|arobase|chiocciola|klammeraffe)\s/i,
    findSpelledEmails,
  ],
  ["IBAN_CODE", /[a-z]{2}[ -]?\d{2}/i, findIbans],
  ["CREDIT_CARD", /\d{4}/, findPaymentCards],
  ["US_SSN", /\d{4}/, findSocialSecurityNumbers],
  ["IP_ADDRESS", /\d\.\d|:[\da-f]{0,4}:/i, findIpAddresses],
  ["MAC_ADDRESS", /[\da-f]{2}[.:-][\da-f]{2}/i, findMacAddresses],
  ["CRYPTO_ADDRESS", /\d[a-z]|[a-z]\d/i, findCryptoAddresses],
  ["STREET_ADDRESS", /[afd]po,? a[aep]/i, findMilitaryAddresses],
  ["ID", /\d{2}/, findNationalIds],
  [
    "ID",
    /imei|vin|vehicle|fahrgestell|chassis|kennzeichen|nummernschild|plate|reg(?:istration)? number|targa|matr[ií]cula|immatricul|plaque|kenteken|placa/i,
    findDeviceIds,
  ],
  ["ID", /sort.?code|routing|bsb|blz|bankleit/i, findBankAccounts],
  ["PHONE_NUMBER", /\d[ ()./-]{0,3}\d/, findPhoneNumbers],
  // Last, because what stands in an address of the web is a finding of its own.
  ["DOMAIN_NAME", /:\/\/|\.[a-z]{2}/i, findWebAddresses],
]

/**
 * Makes a search. It returns entities with probability 1, in the order of the text, without overlaps. It takes time in
 * proportion to the text, and is a promise for a long one, which is searched in slices.
 */
export async function createPatternSearch(): Promise<(text: string) => MaybePromise<readonly Entity[]>> {
  const plans = await loadNumberingPlans()
  return (text) => workOn(text, findingEntities(text, plans))
}

/** The same in steps. */
export function* findingEntities(text: string, plans: NumberingPlans): Work<readonly Entity[]> {
  let found: readonly Entity[] = []
  for (const { text: plain, sourceSpan } of yield* toPlainTexts(text)) {
    if (!mayHold.test(plain)) continue
    for (const [kind, hint, find] of finders) {
      if (!hint.test(plain)) continue
      const entities: Entity[] = []
      for (const range of yield* find(plain, plans)) {
        entities.push({ kind, ...sourceSpan(range), probability: 1 })
        if (entities.length % entitiesOfStep === 0) yield
      }
      found = addFree(found, entities)
      yield
    }
    found = addFree(
      found,
      (yield* findLabelledValues(plain)).map((value) => toEntity(value, sourceSpan)),
    )
  }
  return found
}

const toEntity = ({ kind, start, end }: LabelledRange, sourceSpan: NormalizedText["sourceSpan"]): Entity => ({
  kind,
  ...sourceSpan({ start, end }),
  probability: 1,
})

const entitiesOfStep = 1024

/** Every entity has one of these, names of hosts have a dot before letters, and blocks of keys a line. */
const mayHold =
  /[\d@:=]|[([{<]\s?(?:at|ät|arroba|arobase)\s?[)\]}>]|\s(?:dot|punkt|point|punto|punt|ponto|kropka)\s|\.[a-z]{2}|-----|hf_|bearer|basic/i
