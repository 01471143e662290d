// `providers`: the models that can be called.

import { Type, type Static } from "typebox"
import type { DocumentPath } from "../../error.ts"
import { invalid, type Problem, suggestion } from "../../schema/problem.ts"
import { literals, name, section } from "../../schema/shapes.ts"
import type { ModelTarget, Pricing } from "../../types/plan.ts"
import type { ReasoningChoice } from "../../types/provider.ts"
import type { Registry } from "../../modules/registry.ts"
import type { CompileOptions } from "../compile.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"
import { backendRefSchema, checkBackend, compileBackend, describedOnly, formatProblem, refsOf } from "./backends.ts"
import type { ModelRef } from "./decisions.ts"
import { callableModels, cardOf, lorasOf } from "./model-cards.ts"
import { reliabilitySchema } from "./reliability.ts"
import type { ReliabilityPlan } from "./reliability-plan.ts"

export type ProvidersSection = Static<ReturnType<typeof providersSchema>>
export type ProviderModel = NonNullable<ProvidersSection["models"]>[number]

const price = Type.Number({ minimum: 0 })

const reasoningFamily = section({
  type: literals(["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort"]),
  parameter: name,
})

const defaults = section({
  model: Type.Optional(Type.String({ description: "Answers when no decision matches" })),
  reasoning_families: Type.Optional(Type.Record(Type.String(), reasoningFamily)),
  reasoning_effort: Type.Optional(name),
})

const pricing = section({
  currency: Type.Optional(name),
  prompt_per_1m: Type.Optional(price),
  completion_per_1m: Type.Optional(price),
  cached_input_per_1m: Type.Optional(price),
  cache_write_per_1m: Type.Optional(price),
  reasoning_per_1m: Type.Optional(price),
})

/** The `api_format` of what every provider speaks. */
const plainFormat = "openai"

export function providersSchema(registry: Registry) {
  const modules = registry.all("provider")
  const providerIds = modules.map(({ id }) => id)
  const formats = modules.flatMap(({ module }) => Object.keys(module.formats ?? {}))
  const model = section({
    name,
    provider_model_id: Type.Optional(name),
    external_model_ids: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Model id by provider; wins over provider_model_id",
      }),
    ),
    reasoning_family: Type.Optional(name),
    api_format: Type.Optional(
      literals([...new Set([plainFormat, ...formats])], {
        description: "Protocol of the backends: chat completions, or another one that their provider has",
      }),
    ),
    pricing: Type.Optional(pricing),
    reliability: Type.Optional(reliabilitySchema),
    provider: Type.Optional(
      literals(providerIds, {
        description: "Of the backends that name none; without backends, the provider's own address",
      }),
    ),
    backend_refs: Type.Optional(Type.Array(backendRefSchema(providerIds))),
  })
  return section({ defaults: Type.Optional(defaults), models: Type.Optional(Type.Array(model)) })
}

/** Undefined for what every provider speaks. */
const formatOf = ({ api_format: format }: ProviderModel): string | undefined =>
  format === plainFormat ? undefined : format

export function checkProviders(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const models = document.providers?.models ?? []
  return [
    ...duplicates(
      models.map((model) => model.name),
      (index) => ["providers", "models", index, "name"],
    ),
    ...models.flatMap((model, index) => checkModel(model, ["providers", "models", index], document, registry)),
    ...checkDefaults(document),
  ]
}

function checkModel(
  model: ProviderModel,
  at: DocumentPath,
  document: ConfigDocument,
  registry: Registry,
): readonly Problem[] {
  const families = Object.keys(document.providers?.defaults?.reasoning_families ?? {})
  const problems: Problem[] = []
  if (model.reasoning_family !== undefined && !families.includes(model.reasoning_family)) {
    problems.push(
      invalid(
        [...at, "reasoning_family"],
        `"${model.reasoning_family}" is not in providers.defaults.reasoning_families${suggestion(model.reasoning_family, families)}`,
      ),
    )
  }
  const refs = refsOf(model)
  if (refs.length === 0)
    problems.push({
      ...invalid(
        [...at, "backend_refs"],
        "is empty; without a backend the model is listed, and calling it is an error",
      ),
      ...(!isOnlyNamed(model) && { severity: "warning" }),
    })
  problems.push(
    ...duplicates(
      refs.map((ref) => ref.name),
      (position) => [...at, "backend_refs", position, "name"],
    ),
    ...refs.flatMap((ref, position) => checkBackend(ref, [...at, "backend_refs", position], registry)),
  )
  const format = formatOf(model)
  if (format !== undefined)
    for (const reason of new Set(refs.map((ref) => formatProblem(ref, format, registry))))
      if (reason !== undefined) problems.push(invalid([...at, "api_format"], reason))
  return problems
}

/** Whether an entry says nothing of a model but its name. */
const isOnlyNamed = (model: ProviderModel): boolean =>
  Object.entries(model).every(([key, fact]) => key === "name" || (typeof fact === "object" && isEmpty(fact)))

const isEmpty = (fact: object): boolean => Object.keys(fact).length === 0

function checkDefaults(document: ConfigDocument): readonly Problem[] {
  const problems: Problem[] = []
  const { model, reasoning_families: families = {} } = document.providers?.defaults ?? {}
  for (const [family, { type, parameter }] of Object.entries(families)) {
    if (type === "top_level_reasoning_effort" && parameter !== "reasoning_effort") {
      problems.push(
        invalid(
          ["providers", "defaults", "reasoning_families", family, "parameter"],
          'must be "reasoning_effort" for type top_level_reasoning_effort',
        ),
      )
    }
  }
  const callable = callableModels(document)
  if (model !== undefined && !callable.has(model)) {
    problems.push(
      invalid(
        ["providers", "defaults", "model"],
        `"${model}" is not in providers.models${suggestion(model, callable)}`,
      ),
    )
  }
  return problems
}

/** Every model by name. LoRA names are models of their own that share the base model's backends. */
export function compileModels(
  options: Pick<CompileOptions, "document" | "registry" | "environment">,
  reliabilityOf?: ReliabilityPlan["ofModel"],
): ReadonlyMap<string, ModelTarget> {
  const { document } = options
  const targets = new Map<string, ModelTarget>()
  document.providers?.models?.forEach((model, index) => {
    const card = cardOf(document, model.name)
    const backends = refsOf(model).map((ref, position) =>
      compileBackend(
        {
          model,
          ref,
          path: ["providers", "models", index, "backend_refs", position],
          format: formatOf(model),
        },
        options,
      ),
    )
    const shared = {
      pricing: compilePricing(model),
      card,
      ...(reliabilityOf !== undefined && { reliability: reliabilityOf(model) }),
    }
    if (backends.length === 0) backends.push(describedOnly(model.name, options))
    targets.set(model.name, { name: model.name, backends, ...shared })
    for (const lora of lorasOf(document, model.name)) {
      targets.set(lora, {
        name: lora,
        backends: backends.map((backend) => ({ ...backend, upstreamModel: lora })),
        ...shared,
      })
    }
  })
  return targets
}

function compilePricing({ pricing: written }: ProviderModel): Pricing | undefined {
  if (written === undefined) return undefined
  const promptPer1m = written.prompt_per_1m ?? 0
  return {
    currency: written.currency ?? "USD",
    promptPer1m,
    completionPer1m: written.completion_per_1m ?? 0,
    cachedInputPer1m: written.cached_input_per_1m ?? promptPer1m,
    cacheWritePer1m: written.cache_write_per_1m,
    reasoningPer1m: written.reasoning_per_1m,
  }
}

/** How a candidate's reasoning is set; undefined for a model without a reasoning family, which is never changed. */
export function compileReasoning(document: ConfigDocument, ref: ModelRef): ReasoningChoice | undefined {
  const { reasoning_families: families, reasoning_effort: effort } = document.providers?.defaults ?? {}
  const familyName = document.providers?.models?.find((model) => model.name === ref.model)?.reasoning_family
  const family = familyName === undefined ? undefined : families?.[familyName]
  if (family === undefined) return undefined
  return { enabled: ref.use_reasoning ?? false, effort: ref.reasoning_effort ?? effort ?? "medium", family }
}
