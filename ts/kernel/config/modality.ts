// Checks that a decision for answers of text and image has models that make both.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { DecisionEntry } from "./schema/routing.ts"

/** A decision whose root has the condition `modality` BOTH needs a candidate for each, or one that makes both. */
export function checkModality(document: ConfigDocument): readonly Problem[] {
  const modalityOf = (model: string): string | undefined =>
    document.routing?.modelCards
      ?.find(({ name }) => name === model)
      ?.modality?.trim()
      .toLowerCase()
  return (document.routing?.decisions ?? []).flatMap((decision, index) => {
    const refs = decision.modelRefs ?? []
    if (refs.length === 0 || !wantsBoth(decision)) return []
    const modalities = new Set(refs.map(({ model }) => modalityOf(model)))
    if (modalities.has("omni") || (modalities.has("ar") && modalities.has("diffusion"))) return []
    const path: DocumentPath = ["routing", "decisions", index, "modelRefs"]
    return [
      invalid(
        path,
        "of a decision for modality BOTH must have a model whose card (routing.modelCards[].modality) says ar and one with diffusion, or one with omni",
      ),
    ]
  })
}

function wantsBoth({ rules = {} }: DecisionEntry): boolean {
  if (rules.operator?.toUpperCase() === "NOT") return false
  return [rules, ...(rules.conditions ?? [])].some(({ type, name }) => type === "modality" && name === "BOTH")
}
