// Where local servers and their older versions leave the API: what reads them copes, but clients of the same API may not.
// Such a chunk or choice is therefore written anew instead of going on as it came.

import type { JsonValue, WireObject } from "../../../kernel/index.ts"
import { isObject, isText } from "../dialect/wire.ts"

/** Ollama, SGLang and Text Generation Inference had each of these; clients look up `choices` and `delta` without asking. */
export const deviates = ({ choices }: WireObject): boolean => !Array.isArray(choices) || choices.some(choiceDeviates)

export function choiceDeviates(choice: JsonValue): boolean {
  if (!isObject(choice)) return true
  const { index, message, delta = message, finish_reason: reason } = choice
  if (typeof index !== "number" || reason === "" || !isObject(delta)) return true
  const calls = delta["tool_calls"] ?? []
  return !Array.isArray(calls) || calls.some((call) => callDeviates(call as JsonValue, delta !== message))
}

/** In a stream, clients put the pieces of a call together by its index. */
function callDeviates(call: JsonValue, streamed: boolean): boolean {
  if (!isObject(call) || (streamed && typeof call["index"] !== "number")) return true
  const { function: plain } = call
  return isObject(plain) && isObject(plain["arguments"])
}

/** Text Generation Inference sends one call without a list around it. */
export const callsOf = (calls: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(calls) ? (calls as readonly JsonValue[]) : isObject(calls) ? [calls] : []

/** Servers name it in two ways, some in both, of which one may be empty. */
export const reasoningOf = ({ reasoning_content: longer, reasoning }: WireObject): JsonValue | undefined =>
  isText(longer) && longer !== "" ? longer : reasoning
