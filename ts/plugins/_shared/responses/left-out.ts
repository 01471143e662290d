// What a Responses body says of the fields that clients of other dialects sent.

import type { DialectModule } from "../../../kernel/index.ts"
import { always, as, createLeftOut, only, same } from "../dialect/left-out.ts"
import { isObject, toList } from "../dialect/wire.ts"
import { shared } from "./foreign-request.ts"

const ofBoth = {
  ...same("temperature", "top_p", "tools", "tool_choice"),
  model: always,
  messages: always,
  stream: always,
}

export const leftOut: Exclude<DialectModule["leftOut"], undefined> = createLeftOut({
  chat_completions: {
    ...ofBoth,
    ...same("parallel_tool_calls", "user", "store", "metadata", "top_logprobs", ...shared),
    // The router writes the client's stream itself.
    stream_options: always,
    max_completion_tokens: as("max_output_tokens"),
    max_tokens: as("max_output_tokens"),
    reasoning_effort: as("reasoning"),
    response_format: as("text"),
    verbosity: as("text"),
    logprobs: (body, value) => value === false || toList(body["include"]).includes("message.output_text.logprobs"),
    modalities: (_, value) => toList(value).every((each) => each === "text"),
    n: only(1),
    presence_penalty: only(0),
    frequency_penalty: only(0),
  },
  messages: {
    ...ofBoth,
    system: always,
    max_tokens: as("max_output_tokens"),
    metadata: as("user"),
    tool_choice: as("tool_choice", "parallel_tool_calls"),
    thinking: (body, value) => isObject(value) && value["type"] !== "disabled" && "reasoning" in body,
    output_config: as("reasoning", "text"),
    output_format: as("text"),
  },
})
