// Labels of domains: classifiers of older documents had their own names for them.

import { type Document, isSeq } from "yaml"
import { formatPath } from "../../schema/problem.ts"
import { mapsAt, pairOf, plain, remove } from "./edit.ts"

/** Writes labels as the router's model has them, and leaves out those that it does not know, which it would never find. */
export function migrateDomainLabels(
  document: Document,
  known: readonly string[],
  tell: (change: string) => void,
): void {
  const meant = (label: string): string | undefined => {
    const words = label.toLowerCase().replaceAll("_", " ")
    return known.includes(words) ? words : undefined
  }
  for (const { map, path } of mapsAt(document, "routing.signals.domains.*")) {
    const name = String(plain(document, pairOf(map, "name")?.value))
    const pair = pairOf(map, "mmlu_categories")
    const asked = isSeq(pair?.value) ? (pair.value.toJS(document) as readonly unknown[]).map(String) : [name]
    const labels = asked.flatMap((label) => meant(label) ?? [])
    for (const label of asked.filter((each) => meant(each) === undefined))
      tell(
        `${formatPath([...path, "mmlu_categories"])}: "${label}" is no label of the domain model, which has ${known.join(", ")}; a rule with one of them, or an embedding rule, finds such requests`,
      )
    // The name of a rule is a label as well.
    const written = pair === undefined ? [name.toLowerCase()] : asked
    if (labels.join() === written.join() || (pair === undefined && labels.length === 0)) continue
    if (pair !== undefined) remove(map, "mmlu_categories")
    if (labels.length === 0) continue
    map.items.push(document.createPair("mmlu_categories", labels))
    tell(`${formatPath([...path, "mmlu_categories"])} → ${labels.join(", ")}`)
  }
}
