// Requests of other dialects: what the Responses API cannot say, and what it says in the same words.

import type { ChatRequest, WireObject } from "../../../kernel/index.ts"
import { dialectId as chatCompletions } from "../chat-completions/wire.ts"
import { isObject, says, toList, withoutUndefined } from "../dialect/wire.ts"
import { refuse } from "./wire.ts"

/** Fields of chat completions that change what a reply is. Others only tune how it comes about, or are for the host. */
const needed = ["audio", "functions", "function_call", "logit_bias", "web_search_options"] as const

/** Throws `invalid_request` that names a field without which the request would mean something else. */
export function checkForeign({ generation, toolChoice, output, extensions }: ChatRequest): void {
  const { count = 1, stop = [], presencePenalty = 0, frequencyPenalty = 0 } = generation
  if (count > 1) throw refuse(`"n" is ${count}, and the API makes one reply`)
  if (stop.length > 0) throw refuse('"stop" has no counterpart')
  if (presencePenalty !== 0) throw refuse('"presence_penalty" has no counterpart')
  if (frequencyPenalty !== 0) throw refuse('"frequency_penalty" has no counterpart')
  if (typeof toolChoice === "object" && "opaque" in toolChoice) throw refuse("the choice of tools has no counterpart")
  if (output?.type === "opaque") throw refuse("the format of the output has no counterpart")
  if (toList(extensions["modalities"]).includes("audio")) throw refuse('"modalities" asks for audio')
  for (const name of needed) if (says(extensions[name])) throw refuse(`"${name}" has no counterpart`)
}

/** Fields that both APIs of the vendor have, and that the canonical form does not. */
export const shared = [
  "moderation",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
] as const

/** A body with them, where the client spoke the vendor's other API. */
export function withSharedFields(body: WireObject, { origin, extensions }: ChatRequest): WireObject {
  if (origin?.dialect !== chatCompletions) return body
  const { verbosity } = extensions
  const { text } = body
  return {
    ...body,
    ...withoutUndefined(Object.fromEntries(shared.map((name) => [name, extensions[name] ?? undefined]))),
    ...(typeof verbosity === "string" && { text: { ...(isObject(text) && text), verbosity } }),
  }
}
