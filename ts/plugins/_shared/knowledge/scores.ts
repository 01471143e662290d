// How similar a text is to the labels and groups of a knowledge base.

import { type Bank, createBank } from "../prototype-bank.ts"
import { metricKey } from "../projections/scores.ts"
import type { Manifest } from "./manifest.ts"
import type { KnowledgeBase } from "./settings.ts"

/** How similar a text is, by label or by group; a group is as similar as its most similar label. */
export interface Similarities {
  readonly of: ReadonlyMap<string, number>
  readonly highest: number
  /** Labels that reach their threshold, or groups with such a label. */
  readonly reached: ReadonlySet<string>
}

/** What a knowledge base says to one text. */
export interface Answer {
  readonly labels: Similarities
  readonly groups: Similarities
  /** Numbers for scores, by their key among `Fact.values`. */
  readonly metrics: Readonly<Record<string, number>>
}

/** The threshold that holds for a label. */
export const thresholdOf = ({ threshold = 0, label_thresholds: own = {} }: KnowledgeBase, label: string): number =>
  Object.hasOwn(own, label) ? (own[label] as number) : threshold

/** Compares vectors of length 1 with the examples of a knowledge base. */
export async function createScorer(
  base: KnowledgeBase,
  manifest: Manifest,
  embedAll: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<(vector: Float32Array) => Answer> {
  const all = [...manifest]
  const vectors = await embedAll(all.flatMap(([, exemplars]) => exemplars))
  let start = 0
  const banks = all.map(([label, exemplars]): readonly [string, Bank] => {
    const own = vectors.slice(start, (start += exemplars.length))
    return [label, createBank(exemplars, own, base.prototype_scoring)]
  })
  const groups = Object.entries(base.groups ?? {})
  return (vector) => {
    const labels = new Map(banks.map(([label, bank]) => [label, bank(vector)]))
    const reached = new Set([...labels].flatMap(([label, score]) => (score >= thresholdOf(base, label) ? [label] : [])))
    const inGroups = new Map(groups.map(([group, members]) => [group, highest(members, labels)]))
    const reachedGroups = groups.flatMap(([group, members]) =>
      members.some((label) => reached.has(label)) ? [group] : [],
    )
    const best = highest(labels.keys(), labels)
    const metrics: Record<string, number> = {
      [metricKey(base.name, "best_score")]: best,
      [metricKey(base.name, "best_matched_score")]: reached.size === 0 ? 0 : highest(reached, labels),
    }
    for (const { name, positive_group: positive, negative_group: negative } of base.metrics ?? [])
      metrics[metricKey(base.name, name)] = (inGroups.get(positive) ?? 0) - (inGroups.get(negative) ?? 0)
    return {
      labels: { of: labels, highest: best, reached },
      groups: { of: inGroups, highest: highest(inGroups.keys(), inGroups), reached: new Set(reachedGroups) },
      metrics,
    }
  }
}

function highest(names: Iterable<string>, scores: ReadonlyMap<string, number>): number {
  let best = -1
  for (const name of names) best = Math.max(best, scores.get(name) ?? -1)
  return best
}
