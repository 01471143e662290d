// What a Messages body says of the fields that clients of other dialects sent.

import type { DialectModule, JsonValue } from "../../../kernel/index.ts"
import { always, as, createLeftOut, either, type Fields, type Holds, only, same } from "../dialect/left-out.ts"
import { isObject, toList } from "../dialect/wire.ts"

const isPlain = (format: JsonValue | undefined): boolean => isObject(format) && format["type"] === "text"

/** Both stand in one field, and without tools they say nothing. */
const ofTools: Holds = (body, value) => value === true || "tool_choice" in body || !("tools" in body)

const ofBoth: Fields = {
  ...same("temperature", "top_p", "tools"),
  model: always,
  stream: always,
  // The router writes the client's stream itself.
  stream_options: always,
  parallel_tool_calls: ofTools,
  tool_choice: ofTools,
  store: only(false),
  user: as("metadata"),
}

export const leftOut: Exclude<DialectModule["leftOut"], undefined> = createLeftOut({
  chat_completions: {
    ...ofBoth,
    ...same("top_k"),
    messages: always,
    max_completion_tokens: as("max_tokens"),
    max_tokens: as("max_tokens"),
    stop: as("stop_sequences"),
    reasoning_effort: either(as("thinking"), only("none")),
    response_format: either(as("output_config"), (_, format) => isPlain(format)),
    modalities: (_, value) => toList(value).every((each) => each === "text"),
    n: only(1),
    logprobs: only(false),
    presence_penalty: only(0),
    frequency_penalty: only(0),
  },
  responses: {
    ...ofBoth,
    input: always,
    instructions: always,
    max_output_tokens: as("max_tokens"),
    reasoning: either(as("thinking"), (_, value) => isObject(value) && value["effort"] === "none"),
    text: either(as("output_config"), (_, text) => isObject(text) && isPlain(text["format"]) && !("verbosity" in text)),
    // The router itself does both, where it can be done.
    previous_response_id: always,
    conversation: always,
    background: only(false),
    truncation: only("disabled"),
  },
})
