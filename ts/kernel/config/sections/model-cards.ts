// `routing.modelCards[]`: what is known of the models that decisions choose from.

import { Type, type Static } from "typebox"
import type { Problem } from "../../schema/problem.ts"
import { name, section } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"

export type ModelCard = Static<typeof modelCardSchema>

export const modelCardSchema = section({
  name,
  param_size: Type.Optional(
    Type.String({ description: "Such as 7B or 500M; free text that is no number of parameters has no size" }),
  ),
  context_window_size: Type.Optional(Type.Integer({ minimum: 1 })),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  description: Type.Optional(Type.String()),
  capabilities: Type.Optional(Type.Array(Type.String())),
  loras: Type.Optional(Type.Array(section({ name, description: Type.Optional(Type.String()) }))),
  quality_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  modality: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
})

export function checkModelCards(document: ConfigDocument): readonly Problem[] {
  return duplicates(
    (document.routing?.modelCards ?? []).map((card) => card.name),
    (index) => ["routing", "modelCards", index, "name"],
  )
}

export function cardOf(document: ConfigDocument, model: string): ModelCard | undefined {
  return document.routing?.modelCards?.find((card) => card.name === model)
}

export function lorasOf(document: ConfigDocument, model: string): readonly string[] {
  return cardOf(document, model)?.loras?.map((lora) => lora.name) ?? []
}

/** Models that a request or a decision may name. A document without providers is routing only; its cards stand for models then. */
export function callableModels(document: ConfigDocument): ReadonlySet<string> {
  const models = (document.providers?.models ?? []).map((model) => model.name)
  const names = models.length > 0 ? models : (document.routing?.modelCards ?? []).map((card) => card.name)
  return new Set([...names, ...names.flatMap((each) => lorasOf(document, each))])
}
