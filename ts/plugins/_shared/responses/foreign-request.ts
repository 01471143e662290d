// Requests of other dialects that the Responses API cannot say in full.

import type { ChatRequest, JsonValue } from "../../../kernel/index.ts"
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
  for (const name of needed) if (says(extensions[name])) throw refuse(`"${name}" has no counterpart`)
}

const says = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && (typeof value !== "object" || Object.keys(value).length > 0)
