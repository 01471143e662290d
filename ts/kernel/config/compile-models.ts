// Providers and model cards become targets that can be called.

import { RtrError } from "../error.ts"
import type { ReasoningChoice } from "../types/module.ts"
import type { ModelTarget, Pricing, TargetBackend } from "../types/plan.ts"
import type { CompileOptions } from "./compile.ts"
import type { Environment } from "./environment.ts"
import { lorasOf } from "./references.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { BackendRef, ProviderModel } from "./schema/providers.ts"
import type { ModelRef } from "./schema/routing.ts"
import { isHeaderValue } from "./references.ts"

/** Provider family of a backend that names none: a plain chat-completions server. */
const defaultProvider = "vllm"

/** Every model by name. LoRA names are models of their own that share the base model's backends. */
export function compileModels(
  options: Pick<CompileOptions, "document" | "registry" | "environment">,
): ReadonlyMap<string, ModelTarget> {
  const { document } = options
  const targets = new Map<string, ModelTarget>()
  document.providers?.models?.forEach((model, index) => {
    const card = document.routing?.modelCards?.find(({ name }) => name === model.name)
    const backends = (model.backend_refs ?? []).map((ref, position) =>
      compileBackend(model, ref, ["providers", "models", index, "backend_refs", position], options),
    )
    if (backends.length === 0)
      throw new RtrError("invalid_config", `Cannot serve model "${model.name}": it has no backend_refs`, {
        path: ["providers", "models", index],
      })
    const pricing = compilePricing(model)
    targets.set(model.name, { name: model.name, backends, pricing, card })
    for (const lora of lorasOf(document, model.name)) {
      targets.set(lora, {
        name: lora,
        backends: backends.map((backend) => ({ ...backend, upstreamModel: lora })),
        pricing,
        card,
      })
    }
  })
  return targets
}

/** Shorter header values stand in any text by chance. */
const shortestSecret = 6

function compileBackend(
  model: ProviderModel,
  ref: BackendRef,
  path: readonly (string | number)[],
  { registry, environment }: Pick<CompileOptions, "registry" | "environment">,
): TargetBackend {
  const family = ref.provider ?? defaultProvider
  const provider = registry.find("provider", family)
  if (provider === undefined)
    throw new RtrError("invalid_config", `Cannot serve model "${model.name}": there is no provider "${family}"`, {
      path,
    })
  const name = ref.name ?? (model.backend_refs?.length === 1 ? "primary" : `backend-${Number(path.at(-1)) + 1}`)
  const apiKey = ref.api_key ?? (ref.api_key_env === undefined ? undefined : valueOf(environment, ref.api_key_env))
  if (ref.api_key_env !== undefined && (apiKey === undefined || apiKey === "")) {
    throw new RtrError(
      "invalid_config",
      `Cannot serve model "${model.name}": environment variable ${ref.api_key_env}, which api_key_env of backend "${name}" names, is not set`,
      { path: [...path, "api_key_env"] },
    )
  }
  if (ref.api_key_env !== undefined && !isHeaderValue(apiKey ?? ""))
    throw new RtrError(
      "invalid_config",
      `Cannot serve model "${model.name}": the value of environment variable ${ref.api_key_env} cannot be sent in a header; it may end with a line break`,
      { path: [...path, "api_key_env"] },
    )
  return {
    name,
    weight: ref.weight === undefined || ref.weight === 0 ? 1 : ref.weight,
    upstreamModel: model.external_model_ids?.[family] ?? model.provider_model_id ?? model.name,
    dialect: provider.module.dialect,
    secrets: [apiKey, ...Object.values(ref.extra_headers ?? {})].filter(
      (value): value is string => value !== undefined && value.length >= shortestSecret,
    ),
    provider: provider.module.setup({
      name,
      baseUrl: baseUrlOf(ref),
      chatPath: ref.chat_path,
      apiVersion: ref.api_version,
      authHeader: ref.auth_header,
      authPrefix: ref.auth_prefix,
      apiKey: apiKey === "" ? undefined : apiKey,
      extraHeaders: ref.extra_headers ?? {},
    }),
  }
}

/** Every object answers to names such as `constructor`; only what was set counts. */
const valueOf = (environment: Environment, name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined

/** An endpoint is a host that serves the chat-completions API under /v1; a base URL is taken as it is. */
function baseUrlOf(ref: BackendRef): string {
  return ref.base_url?.replace(/\/+$/, "") ?? `${ref.protocol ?? "http"}://${ref.endpoint}/v1`
}

function compilePricing({ pricing }: ProviderModel): Pricing | undefined {
  if (pricing === undefined) return undefined
  const promptPer1m = pricing.prompt_per_1m ?? 0
  return {
    currency: pricing.currency ?? "USD",
    promptPer1m,
    completionPer1m: pricing.completion_per_1m ?? 0,
    cachedInputPer1m: pricing.cached_input_per_1m ?? promptPer1m,
  }
}

/** How a candidate's reasoning is set; undefined for a model without a reasoning family, which is never changed. */
export function compileReasoning(document: ConfigDocument, ref: ModelRef): ReasoningChoice | undefined {
  const defaults = document.providers?.defaults
  const familyName = document.providers?.models?.find(({ name }) => name === ref.model)?.reasoning_family
  const family = familyName === undefined ? undefined : defaults?.reasoning_families?.[familyName]
  if (family === undefined) return undefined
  return {
    enabled: ref.use_reasoning ?? false,
    effort: ref.reasoning_effort ?? defaults?.reasoning_effort ?? "medium",
    family,
  }
}
