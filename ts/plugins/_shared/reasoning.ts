// Switches a model's reasoning on or off in the words of its family and host.

import type { ChatRequest, ReasoningChoice } from "../../kernel/index.ts"

/** How a host wants to be told: at the top level, inside template arguments, or DeepSeek's own way. */
type Dialect = "top_level" | "template" | "deepseek"

function dialectOf(url: string): Dialect {
  const { hostname } = new URL(url)
  if (hostname === "api.deepseek.com") return "deepseek"
  return hostname === "api.openai.com" || hostname === "openrouter.ai" ? "top_level" : "template"
}

/** The request with the reasoning setting of its candidate. The client's own effort is lifted out and put back where the setting leaves room for it. */
export function withReasoning(
  request: ChatRequest,
  { enabled, effort, family }: ReasoningChoice,
  url: string,
): ChatRequest {
  const { reasoning_effort: asked, chat_template_kwargs: template, ...rest } = request
  const base = rest as unknown as ChatRequest
  const kwargs = (typeof template === "object" && template !== null ? template : {}) as Readonly<
    Record<string, unknown>
  >
  const withTemplate = (change: Readonly<Record<string, unknown>>): ChatRequest => ({
    ...base,
    chat_template_kwargs: { ...kwargs, ...change },
  })
  const untouched = template === undefined ? base : { ...base, chat_template_kwargs: template }
  const restored = asked === undefined ? untouched : { ...untouched, reasoning_effort: asked }
  const dialect = dialectOf(url)

  if (dialect === "deepseek")
    return enabled
      ? { ...base, thinking: { type: "enabled" }, reasoning_effort: effort }
      : { ...base, thinking: { type: "disabled" } }
  switch (family.type) {
    case "chat_template_kwargs":
      // Off is said aloud, because some templates think by default.
      return withTemplate({ [family.parameter]: enabled })
    case "reasoning_effort":
      if (dialect === "top_level") return enabled ? { ...untouched, [family.parameter]: effort } : restored
      return withTemplate({ [family.parameter]: enabled ? effort : (asked ?? "low") })
    case "top_level_reasoning_effort": {
      if (!enabled) return restored
      const { [family.parameter]: _, ...others } = kwargs
      return { ...base, ...(template !== undefined && { chat_template_kwargs: others }), [family.parameter]: effort }
    }
  }
}
