// Limits what a request may ask of the model.

import { type ChatRequest, definePlugin, Type } from "../../kernel/index.ts"

const options = Type.Object(
  {
    blocked_params: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: "Top-level fields to remove" }),
    ),
    max_tokens_limit: Type.Optional(
      Type.Integer({ minimum: 1, description: "Highest max_tokens and max_completion_tokens" }),
    ),
    max_n: Type.Optional(Type.Integer({ minimum: 1, description: "Highest n" })),
    strip_unknown: Type.Optional(Type.Boolean({ description: "Keep only the fields of the chat-completions API" })),
  },
  { additionalProperties: false },
)

/** Without these a request is no request any more. */
const needed: ReadonlySet<string> = new Set(["model", "messages", "stream"])

const known: ReadonlySet<string> = new Set([
  ...needed,
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "n",
  "presence_penalty",
  "reasoning_effort",
  "response_format",
  "seed",
  "stop",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
])

export default definePlugin({
  about: "Removes or caps request parameters",
  options,
  check({ blocked_params: blocked = [] }, report) {
    blocked.forEach((name, index) => {
      if (needed.has(name)) report(["blocked_params", index], `"${name}" cannot be blocked; a request needs it`)
    })
  },
  setup({
    blocked_params: blocked = [],
    max_tokens_limit: maxTokens,
    max_n: maxN,
    strip_unknown: stripUnknown = false,
  }) {
    const removed = new Set(blocked)
    const limits = Object.entries({ max_tokens: maxTokens, max_completion_tokens: maxTokens, n: maxN }).flatMap(
      ([name, limit]) => (limit === undefined ? [] : [{ name, limit }]),
    )
    const change = (request: ChatRequest): ChatRequest => {
      const kept = Object.entries(request).filter(([name]) => !removed.has(name) && (!stripUnknown || known.has(name)))
      const changed: Record<string, unknown> = Object.fromEntries(kept)
      for (const { name, limit } of limits) {
        const value = changed[name]
        if (typeof value === "number" && value > limit) changed[name] = limit
      }
      return changed as ChatRequest
    }
    return { before: ({ request }) => ({ request: change(request) }) }
  },
})
