// `providers`: the models that can be called.

import { Type, type Static } from "typebox"
import type { DocumentPath } from "../../error.ts"
import { invalid, type Problem, suggestion } from "../../schema/problem.ts"
import { formOf, literals, mapOf, name, section } from "../../schema/shapes.ts"
import type { ModelTarget, Pricing } from "../../types/plan.ts"
import type { Registry } from "../../modules/registry.ts"
import type { CompileOptions } from "../compile.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"
import {
  backendRefSchema,
  checkBackend,
  compileBackend,
  describedOnly,
  formatOf,
  formatProblem,
  plainFormat,
  type Reasons,
  refsOf,
} from "./backends.ts"
import { callableModels, cardOf, lorasOf, modelEntries } from "./model-cards.ts"
import type { CardWith } from "./evaluation.ts"
import { reasoningFamily, reasoningSchema } from "./reasoning/keys.ts"
import { reliabilitySchema } from "./reliability.ts"
import type { ReliabilityPlan } from "./reliability-plan.ts"

export type ProvidersSection = Static<ReturnType<typeof providersSchema>>
export type ProviderModel = NonNullable<ProvidersSection["models"]>[number]

const price = Type.Number({ minimum: 0 })

const defaults = section({
  model: Type.Optional(Type.String({ description: "Answers when no decision matches" })),
  reasoning_families: Type.Optional(mapOf(reasoningFamily)),
  reasoning_effort: Type.Optional(name),
})

const pricing = section({
  currency: Type.Optional(
    Type.String({ pattern: "^[A-Z]{3}$", [formOf]: "a currency of three capital letters such as USD" }),
  ),
  prompt_per_1m: Type.Optional(price),
  completion_per_1m: Type.Optional(price),
  cached_input_per_1m: Type.Optional(price),
  cache_write_per_1m: Type.Optional(price),
  reasoning_per_1m: Type.Optional(price),
})

export function providersSchema(registry: Registry) {
  const modules = registry.all("provider")
  const providerIds = modules.map(({ id }) => id)
  const formats = modules.flatMap(({ module }) => Object.keys(module.formats ?? {}))
  const model = section({
    name,
    provider_model_id: Type.Optional(name),
    external_model_ids: Type.Optional(
      mapOf(Type.String(), {
        description: "Model id by provider; wins over provider_model_id",
      }),
    ),
    reasoning_family: Type.Optional(name),
    reasoning: Type.Optional(reasoningSchema),
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

export function checkProviders(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const models = document.providers?.models ?? []
  return [
    ...duplicates(
      models.map((model) => model.name),
      (index) => ["providers", "models", index, "name"],
    ),
    ...models.flatMap((model, index) => checkModel(model, ["providers", "models", index], registry)),
    ...checkDefaults(document),
  ]
}

function checkModel(model: ProviderModel, at: DocumentPath, registry: Registry): readonly Problem[] {
  const problems: Problem[] = []
  const refs = refsOf(model)
  if (refs.length === 0)
    problems.push({
      ...invalid(
        [...at, "backend_refs"],
        `is ${model.backend_refs === undefined ? "missing" : "empty"}; write [{ endpoint: "HOST:PORT" }]; without a backend the model is listed, and ${callFails}`,
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

const callFails = "calling it is an error"

function checkDefaults(document: ConfigDocument): readonly Problem[] {
  const problems: Problem[] = []
  const { defaults: { model } = {}, models = [] } = document.providers ?? {}
  const callable = callableModels(document)
  if (models.length === 0 && document.routing?.decisions?.some(({ modelRefs = [] }) => modelRefs.length > 0))
    problems.push({
      ...invalid(["providers", "models"], `is empty; without it a model is only described, and ${callFails}`),
      severity: "warning",
    })
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

/** What loads for some documents only. */
export interface ModelParts {
  readonly reliabilityOf?: ReliabilityPlan["ofModel"] | undefined
  readonly cardWith?: CardWith | undefined
}

/** Every model by name. LoRA names are models of their own that share the base model's backends. */
export function compileModels(
  options: Pick<CompileOptions, "document" | "registry" | "environment"> & Reasons,
  { reliabilityOf, cardWith }: ModelParts = {},
): ReadonlyMap<string, ModelTarget> {
  const { document } = options
  const targets = new Map<string, ModelTarget>()
  modelEntries(document).forEach((model, index) => {
    const own = cardOf(document, model.name)
    const card = cardWith === undefined ? own : cardWith(model.name, own)
    const backends = refsOf(model).map((ref, position) =>
      compileBackend({ model, ref, path: ["providers", "models", index, "backend_refs", position] }, options),
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
