// Tells models to reason in chat-completions bodies: in the words of their host, or of their family.

import type {
  HostReasoning,
  JsonValue,
  ReasoningChoice,
  ReasoningFamily,
  ReasoningWriter,
  WireObject,
} from "../../kernel/index.ts"

/**
 * How a host is told: with an effort at the top level, inside template arguments, with a `thinking` object, with DeepSeek's
 * object and effort, or with a switch at the top level.
 */
export type ReasoningWay = "effort" | "template" | "thinking" | "deepseek" | "switch"

/** Hosts that have their own way under any provider. */
const wayOfHost: Readonly<Record<string, ReasoningWay>> = {
  "api.openai.com": "effort",
  "openrouter.ai": "effort",
  "api.deepseek.com": "deepseek",
}

export function chatReasoning(way: ReasoningWay): (baseUrl: string) => HostReasoning {
  return (baseUrl) => {
    const own = wayOfHost[new URL(baseUrl).hostname] ?? way
    return { needsFamily: own === "template", write: writers[own] }
  }
}

/** A body without its settings of reasoning, which are put back where the choice leaves room for them. */
interface Parts {
  readonly base: WireObject
  /** The client's own effort. */
  readonly asked: JsonValue | undefined
  readonly template: JsonValue | undefined
}

function partsOf({ reasoning_effort: asked, chat_template_kwargs: template, ...base }: WireObject): Parts {
  return { base, asked, template }
}

const argumentsOf = ({ template }: Parts): WireObject =>
  typeof template === "object" && template !== null ? (template as WireObject) : {}

const writers: Readonly<Record<ReasoningWay, ReasoningWriter>> = {
  deepseek(body, { enabled, effort }) {
    const { base } = partsOf(body)
    return enabled
      ? { ...base, thinking: { type: "enabled" }, reasoning_effort: effort }
      : { ...base, thinking: { type: "disabled" } }
  },
  thinking(body, { enabled, mode }) {
    return { ...partsOf(body).base, thinking: { type: mode ?? (enabled ? "enabled" : "disabled") } }
  },
  switch(body, { enabled, effort, family }) {
    const parts = partsOf(body)
    if (family === undefined || family.type === "chat_template_kwargs")
      return { ...untouched(parts), [family?.parameter ?? "enable_thinking"]: enabled }
    const switched = family.activationParameter === undefined ? {} : { [family.activationParameter]: enabled }
    return enabled
      ? { ...untouched(parts), ...switched, [family.parameter]: effort }
      : { ...restored(parts, family), ...switched }
  },
  effort(body, choice) {
    const { family = effortFamily } = choice
    return family.type === "chat_template_kwargs"
      ? inTemplate(partsOf(body), { [family.parameter]: choice.enabled })
      : atTopLevel(partsOf(body), choice, family)
  },
  template(body, choice) {
    const { family } = choice
    if (family === undefined) return body
    const parts = partsOf(body)
    switch (family.type) {
      case "chat_template_kwargs":
        // Off is said aloud, because some templates think by default.
        return inTemplate(parts, { [family.parameter]: choice.enabled })
      case "reasoning_effort":
        return inTemplate(parts, effortArguments(parts, choice, family))
      case "reasoning_mode":
        return inTemplate(parts, { [family.parameter]: modeOf(choice) })
      case "top_level_reasoning_effort":
        return atTopLevel(parts, choice, family)
    }
  },
}

/** That of hosts which take an effort for every model. */
const effortFamily: ReasoningFamily = { type: "top_level_reasoning_effort", parameter: "reasoning_effort" }

function atTopLevel(parts: Parts, choice: ReasoningChoice, family: ReasoningFamily): WireObject {
  const { parameter } = family
  if (family.type === "reasoning_mode") return { ...untouched(parts), [parameter]: modeOf(choice) }
  if (!choice.enabled) return restored(parts, family)
  if (family.type === "reasoning_effort") return { ...untouched(parts), [parameter]: choice.effort }
  // A copy in the template's arguments would say it twice.
  const { [parameter]: _, ...others } = argumentsOf(parts)
  const template = parts.template === undefined ? undefined : others
  return { ...untouched({ ...parts, template }), [parameter]: choice.effort }
}

/** What the template of a model of this family gets. */
function effortArguments(
  { asked }: Parts,
  { enabled, effort }: ReasoningChoice,
  { parameter, activationParameter, effortFlags, disabled }: ReasoningFamily,
): Readonly<Record<string, JsonValue>> {
  const off = disabled === undefined ? {} : { [parameter]: disabled }
  if (activationParameter === undefined) return { [parameter]: enabled ? effort : (asked ?? disabled ?? "low") }
  if (!enabled) return { [activationParameter]: false, ...off }
  const flag = effortFlags?.[effort]
  const level = effortFlags === undefined ? { [parameter]: effort } : flag === undefined ? {} : { [flag]: true }
  return { [activationParameter]: true, ...level }
}

const modeOf = ({ mode, enabled }: ReasoningChoice): string => mode ?? (enabled ? "enabled" : "disabled")

const inTemplate = (parts: Parts, change: Readonly<Record<string, JsonValue>>): WireObject => ({
  ...parts.base,
  chat_template_kwargs: { ...argumentsOf(parts), ...change },
})

const untouched = ({ base, template }: Parts): WireObject =>
  template === undefined ? base : { ...base, chat_template_kwargs: template }

/** Off: what the client asked for stays, otherwise the family's word for no reasoning is said where it has one. */
function restored(parts: Parts, { parameter, disabled }: ReasoningFamily): WireObject {
  if (parts.asked !== undefined) return { ...untouched(parts), reasoning_effort: parts.asked }
  return disabled === undefined ? untouched(parts) : { ...untouched(parts), [parameter]: disabled }
}
