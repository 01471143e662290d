// Switches a model's reasoning on or off in the words of its family and host.

import type { JsonValue, ReasoningChoice, WireObject } from "../../kernel/index.ts"

/** How a host wants to be told: at the top level, inside template arguments, or DeepSeek's own way. */
type Host = "top_level" | "template" | "deepseek"

function hostOf(url: string): Host {
  const { hostname } = new URL(url)
  if (hostname === "api.deepseek.com") return "deepseek"
  return hostname === "api.openai.com" || hostname === "openrouter.ai" ? "top_level" : "template"
}

/** Returns what puts the reasoning setting of a candidate into bodies for this address. */
export function reasoningWriter(url: string): (body: WireObject, choice: ReasoningChoice) => WireObject {
  const host = hostOf(url)
  return (body, choice) => withReasoning(body, choice, host)
}

/** The client's own effort is lifted out and put back where the setting leaves room for it. */
function withReasoning(body: WireObject, { enabled, effort, family }: ReasoningChoice, host: Host): WireObject {
  const { reasoning_effort: asked, chat_template_kwargs: template, ...base } = body
  const kwargs = (typeof template === "object" && template !== null ? template : {}) as WireObject
  const withTemplate = (change: Readonly<Record<string, JsonValue>>): WireObject => ({
    ...base,
    chat_template_kwargs: { ...kwargs, ...change },
  })
  const untouched: WireObject = template === undefined ? base : { ...base, chat_template_kwargs: template }
  const restored: WireObject = asked === undefined ? untouched : { ...untouched, reasoning_effort: asked }

  if (host === "deepseek")
    return enabled
      ? { ...base, thinking: { type: "enabled" }, reasoning_effort: effort }
      : { ...base, thinking: { type: "disabled" } }
  switch (family.type) {
    case "chat_template_kwargs":
      // Off is said aloud, because some templates think by default.
      return withTemplate({ [family.parameter]: enabled })
    case "reasoning_effort":
      if (host === "top_level") return enabled ? { ...untouched, [family.parameter]: effort } : restored
      return withTemplate({ [family.parameter]: enabled ? effort : (asked ?? "low") })
    case "top_level_reasoning_effort": {
      if (!enabled) return restored
      const { [family.parameter]: _, ...others } = kwargs
      return { ...base, ...(template !== undefined && { chat_template_kwargs: others }), [family.parameter]: effort }
    }
  }
}
