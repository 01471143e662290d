// Limits what a request may ask of the model.

import { type ChatRequest, definePlugin, type Generation, type JsonValue, section, Type } from "../../kernel/index.ts"

const options = section({
  blocked_params: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: "Fields to remove" })),
  max_tokens_limit: Type.Optional(Type.Integer({ minimum: 1, description: "Highest limit of the reply's tokens" })),
  default_max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, description: "Limit of the reply's tokens for a request without one" }),
  ),
  max_n: Type.Optional(Type.Integer({ minimum: 1, description: "Highest n" })),
  strip_unknown: Type.Optional(Type.Boolean({ description: "Keep only the fields of the chat-completions API" })),
})

/** Without these a request is no request any more. */
const needed: ReadonlySet<string> = new Set(["model", "messages", "stream"])

const withoutGeneration =
  (field: keyof Generation) =>
  (request: ChatRequest): ChatRequest => {
    const { [field]: _, ...generation } = request.generation
    return { ...request, generation }
  }
const withoutSession =
  (field: keyof ChatRequest["session"]) =>
  (request: ChatRequest): ChatRequest => {
    const { [field]: _, ...session } = request.session
    return { ...request, session }
  }

/** The names that documents use for fields with a place of their own, and how each is removed. Other names are extensions. */
const fields: Readonly<Record<string, (request: ChatRequest) => ChatRequest>> = {
  frequency_penalty: withoutGeneration("frequencyPenalty"),
  logprobs: withoutGeneration("logprobs"),
  max_completion_tokens: withoutGeneration("maxOutputTokens"),
  max_output_tokens: withoutGeneration("maxOutputTokens"),
  max_tokens: withoutGeneration("maxOutputTokens"),
  n: withoutGeneration("count"),
  presence_penalty: withoutGeneration("presencePenalty"),
  seed: withoutGeneration("seed"),
  stop: withoutGeneration("stop"),
  temperature: withoutGeneration("temperature"),
  top_k: withoutGeneration("topK"),
  top_logprobs: withoutGeneration("topLogprobs"),
  top_p: withoutGeneration("topP"),
  metadata: withoutSession("metadata"),
  store: withoutSession("store"),
  user: withoutSession("user"),
  parallel_tool_calls: (request) => ({ ...request, parallelToolCalls: undefined }),
  reasoning_effort: (request) => ({ ...request, reasoning: undefined }),
  response_format: (request) => ({ ...request, output: undefined }),
  tool_choice: (request) => ({ ...request, toolChoice: undefined }),
  tools: (request) => ({ ...request, tools: [] }),
}

/** What `strip_unknown` takes away of the fields with a place of their own, and what it leaves of the others. */
const beyondTheApi = ["metadata", "parallel_tool_calls", "store", "top_k"] as const
const apiExtensions: ReadonlySet<string> = new Set([
  ...Object.keys(fields).filter((name) => !(beyondTheApi as readonly string[]).includes(name)),
  "logit_bias",
  "stream_options",
])

export default definePlugin({
  about: "Removes or caps request parameters",
  options,
  hooks: ["before"],
  check({ blocked_params: blocked = [] }, report) {
    blocked.forEach((name, index) => {
      if (needed.has(name)) report(["blocked_params", index], `"${name}" cannot be blocked; a request needs it`)
    })
  },
  setup({
    blocked_params: blocked = [],
    max_tokens_limit: maxTokens,
    default_max_tokens: usualTokens,
    max_n: maxCount,
    strip_unknown: stripUnknown = false,
  }) {
    const removed = new Set(blocked)
    const removals = [...new Set([...blocked, ...(stripUnknown ? beyondTheApi : [])])].flatMap((name) =>
      Object.hasOwn(fields, name) ? [fields[name] as (request: ChatRequest) => ChatRequest] : [],
    )
    const keeps = (name: string): boolean => !removed.has(name) && (!stripUnknown || apiExtensions.has(name))
    const change = (request: ChatRequest): ChatRequest => {
      const rest = removals.reduce((left, remove) => remove(left), request)
      const { maxOutputTokens = usualTokens, count } = rest.generation
      const kept = Object.entries(rest.extensions).filter(([name]) => keeps(name))
      return {
        ...rest,
        generation: {
          ...rest.generation,
          ...(maxOutputTokens !== undefined && { maxOutputTokens: atMost(maxOutputTokens, maxTokens) }),
          ...(count !== undefined && { count: atMost(count, maxCount) }),
        },
        // A client may send both names of the limit; the one that does not hold is an extension.
        extensions: Object.fromEntries(
          kept.map(([name, value]) => [name, name === "max_tokens" ? atMost(value, maxTokens) : value]),
        ),
      }
    }
    return { open: () => ({ before: ({ request }) => ({ request: change(request) }) }) }
  },
})

function atMost<Value extends JsonValue>(value: Value, limit: number | undefined): Value | number {
  return typeof value === "number" && limit !== undefined && value > limit ? limit : value
}
