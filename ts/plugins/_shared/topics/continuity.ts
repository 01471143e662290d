// Whether the last message goes on with the subject of the conversation, from words alone.

import type { Work } from "../../../kernel/index.ts"
import type { Evidence } from "./evidence.ts"
import { readPhrases, withoutCode } from "./phrases.ts"
import { namesOf, shareIn, termsOf } from "./terms.ts"

export const topicClasses = ["continuation", "change", "unknown"] as const
export type TopicClass = (typeof topicClasses)[number]

export interface Verdict {
  readonly class: TopicClass
  /** A strength by rule, not a probability; 0 for what is unknown. */
  readonly confidence: number
}

export interface Thresholds {
  readonly continuation: number
  readonly change: number
}

const unknown: Verdict = { class: "unknown", confidence: 0 }
const goesOn = (confidence: number): Verdict => ({ class: "continuation", confidence })
const changed = (confidence: number): Verdict => ({ class: "change", confidence })

/** Each exchange further back counts for less. */
const decay = 0.85
/** A message of fewer words outside code says too little for a subject of its own. */
const fewestOwnTerms = 5
const fewestTerms = 3

/** Of several rules that share evidence; doubt and what was not read make it unknown, never a change. */
export function* judgeTopic(evidence: Evidence | "tools" | undefined): Work<(thresholds: Thresholds) => Verdict> {
  if (evidence === "tools") return () => goesOn(1)
  if (evidence === undefined || evidence.isMedia) return () => unknown
  const { live, prior, coverage } = evidence
  const terms = termsOf(live)
  yield
  const own = namesOf(live)
  yield
  const said = readPhrases(live)
  let isFull = coverage === "full" && !own.isCut
  let [score, closest, closestNames] = [0, 0, 0]
  for (const [age, { texts, tools }] of prior.entries()) {
    yield
    const other = namesOf(texts)
    isFull &&= !other.isCut
    const words = shareIn(terms, termsOf(texts))
    const names = shareIn(own.names, new Set([...other.names, ...tools]))
    const likeness = own.names.size > 0 ? (words + names) / 2 : words
    score = Math.max(score, likeness * decay ** age)
    closest = Math.max(closest, likeness)
    closestNames = Math.max(closestNames, names)
  }
  const hasOwnSubject = !said.refers && !said.pointsBack && termsOf(live.map(withoutCode)).size >= fewestOwnTerms
  return ({ continuation, change }) => {
    if (said.changes) {
      const contradicts = said.refers || closestNames >= 0.5
      return contradicts || !isFull ? unknown : changed(0.9)
    }
    if (said.refers) return goesOn(0.8)
    if (said.acknowledges) return goesOn(0.5)
    if (terms.size < fewestTerms) return unknown
    if (score >= continuation) return goesOn(0.5 + 0.5 * Math.min(1, (score - continuation) / (1 - continuation)))
    if (said.mayChange || !hasOwnSubject || !isFull || closest > change) return unknown
    return changed(change === 0 ? 0.6 : 0.3 + (0.3 * (change - closest)) / change)
  }
}
