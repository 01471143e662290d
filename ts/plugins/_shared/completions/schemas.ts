// Shapes of completions for the OpenAPI document.

import { mapOf, type TObject, Type } from "../../../kernel/index.ts"

const choice = Type.Object({
  text: Type.String(),
  index: Type.Integer({ description: "Completions of the first prompt come first" }),
  logprobs: Type.Union([
    Type.Object({
      tokens: Type.Array(Type.String()),
      token_logprobs: Type.Array(Type.Number()),
      top_logprobs: Type.Array(Type.Union([mapOf(Type.Number()), Type.Null()])),
      text_offset: Type.Array(Type.Integer(), { description: "Where each token begins in the text of its choice" }),
    }),
    Type.Null(),
  ]),
  finish_reason: Type.Union([Type.String(), Type.Null()], { description: "`stop`, `length` or `content_filter`" }),
})

const head = {
  id: Type.String(),
  object: Type.Literal("text_completion"),
  created: Type.Number({ description: "Seconds since 1970" }),
  model: Type.String({ description: "The model that answered, in the backend's words" }),
  choices: Type.Array(choice),
  usage: Type.Optional(
    Type.Object({
      prompt_tokens: Type.Number(),
      completion_tokens: Type.Number(),
      total_tokens: Type.Number(),
    }),
  ),
}

export const completionReply: TObject = Type.Object({
  ...head,
  routing_metadata: Type.Optional(
    Type.Object({}, { description: "What the router decided: model, decision, confidence and time" }),
  ),
})

export const completionEvent: TObject = Type.Object(head, {
  description: "One piece of a stream. `[DONE]` follows the last one.",
})
