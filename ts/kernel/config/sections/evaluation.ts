// `evaluation.records` and `evaluations` of model cards: results of benchmarks. What they make of a model's quality loads with
// the first document that has some.

import { Type, type Static } from "typebox"
import { mapOf, name, section } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"
import type { ModelCard } from "./model-cards.ts"

export type Evaluation = Static<typeof evaluation>

const text = Type.Optional(Type.String())
const fields = {
  benchmark: name,
  metrics: mapOf(Type.Number()),
  benchmark_profile: text,
  reasoning_effort: text,
  source: text,
  measured_at: text,
  metadata: Type.Optional(mapOf(Type.Unknown())),
}
const evaluation = section(fields)

export const cardEvaluations = Type.Optional(Type.Array(evaluation))

export const evaluationSchema = section({ records: Type.Optional(Type.Array(section({ model: name, ...fields }))) })

/** Cards with a quality that follows from evaluations. */
export type CardWith = (model: string, card: ModelCard | undefined) => ModelCard | undefined

/** Undefined for a document without evaluations, whose cards stay as they are. */
export async function loadEvaluations(document: ConfigDocument): Promise<CardWith | undefined> {
  return usesEvaluations(document) ? (await import("./quality.ts")).createCardWith(document) : undefined
}

const usesEvaluations = ({ evaluation: { records = [] } = {}, routing }: ConfigDocument): boolean =>
  records.length > 0 || routing?.modelCards?.some(({ evaluations }) => evaluations !== undefined) === true
