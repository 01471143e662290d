// What collects texts for guards, for those who need it: edge bundles without a guard do without.

import type { guardTexts } from "./request-texts.ts"

export type { GuardTexts } from "./request-texts.ts"

/** What guards may ask of a request, as a function of the request and the client's dialect. */
export type ReadGuardTexts = typeof guardTexts

export async function loadGuardTexts(): Promise<ReadGuardTexts> {
  return (await import("./request-texts.ts")).guardTexts
}
