// `routing.modelCards[]`: what is known of the models that decisions choose from.

import { Type, type Static } from "typebox"
import { invalid, type Problem } from "../../schema/problem.ts"
import { name, section } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"
import { cardEvaluations } from "./evaluation.ts"
import type { ProviderModel } from "./providers.ts"

export type ModelCard = Static<typeof modelCardSchema>

const text = Type.Optional(Type.String())
const texts = Type.Optional(Type.Array(Type.String()))

export const modelCardSchema = section({
  name,
  display_name: text,
  publisher: text,
  presentation: Type.Optional(section({ logo: text, monogram: text, monochrome: Type.Optional(Type.Boolean()) })),
  distribution: Type.Optional(section({ type: text, source: text, license: text })),
  family: text,
  revision: text,
  released_at: text,
  knowledge_cutoff: text,
  lifecycle: text,
  modalities: Type.Optional(section({ input: texts, output: texts })),
  evaluations: cardEvaluations,
  param_size: Type.Optional(
    Type.String({ description: "Such as 7B or 500M; free text that is no number of parameters has no size" }),
  ),
  context_window_size: Type.Optional(Type.Integer({ minimum: 1 })),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  description: text,
  capabilities: texts,
  loras: Type.Optional(Type.Array(section({ name, description: text }))),
  quality_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  modality: text,
  tags: texts,
})

export function checkModelCards(document: ConfigDocument): readonly Problem[] {
  const cards = (document.routing?.modelCards ?? []).map((card) => card.name)
  const known = new Set([...callableModels(document), ...cards])
  return [
    ...duplicates(cards, (index) => ["routing", "modelCards", index, "name"]),
    ...(document.routing?.modelCards ?? []).flatMap(({ loras = [] }, index) =>
      duplicates(
        loras.map((lora) => lora.name),
        (position) => ["routing", "modelCards", index, "loras", position, "name"],
      ),
    ),
    ...(document.evaluation?.records ?? []).flatMap(({ model }, index): readonly Problem[] =>
      known.has(model)
        ? []
        : [
            {
              ...invalid(["evaluation", "records", index, "model"], `has no effect: "${model}" is no model here`),
              severity: "warning",
            },
          ],
    ),
  ]
}

export function cardOf(document: ConfigDocument, model: string): ModelCard | undefined {
  const cards = document.routing?.modelCards
  if (cards === undefined) return undefined
  let byName = cardsByName.get(cards)
  if (byName === undefined) {
    byName = new Map(cards.toReversed().map((card) => [card.name, card]))
    cardsByName.set(cards, byName)
  }
  return byName.get(model)
}

/** Cards are looked up for each model and each candidate; of two with one name the first one counts. */
const cardsByName = new WeakMap<readonly ModelCard[], ReadonlyMap<string, ModelCard>>()

export function lorasOf(document: ConfigDocument, model: string): readonly string[] {
  return cardOf(document, model)?.loras?.map((lora) => lora.name) ?? []
}

/** A document without providers is routing only; its cards stand for models then, which nothing can call. */
export function modelEntries({ providers, routing }: ConfigDocument): readonly ProviderModel[] {
  const models = providers?.models ?? []
  return models.length > 0 ? models : (routing?.modelCards ?? []).map((card) => ({ name: card.name }))
}

/** Models that a request or a decision may name. */
export function callableModels(document: ConfigDocument): ReadonlySet<string> {
  const names = modelEntries(document).map((model) => model.name)
  return new Set([...names, ...names.flatMap((each) => lorasOf(document, each))])
}
