// `providers.models[].reasoning` and what decisions say of it: the keys. What they mean loads with the first document that has one.

import { Type, type Static } from "typebox"
import type { Registry } from "../../../modules/registry.ts"
import { invalid, suggestion } from "../../../schema/problem.ts"
import { literals, mapOf, name, section } from "../../../schema/shapes.ts"
import type { ConfigDocument } from "../../document-schema.ts"
import { addressOf, protocolOf, refsOf } from "../backends.ts"
import type { ReasoningPlan } from "./plan.ts"

export type ReasoningEntry = Static<typeof reasoningSchema>

const type = literals(["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort", "reasoning_mode"])
export const reasoningMode = literals(["enabled", "disabled", "adaptive"])
const word = Type.Optional(name)

export const reasoningFamily = section({ type, parameter: name })

export const reasoningSchema = section({
  family: word,
  type: Type.Optional(type),
  parameter: word,
  activation_parameter: word,
  effort_flags: Type.Optional(mapOf(name)),
  levels: Type.Optional(Type.Array(name)),
  default: word,
  disabled: word,
  modes: Type.Optional(Type.Array(reasoningMode)),
  default_mode: Type.Optional(reasoningMode),
})

/** Given to the lazily loaded part, so that it shares no file with what edge hosts load at start. */
const tools = { invalid, suggestion, refsOf, addressOf, protocolOf }
export type ReasoningTools = typeof tools

/** Loads what the keys mean; undefined for a document that has none of them. */
export async function loadReasoning(document: ConfigDocument, registry: Registry): Promise<ReasoningPlan | undefined> {
  return usesReasoning(document)
    ? (await import("./plan.ts")).createReasoningPlan(document, registry, tools)
    : undefined
}

/** Whether any part of a document says how models reason. */
export const usesReasoning = (document: ConfigDocument): boolean =>
  /"(reasoning(_\w+)?|use_reasoning":true)/.test(JSON.stringify(document))
