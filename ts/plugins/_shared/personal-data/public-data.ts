// Findings that have the form of personal data and are for everybody to read, by what stands around them. A rule that names kinds
// finds them all the same.

import { creditsIn } from "./credits.ts"
import type { Entity } from "./entities.ts"
import { isPublicPlace } from "./public-places.ts"
import { isNetwork, isOfBusiness, isOfFoundation, isOfNobody, isSample } from "./reserved-values.ts"
import { isIdOfModels } from "./user-names.ts"

/** Kinds that ids of calls and replies are taken for. */
const namesOfThings: ReadonlySet<string> = new Set(["USERNAME", "ID"])

/** Says of the findings in a text whether they tell of no private person. */
export function publicIn(text: string): (finding: Entity) => boolean {
  const isCredited = creditsIn(text)
  return (finding) =>
    isOfNobody(finding.kind, text.slice(finding.start, finding.end)) ||
    isSample(text, finding) ||
    isOfBusiness(text, finding) ||
    isNetwork(text, finding) ||
    isOfFoundation(text, finding) ||
    (namesOfThings.has(finding.kind) && isIdOfModels(text, finding)) ||
    isPublicPlace(text, finding) ||
    isCredited(finding)
}
