// What a client says of the fusion that answers it: `plugins: [{ "id": "fusion", … }]` in the body of its request.

import { type ChatRequest, type JsonValue, RtrError } from "../../../kernel/index.ts"

/** Options that a client may set. The prompts, the policies and the models to choose from are the document's. */
export interface FusionOverride {
  readonly model?: string
  readonly analysis_models?: string[]
  readonly max_concurrent?: number
  readonly max_completion_tokens?: number
  readonly round_timeout_seconds?: number
  readonly min_successful_responses?: number
  readonly temperature?: number
  readonly include_analysis?: boolean
  readonly include_intermediate_responses?: boolean
}

type Fields = Readonly<Record<string, JsonValue>>
type Check = (value: JsonValue) => string | undefined

const is =
  (type: "boolean" | "string", what: string): Check =>
  (value) =>
    typeof value === type ? undefined : `must be ${what}`
const count: Check = (value) =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? undefined : "must be a whole number above 0"
const names: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= 16 && value.every((each) => typeof each === "string")
    ? undefined
    : "must be a list of 1 to 16 model names"

const checks: { readonly [Key in keyof FusionOverride]-?: Check } = {
  model: is("string", "the name of a model"),
  analysis_models: names,
  max_concurrent: count,
  max_completion_tokens: count,
  round_timeout_seconds: count,
  min_successful_responses: count,
  temperature: (value) => (typeof value === "number" && value >= 0 && value <= 2 ? undefined : "must be from 0 to 2"),
  include_analysis: is("boolean", "true or false"),
  include_intermediate_responses: is("boolean", "true or false"),
}

const isFusion = (value: JsonValue): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && (value as Fields)["id"] === "fusion"

const pluginsOf = ({ extensions }: ChatRequest): readonly JsonValue[] => {
  const { plugins } = extensions
  return Array.isArray(plugins) ? plugins : []
}

/** Undefined where the client says nothing. Throws `invalid_request` that names the field; `allowed` are models it may name. */
export function readFusionOverride(request: ChatRequest, allowed: readonly string[]): FusionOverride | undefined {
  const index = pluginsOf(request).findIndex(isFusion)
  if (index < 0) return undefined
  const { id: _, enabled, ...fields } = pluginsOf(request)[index] as Fields
  if (enabled === false) return {}
  for (const [key, value] of Object.entries(fields)) {
    const refuse = (reason: string): RtrError =>
      new RtrError("invalid_request", `plugins[${index}].${key} of the request ${reason}`)
    const check = Object.hasOwn(checks, key) ? checks[key as keyof FusionOverride] : undefined
    if (check === undefined) throw refuse(`cannot be set by a request; there are ${Object.keys(checks).join(", ")}`)
    const wrong = check(value)
    if (wrong !== undefined) throw refuse(wrong)
    const named = key === "model" ? [value] : key === "analysis_models" ? (value as JsonValue[]) : []
    if (named.some((name) => !allowed.includes(name as string)))
      throw refuse(`may name models of the decision only: ${[...new Set(allowed)].join(", ")}`)
  }
  return fields as FusionOverride
}

/** The request for the models, which know nothing of it. */
export function withoutFusionOverride(request: ChatRequest): ChatRequest {
  const { plugins: _, ...extensions } = request.extensions
  const others = pluginsOf(request).filter((plugin) => !isFusion(plugin))
  return { ...request, extensions: others.length === 0 ? extensions : { ...extensions, plugins: others } }
}
