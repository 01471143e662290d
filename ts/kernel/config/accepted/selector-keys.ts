// The keys that every selector has. Loaded for documents that have them; it imports nothing, so that it costs the others nothing.

import type { Report } from "../../types/module-base.ts"
import type { AlgorithmEntry } from "../sections/algorithms.ts"

export function checkSelectorKeys(
  { minimum_candidates: least, on_error: onError }: AlgorithmEntry,
  modelRefs: readonly string[],
  report: Report,
): void {
  const models = new Set(modelRefs).size
  if (models > 0 && models < (least as number))
    report(["minimum_candidates"], `asks for ${least as number} different models, and modelRefs has ${models}`)
  if (onError === "fail")
    report(["on_error"], "has no effect: a selector that fails leaves the first candidate", "warning")
}
