// Requests of the older completions API as bodies of chat completions: one for each prompt.

import { RtrError, type Static, Type, type WireObject } from "../../../kernel/index.ts"

/** Clients send lists of 20, and each prompt is a call of a model. */
const maxPrompts = 20

const optional = (kind: "number" | "integer" | "boolean", description: string) => {
  const plain = { number: Type.Number(), integer: Type.Integer(), boolean: Type.Boolean() }[kind]
  return Type.Optional(Type.Union([plain, Type.Null()], { description }))
}

export const completionBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      pattern: "\\S",
      description: "`MoM` lets the router choose; any other name is called directly",
    }),
    prompt: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: maxPrompts })], {
      description: `A text, or a list of up to ${maxPrompts} texts. Each goes to a chat model as one user message`,
    }),
    stream: optional("boolean", "Send the reply as server-sent events"),
    max_tokens: optional("integer", "Most tokens of each completion; the backend's to choose when left out"),
    n: optional("integer", "How many completions of each prompt"),
    best_of: optional("integer", "The same number as `n`, or left out"),
    logprobs: optional("integer", "Return log probabilities, and this many alternatives of each token"),
    echo: optional("boolean", "`false`, or left out"),
    suffix: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "Empty, or left out" })),
  },
  { description: "A request of the completions API. Further fields mean what they mean in chat completions." },
)

/** Fields of chat completions for which the reply of this API has no place. */
const chatOnly = [
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "modalities",
  "audio",
  "top_logprobs",
] as const

/** Throws `invalid_request` that names what a chat model cannot do. */
export function toChatBodies(body: Static<typeof completionBody>): readonly WireObject[] {
  checkFields(body)
  const { prompt, logprobs, best_of: _, echo: __, suffix: ___, ...rest } = body
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) as WireObject
  const wanted = typeof logprobs === "number" && { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) }
  return [prompt].flat().map((content) => ({ ...fields, ...wanted, messages: [{ role: "user", content }] }))
}

function checkFields({ echo, suffix, best_of: bestOf, n, ...rest }: Readonly<Record<string, unknown>>): void {
  if (echo === true) throw refuse('"echo" is not supported: a chat model answers a prompt and does not repeat it')
  if (typeof suffix === "string" && suffix !== "")
    throw refuse('"suffix" is not supported: a chat model answers a prompt and does not fill a gap')
  if (typeof bestOf === "number" && bestOf !== (n ?? 1))
    throw refuse('"best_of" is not supported, unless it is the same as "n": chat models return every reply')
  for (const name of chatOnly)
    if (rest[name] !== undefined && rest[name] !== null)
      throw refuse(`"${name}" does not belong to completions; use /v1/chat/completions`)
}

const refuse = (reason: string): RtrError =>
  new RtrError("invalid_request", `Cannot read the completion request: ${reason}`)
