// Shapes of Messages for the OpenAPI document. They are open: what a backend knows beyond them passes through.

import { type DialectSchemas, type TObject, Type, literals } from "../../../kernel/index.ts"

const anything = Type.Unknown()

const block = Type.Object(
  {
    type: Type.String({
      description:
        "`text`, `image`, `document`, `tool_use`, `tool_result`, `thinking`, or a type that the backend knows",
    }),
    text: Type.Optional(Type.String({ description: "The text of a `text` block" })),
    source: Type.Optional(anything),
    id: Type.Optional(Type.String({ description: "The tool's result names it as `tool_use_id`" })),
    name: Type.Optional(Type.String({ description: "Name of the tool that is called" })),
    input: Type.Optional(anything),
    tool_use_id: Type.Optional(Type.String({ description: "The call that a `tool_result` answers" })),
    content: Type.Optional(anything),
    is_error: Type.Optional(Type.Boolean({ description: "The tool failed" })),
    thinking: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String({ description: "The backend wants it back with its thinking" })),
  },
  { description: "One block of a message" },
)

const content = Type.Union([Type.String(), Type.Array(block)], { description: "Text, or a list of blocks" })

const number = (description: string) => Type.Optional(Type.Number({ description }))

const request: TObject = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "`MoM` lets the router choose; any other name is called directly",
    }),
    messages: Type.Array(Type.Object({ role: Type.String({ description: "`user` or `assistant`" }), content }), {
      minItems: 1,
      description: "The conversation in order",
    }),
    system: Type.Optional(content),
    max_tokens: number("Most tokens of the reply, thinking included"),
    stream: Type.Optional(Type.Boolean({ description: "Send the reply as server-sent events" })),
    temperature: number("0 to 1; higher is more random"),
    top_p: number("Share of probability to sample from"),
    top_k: number("How many tokens to sample from"),
    stop_sequences: Type.Optional(Type.Array(Type.String(), { description: "Texts that end the reply" })),
    tools: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.Optional(Type.String()),
          type: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "A tool that the backend has" })),
          description: Type.Optional(Type.String({ description: "Says to the model what the tool is for" })),
          input_schema: Type.Optional(Type.Object({}, { description: "JSON Schema of the input" })),
        }),
        { description: "Tools that the model may call" },
      ),
    ),
    tool_choice: Type.Optional(
      Type.Object({ type: Type.String() }, { description: "`auto`, `any`, `none`, or `tool` with a name" }),
    ),
    thinking: Type.Optional(
      Type.Object({ type: Type.String() }, { description: "Whether and how long the model may think" }),
    ),
    output_config: Type.Optional(Type.Object({}, { description: "`effort`, and `format` with a JSON Schema" })),
    metadata: Type.Optional(Type.Object({ user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])) })),
  },
  { description: "A chat request. Further fields go to a backend of this protocol as they are." },
)

const usage = Type.Object(
  {
    input_tokens: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], { description: "Without those of the cache" }),
    ),
    output_tokens: Type.Number(),
    cache_read_input_tokens: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    cache_creation_input_tokens: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  },
  { description: "Tokens of the call, as the backend counted them" },
)

const message = {
  id: Type.Optional(Type.String()),
  type: Type.Optional(literals(["message"])),
  role: Type.Optional(literals(["assistant"])),
  model: Type.Optional(Type.String({ description: "The model that answered, in the backend's words" })),
  content: Type.Array(block),
  stop_reason: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn`, `refusal`, or another",
    }),
  ),
  stop_sequence: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  usage: Type.Optional(usage),
}

const reply: TObject = Type.Object(
  {
    ...message,
    routing_metadata: Type.Optional(
      Type.Object({}, { description: "What the router decided: model, decision, confidence and time" }),
    ),
  },
  { description: "A whole reply, as the backend gave it, with `routing_metadata`" },
)

const event: TObject = Type.Object(
  {
    type: Type.String({
      description:
        "`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, `message_stop`, `ping`, or another",
    }),
    message: Type.Optional(Type.Object(message)),
    index: Type.Optional(Type.Number({ description: "Place of the block" })),
    content_block: Type.Optional(anything),
    delta: Type.Optional(anything),
    usage: Type.Optional(usage),
  },
  { description: "One event of a stream, as the backend gave it. `message_stop` is the last one." },
)

const error: TObject = Type.Object(
  {
    type: literals(["error"]),
    error: Type.Object({
      type: Type.String({ description: "`invalid_request_error`, `api_error` and so on" }),
      message: Type.String(),
      details: Type.Optional(anything),
    }),
    request_id: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "The router's log has it" })),
  },
  { description: "What went wrong" },
)

export const schemas: DialectSchemas = { request, reply, error, event }
