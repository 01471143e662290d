// `providers.models[].reliability`, and `fallback` and `candidate_requirements` of the routing, its decisions and the router:
// their keys. What they mean loads with the first document that has one of them.

import { Type, type Static } from "typebox"
import { durationMs, isDuration } from "../../schema/duration.ts"
import { invalid, suggestion } from "../../schema/problem.ts"
import { duration, literals, name, section } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { callableModels } from "./model-cards.ts"
import type { ReliabilityPlan } from "./reliability-plan.ts"

export type ReliabilityEntry = Static<typeof reliabilitySchema>
export type FallbackEntry = Static<typeof fallbackSchema>
export type RequirementsEntry = Static<typeof requirementsSchema>

const count = Type.Optional(Type.Integer({ minimum: 0 }))
const percent = Type.Optional(Type.Integer({ minimum: 0, maximum: 100 }))
const time = Type.Optional(duration)

export const reliabilitySchema = section({
  lb_policy: Type.Optional(literals(["round_robin", "least_request"])),
  retry_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
  retry_on: Type.Optional(Type.String({ description: "Separated by commas" })),
  retry_budget_percent: percent,
  connect_timeout: time,
  first_byte_timeout: time,
  idle_timeout: time,
  total_timeout: time,
  consecutive_5xx: count,
  failure_percent: percent,
  base_ejection_time: time,
  max_ejection_percent: percent,
  hedge_delay: time,
  hedge_budget_percent: percent,
})

export const fallbackSchema = section({
  version: Type.Optional(Type.Literal(1)),
  enabled: Type.Optional(Type.Boolean()),
  models: Type.Optional(Type.Array(name)),
  max_attempts: Type.Optional(Type.Integer({ minimum: 1 })),
  total_timeout: time,
  per_attempt_timeout: time,
  retryable_status_codes: Type.Optional(Type.Array(Type.Integer({ minimum: 400, maximum: 599 }))),
  circuit_breaker: Type.Optional(
    section({ consecutive_failures: count, cooldown_period: time, half_open_probes: count }),
  ),
})

const requirementsSchema = section({
  capabilities: Type.Optional(literals(["declared"])),
  context: Type.Optional(literals(["known_limits"])),
})

/** Keys of the routing and of a decision. */
export const ofRequests = {
  fallback: Type.Optional(fallbackSchema),
  candidate_requirements: Type.Optional(requirementsSchema),
}

/** A decision's own word on where its requests go. */
export const actionSchema = Type.Optional(section({ type: Type.Literal("route"), destination: name }))

/**
 * What the lazily loaded part needs of the rest is given to it: a file that both import would become a chunk of its own, and
 * edge hosts would load a few hundred bytes more at each start.
 */
const tools = { durationMs, isDuration, invalid, suggestion, callableModels }
export type ReliabilityTools = typeof tools

/** Loads what the keys mean; undefined for a document that has none of them. */
export async function loadReliability(document: ConfigDocument): Promise<ReliabilityPlan | undefined> {
  return usesReliability(document)
    ? (await import("./reliability-plan.ts")).createReliabilityPlan(document, tools)
    : undefined
}

type Decision = Partial<NonNullable<NonNullable<ConfigDocument["routing"]>["decisions"]>[number]>

/** Whether calls of the document's models are anything but made once. */
export const usesReliability = ({ providers, routing, global }: ConfigDocument): boolean =>
  [global?.router as Decision | undefined, routing as Decision | undefined, ...(routing?.decisions ?? [])].some(
    (each) => each?.fallback ?? each?.candidate_requirements ?? each?.action,
  ) ||
  providers?.models?.some(
    ({ reliability, backend_refs: refs = [] }) =>
      reliability !== undefined || refs.some(({ priority }) => priority !== undefined),
  ) === true
