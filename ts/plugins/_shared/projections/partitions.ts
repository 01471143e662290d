// Partitions: of the members that match, one stays.

import type { Fact } from "../../../kernel/index.ts"
import type { Partition } from "./section.ts"

/** The facts of one signal after one partition of its rules. Numbers that predicates compare stay as they are. */
export function resolvePartition(partition: Partition, facts: readonly Fact[]): readonly Fact[] {
  const members = new Set(partition.members)
  const own = facts.filter(({ rule }) => members.has(rule))
  const open = own.find(({ state }) => state === "unknown")
  // A member that could not be read might have won.
  if (open !== undefined)
    return facts.map((fact) =>
      members.has(fact.rule) && (fact.state === "match" || fact.rule === partition.default)
        ? { ...fact, state: "unknown", confidence: 0, reason: open.reason ?? "failed" }
        : fact,
    )
  const matching = own.filter(({ state }) => state === "match")
  const winner = matching.reduce<Fact | undefined>(
    (best, fact) => (best === undefined || fact.confidence > best.confidence ? fact : best),
    undefined,
  )
  if (winner === undefined)
    return facts.map((fact) => (fact.rule === partition.default ? { ...fact, state: "match", confidence: 1 } : fact))
  const confidence =
    partition.semantics === "softmax_exclusive"
      ? softmaxOf(winner, matching, partition.temperature ?? 1)
      : winner.confidence
  return facts.map((fact) => {
    if (fact.rule === winner.rule) return { ...fact, confidence }
    return members.has(fact.rule) && fact.state === "match" ? { ...fact, state: "no_match", confidence: 0 } : fact
  })
}

/** Share of the surest fact among all, by e to the power of confidence over temperature. */
function softmaxOf(winner: Fact, facts: readonly Fact[], temperature: number): number {
  return 1 / facts.reduce((sum, { confidence }) => sum + Math.exp((confidence - winner.confidence) / temperature), 0)
}
