// Shapes of the Responses API for the OpenAPI document. They are open: what a backend knows beyond them passes through.

import { type DialectSchemas, literals, type TObject, Type } from "../../../kernel/index.ts"
import { errorSchema } from "../chat-completions/schemas.ts"

const text = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }))
const number = (description: string) => Type.Optional(Type.Union([Type.Number(), Type.Null()], { description }))
const yesOrNo = (description: string) => Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }))

const part = Type.Object(
  {
    type: Type.String({
      description:
        "`input_text`, `input_image`, `input_file`, `output_text`, `refusal`, or a type that the backend knows",
    }),
    text: Type.Optional(Type.String({ description: "The text of a text part" })),
    image_url: text("Address, or a `data:` URL in base64"),
    file_id: text("A file that the backend has"),
    file_url: Type.Optional(Type.String()),
    file_data: Type.Optional(Type.String({ description: "`data:` URL in base64" })),
    filename: Type.Optional(Type.String()),
    detail: text("`auto`, `low` or `high`"),
  },
  { description: "One part of a message or of a tool's output" },
)

const content = Type.Union([Type.String(), Type.Array(part)], { description: "Text, or a list of parts" })

const item = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        description:
          "`message` when left out; `function_call`, `function_call_output`, `custom_tool_call`, `custom_tool_call_output`, `reasoning`, or a type that the backend knows",
      }),
    ),
    id: text("Id of the item"),
    role: Type.Optional(Type.String({ description: "`user`, `assistant`, `system` or `developer`, of a message" })),
    content: Type.Optional(Type.Union([content, Type.Null()])),
    call_id: text("Ties a call to its output"),
    name: text("Name of the called tool"),
    arguments: Type.Optional(Type.String({ description: "JSON text, as the model wrote it" })),
    input: Type.Optional(Type.String({ description: "Free text for a custom tool" })),
    output: Type.Optional(content),
    summary: Type.Optional(Type.Array(Type.Object({ type: Type.String(), text: Type.String() }))),
    encrypted_content: text("Reasoning that only its vendor can read"),
    status: text("`in_progress`, `completed` or `incomplete`"),
  },
  { description: "One item of a conversation" },
)

const tool = Type.Object({
  type: Type.String({ description: "`function`, `custom`, or a tool that the backend has" }),
  name: Type.Optional(Type.String()),
  description: text("Says to the model what the tool is for"),
  parameters: Type.Optional(
    Type.Union([Type.Object({}), Type.Null()], { description: "JSON Schema of the arguments" }),
  ),
  strict: yesOrNo("Whether the arguments must match the schema"),
})

const request: TObject = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "`MoM` lets the router choose; any other name is called directly",
    }),
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(item), Type.Null()], {
        description:
          "Text of the user, or the items of the conversation in order; needed unless `prompt` stands for it",
      }),
    ),
    instructions: text("What the model is told before the conversation"),
    stream: yesOrNo("Send the reply as server-sent events"),
    max_output_tokens: number("Most tokens of the reply, reasoning included"),
    temperature: number("0 to 2; higher is more random"),
    top_p: number("Share of probability to sample from"),
    top_logprobs: number("How many alternatives of each token"),
    tools: Type.Optional(Type.Array(tool, { description: "Tools that the model may call" })),
    tool_choice: Type.Optional(
      Type.Union([Type.String(), Type.Object({})], { description: "`auto`, `none`, `required`, or one tool" }),
    ),
    parallel_tool_calls: yesOrNo("Whether several tools may be called at once"),
    text: Type.Optional(
      Type.Object(
        { format: Type.Optional(Type.Object({ type: Type.String() })), verbosity: text("How much the model says") },
        { description: "`format` is `text`, `json_object`, or `json_schema` with its schema" },
      ),
    ),
    reasoning: Type.Optional(
      Type.Union([
        Type.Object({ effort: text("How long the model may think"), summary: text("Whether it sums up its thoughts") }),
        Type.Null(),
      ]),
    ),
    include: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: "More to return, such as `reasoning.encrypted_content`",
      }),
    ),
    truncation: text("`auto` lets the backend leave out the middle of a conversation that is too long"),
    store: yesOrNo("Whether the response is kept, by a router that keeps responses and by a backend of this API"),
    metadata: Type.Optional(Type.Union([Type.Object({}), Type.Null()], { description: "Kept with the response" })),
    user: Type.Optional(Type.String({ description: "The end user, for the backend's own use" })),
    previous_response_id: text("Continues a response that the router keeps, or a backend of this API"),
    conversation: Type.Optional(
      Type.Union([Type.String(), Type.Object({ id: Type.String() }), Type.Null()], {
        description: "A conversation that the router keeps, or a backend of this API",
      }),
    ),
    background: yesOrNo("Answer later, where the router keeps responses or the backend has this API"),
  },
  { description: "A request of the Responses API. Further fields go to the backend as they are." },
)

const reply: TObject = Type.Object(
  {
    id: Type.Optional(Type.String()),
    object: Type.Optional(literals(["response"])),
    created_at: Type.Optional(Type.Number({ description: "Seconds since 1970" })),
    model: Type.Optional(Type.String({ description: "The model that answered, in the backend's words" })),
    status: Type.Optional(Type.String({ description: "`completed` or `incomplete`" })),
    incomplete_details: Type.Optional(
      Type.Union([Type.Object({ reason: text("`max_output_tokens` or `content_filter`") }), Type.Null()]),
    ),
    output: Type.Optional(Type.Array(item, { description: "Messages, calls and reasoning in order" })),
    usage: Type.Optional(
      Type.Union([
        Type.Object(
          {
            input_tokens: Type.Number(),
            output_tokens: Type.Number(),
            total_tokens: Type.Optional(Type.Number()),
            input_tokens_details: Type.Optional(Type.Object({ cached_tokens: number("From the cache") })),
            output_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: number("Thought, not said") })),
          },
          { description: "Tokens of the call, as the backend counted them" },
        ),
        Type.Null(),
      ]),
    ),
    routing_metadata: Type.Optional(
      Type.Object({}, { description: "What the router decided: model, decision, confidence and time" }),
    ),
  },
  { description: "A whole response, as the backend gave it, with `routing_metadata`" },
)

const event: TObject = Type.Object(
  {
    type: Type.String({ description: "`response.created`, `response.output_text.delta` and the others of the API" }),
    sequence_number: Type.Optional(Type.Number({ description: "Counts the events of a stream" })),
    response: Type.Optional(Type.Object({}, { description: "The response so far, at the beginning and at the end" })),
    output_index: Type.Optional(Type.Number({ description: "Place of the item in the output" })),
    item_id: Type.Optional(Type.String()),
    item: Type.Optional(item),
    content_index: Type.Optional(Type.Number({ description: "Place of the part in its message" })),
    delta: Type.Optional(Type.String({ description: "More of a text or of arguments" })),
  },
  {
    description:
      "One event of a stream. `response.completed`, `response.incomplete` or `response.failed` is the last one, or an event of type `error`.",
  },
)

export const schemas: DialectSchemas = { request, reply, error: errorSchema, event }
