// What a chat-completions body says of the fields that clients of other dialects sent.

import type { DialectModule } from "../../../kernel/index.ts"
import { always, as, createLeftOut, only, same } from "../dialect/left-out.ts"
import { isObject } from "../dialect/wire.ts"

const ofBoth = {
  ...same("temperature", "top_p", "tools"),
  model: always,
  stream: always,
}

export const leftOut: Exclude<DialectModule["leftOut"], undefined> = createLeftOut({
  messages: {
    ...ofBoth,
    ...same("top_k"),
    messages: always,
    system: always,
    max_tokens: as("max_completion_tokens"),
    stop_sequences: as("stop"),
    metadata: as("user"),
    tool_choice: as("tool_choice", "parallel_tool_calls"),
    thinking: (body, value) => isObject(value) && value["type"] !== "disabled" && "reasoning_effort" in body,
    output_config: as("reasoning_effort", "response_format"),
    output_format: as("response_format"),
  },
  responses: {
    ...ofBoth,
    ...same("tool_choice", "parallel_tool_calls", "user", "store", "metadata", "top_logprobs"),
    input: always,
    instructions: always,
    // The router writes the client's stream itself.
    stream_options: always,
    max_output_tokens: as("max_completion_tokens"),
    reasoning: as("reasoning_effort"),
    text: as("response_format"),
    include: as("logprobs"),
    // The router itself does both, where it can be done.
    previous_response_id: always,
    conversation: always,
    background: only(false),
    truncation: only("disabled"),
  },
})
