// Shapes of chat completions for the OpenAPI document. They are open: what a backend knows beyond them passes through.

import { type DialectSchemas, type TObject, Type, literals } from "../../../kernel/index.ts"

const anything = Type.Unknown()

const part = Type.Object(
  {
    type: Type.String({ description: "`text`, `image_url`, `input_audio`, `file`, or a type that the backend knows" }),
    text: Type.Optional(Type.String({ description: "The text of a `text` part" })),
    image_url: Type.Optional(
      Type.Object({
        url: Type.String({ description: "Address, or a `data:` URL in base64" }),
        detail: Type.Optional(Type.String({ description: "`auto`, `low` or `high`" })),
      }),
    ),
    input_audio: Type.Optional(
      Type.Object({
        data: Type.String({ description: "Base64" }),
        format: Type.String({ description: "`wav` or `mp3`" }),
      }),
    ),
    file: Type.Optional(
      Type.Object({
        file_id: Type.Optional(Type.String()),
        file_data: Type.Optional(Type.String({ description: "`data:` URL in base64" })),
        filename: Type.Optional(Type.String()),
      }),
    ),
  },
  { description: "One part of a message" },
)

const toolCall = Type.Object({
  id: Type.String({ description: "The tool's result names it as `tool_call_id`" }),
  type: Type.String({ description: "`function` or `custom`" }),
  function: Type.Optional(
    Type.Object({ name: Type.String(), arguments: Type.String({ description: "JSON text, as the model wrote it" }) }),
  ),
  custom: Type.Optional(Type.Object({ name: Type.String(), input: Type.String({ description: "Free text" }) })),
})

const content = Type.Union([Type.String(), Type.Array(part), Type.Null()], { description: "Text, or a list of parts" })

const message = Type.Object({
  role: Type.String({
    description: "`system`, `developer`, `user`, `assistant`, `tool`, or a role that the model knows",
  }),
  content: Type.Optional(content),
  name: Type.Optional(Type.String({ description: "Tells participants of one role apart" })),
  tool_calls: Type.Optional(Type.Array(toolCall, { description: "Calls that the assistant made" })),
  tool_call_id: Type.Optional(Type.String({ description: "The call that a `tool` message answers" })),
})

const tool = Type.Object({
  type: Type.String({ description: "`function`, `custom`, or a tool that the backend has" }),
  function: Type.Optional(
    Type.Object({
      name: Type.String(),
      description: Type.Optional(Type.String({ description: "Says to the model what the function is for" })),
      parameters: Type.Optional(Type.Object({}, { description: "JSON Schema of the arguments" })),
    }),
  ),
})

const number = (description: string) => Type.Optional(Type.Union([Type.Number(), Type.Null()], { description }))

const request: TObject = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "`MoM` lets the router choose; any other name is called directly",
    }),
    messages: Type.Array(message, { minItems: 1, description: "The conversation in order" }),
    stream: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: "Send the reply as server-sent events" }),
    ),
    stream_options: Type.Optional(
      Type.Union([
        Type.Object({
          include_usage: Type.Optional(Type.Boolean({ description: "Count tokens in a last chunk without choices" })),
        }),
        Type.Null(),
      ]),
    ),
    max_completion_tokens: number("Most tokens of the reply, reasoning included"),
    max_tokens: number("Older name of `max_completion_tokens`"),
    temperature: number("0 to 2; higher is more random"),
    top_p: number("Share of probability to sample from"),
    n: number("How many replies"),
    stop: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], { description: "Texts that end the reply" }),
    ),
    seed: number("Makes sampling repeatable where the backend can"),
    presence_penalty: number("-2 to 2"),
    frequency_penalty: number("-2 to 2"),
    logprobs: Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description: "Return log probabilities" })),
    top_logprobs: number("How many alternatives of each token"),
    tools: Type.Optional(Type.Array(tool, { description: "Tools that the model may call" })),
    tool_choice: Type.Optional(
      Type.Union([Type.String(), Type.Object({})], { description: "`auto`, `none`, `required`, or one tool" }),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean({ description: "Whether several tools may be called at once" })),
    response_format: Type.Optional(
      Type.Object(
        { type: Type.String(), json_schema: Type.Optional(Type.Object({})) },
        { description: "`text`, `json_object`, or `json_schema` with its schema" },
      ),
    ),
    reasoning_effort: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: "How long a reasoning model may think" }),
    ),
    user: Type.Optional(Type.String({ description: "The end user, for the backend's own use" })),
    metadata: Type.Optional(Type.Union([Type.Object({}), Type.Null()], { description: "Kept by backends that store" })),
    store: Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description: "Let the backend keep the reply" })),
  },
  { description: "A chat request. Further fields go to the backend as they are." },
)

const usage = Type.Object(
  {
    prompt_tokens: Type.Number(),
    completion_tokens: Type.Number(),
    total_tokens: Type.Optional(Type.Number()),
    prompt_tokens_details: Type.Optional(
      Type.Union([Type.Object({ cached_tokens: number("From the cache") }), Type.Null()]),
    ),
  },
  { description: "Tokens of the call, as the backend counted them" },
)

const reply: TObject = Type.Object(
  {
    id: Type.Optional(Type.String()),
    object: Type.Optional(literals(["chat.completion"])),
    created: Type.Optional(Type.Number({ description: "Seconds since 1970" })),
    model: Type.Optional(Type.String({ description: "The model that answered, in the backend's words" })),
    choices: Type.Optional(
      Type.Array(
        Type.Object({
          index: Type.Optional(Type.Number()),
          message: Type.Optional(
            Type.Object({
              role: Type.Optional(Type.String()),
              content: Type.Optional(content),
              reasoning_content: Type.Optional(anything),
              refusal: Type.Optional(Type.Union([Type.String(), Type.Null()])),
              tool_calls: Type.Optional(Type.Union([Type.Array(toolCall), Type.Null()])),
            }),
          ),
          finish_reason: Type.Optional(
            Type.Union([Type.String(), Type.Null()], {
              description: "`stop`, `length`, `tool_calls`, `content_filter`, or a reason of the backend",
            }),
          ),
          logprobs: Type.Optional(anything),
        }),
      ),
    ),
    usage: Type.Optional(Type.Union([usage, Type.Null()])),
    routing_metadata: Type.Optional(
      Type.Object({}, { description: "What the router decided: model, decision, confidence and time" }),
    ),
  },
  { description: "A whole reply, as the backend gave it, with `routing_metadata`" },
)

const piece = Type.Object({
  role: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  content: Type.Optional(content),
  reasoning_content: Type.Optional(anything),
  refusal: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  tool_calls: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object({
          index: Type.Optional(Type.Number({ description: "Tells parallel calls apart" })),
          id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          function: Type.Optional(
            Type.Object({
              name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
              arguments: Type.Optional(Type.Union([Type.String(), Type.Null()])),
            }),
          ),
        }),
      ),
      Type.Null(),
    ]),
  ),
})

const event: TObject = Type.Object(
  {
    id: Type.Optional(Type.String()),
    object: Type.Optional(literals(["chat.completion.chunk"])),
    created: Type.Optional(Type.Number({ description: "Seconds since 1970" })),
    model: Type.Optional(Type.String()),
    choices: Type.Array(
      Type.Object({
        index: Type.Optional(Type.Number()),
        delta: Type.Optional(piece),
        finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        logprobs: Type.Optional(anything),
      }),
      { description: "Empty in the chunk that counts tokens" },
    ),
    usage: Type.Optional(Type.Union([usage, Type.Null()])),
  },
  { description: "One chunk of a stream, as the backend gave it. `[DONE]` follows the last one." },
)

export const errorSchema: TObject = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.Optional(anything),
      code: Type.Optional(anything),
      param: Type.Optional(anything),
      details: Type.Optional(
        Type.Object({ request_id: Type.Optional(Type.String({ description: "The router's log has it" })) }),
      ),
    }),
  },
  { description: "What went wrong" },
)

export const schemas: DialectSchemas = { request, reply, error: errorSchema, event }
