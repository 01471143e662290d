// Every field of a request, from the types of the vendors' clients: a field that a new version brings is missing here and does
// not compile.

import type { BetaMessageStreamParams } from "@anthropic-ai/sdk/resources/beta/messages"
import type OpenAI from "openai"
import type { Protocol } from "./conversation.ts"

type Fields = Readonly<Record<string, unknown>>

export interface FieldCase {
  /** As its path stands in the table. */
  readonly path: string
  /** The fields of a body with it, and of the same body without it. */
  readonly given: Fields
  readonly without: Fields
}

/** A value that no other field needs, or one with what has to stand beside it. */
const beside = (value: unknown, others: Fields): Beside => ({ value, others })
interface Beside {
  readonly value: unknown
  readonly others: Fields
}
const isBeside = (sample: unknown): sample is Beside =>
  typeof sample === "object" && sample !== null && "value" in sample && "others" in sample

/** Top-level fields, and `path: [fields with it, fields without it]` of those inside. */
function casesOf(
  samples: Fields,
  inner: Readonly<Record<string, readonly [given: Fields, without: Fields]>>,
): readonly FieldCase[] {
  return [
    ...Object.entries(samples).map(([path, sample]) => {
      const { value, others } = isBeside(sample) ? sample : { value: sample, others: {} }
      return { path, given: { ...others, [path]: value }, without: others }
    }),
    ...Object.entries(inner).map(([path, [given, without]]) => ({ path, given, without })),
  ]
}

// ── chat completions ──

type ChatFields = Exclude<keyof OpenAI.ChatCompletionCreateParamsNonStreaming, "model" | "messages" | "stream">

const schema = { type: "object", properties: { a: { type: "string" } } }
const chatTool = { type: "function", function: { name: "f", parameters: schema } }
const user = { role: "user", content: "hi" }
const chatTurns = (...messages: readonly object[]): Fields => ({ messages })
const chatPart = (part: object): Fields => chatTurns({ role: "user", content: [{ type: "text", text: "hi" }, part] })
const chatBare = chatTurns({ role: "user", content: [{ type: "text", text: "hi" }] })
const chatCall = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }
const chatAnswer = { role: "tool", tool_call_id: "call_1", content: "ok" }
const chatSaid = (fields: object): Fields => chatTurns(user, { role: "assistant", content: "ok", ...fields }, user)

const chatFields = casesOf(
  {
    audio: beside({ voice: "alloy", format: "wav" }, { modalities: ["text"] }),
    frequency_penalty: 0.5,
    function_call: beside("auto", {}),
    functions: [{ name: "f", parameters: schema }],
    logit_bias: { 50_256: -100 },
    logprobs: true,
    max_completion_tokens: 50,
    max_tokens: 50,
    metadata: { a: "b" },
    modalities: ["text", "audio"],
    moderation: { model: "omni-moderation" },
    n: 2,
    parallel_tool_calls: beside(false, { tools: [chatTool] }),
    prediction: { type: "content", content: "hi" },
    presence_penalty: 0.5,
    prompt_cache_key: "key",
    prompt_cache_options: { mode: "auto" },
    prompt_cache_retention: "24h",
    reasoning_effort: "high",
    response_format: { type: "json_schema", json_schema: { name: "s", schema } },
    safety_identifier: "someone",
    seed: 7,
    service_tier: "flex",
    stop: ["X"],
    store: true,
    stream_options: beside({ include_usage: true }, { stream: true }),
    temperature: 0.5,
    tool_choice: beside("required", { tools: [chatTool] }),
    tools: [chatTool],
    top_logprobs: 2,
    top_p: 0.5,
    user: "someone",
    verbosity: "low",
    web_search_options: { search_context_size: "low" },
  } satisfies Readonly<Record<ChatFields, unknown>>,
  {
    "messages[] of role developer": [chatTurns({ role: "developer", content: "rules" }, user), chatTurns(user)],
    "messages[].name": [chatTurns({ ...user, name: "Ann" }), chatTurns(user)],
    image_url: [chatPart({ type: "image_url", image_url: { url: "https://a.example/i.png" } }), chatBare],
    "image_url.detail": [
      chatPart({ type: "image_url", image_url: { url: "https://a.example/i.png", detail: "low" } }),
      chatPart({ type: "image_url", image_url: { url: "https://a.example/i.png" } }),
    ],
    input_audio: [chatPart({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }), chatBare],
    "file.file_data": [
      chatPart({ type: "file", file: { file_data: "data:application/pdf;base64,aGk=", filename: "a.pdf" } }),
      chatBare,
    ],
    "file.file_id": [chatPart({ type: "file", file: { file_id: "file_1" } }), chatBare],
    tool_calls: [
      chatTurns(user, { role: "assistant", content: "ok", tool_calls: [chatCall] }, chatAnswer),
      chatTurns(user, { role: "assistant", content: "ok" }),
    ],
    reasoning_content: [chatSaid({ reasoning_content: "hm" }), chatSaid({})],
    refusal: [chatSaid({ refusal: "no" }), chatSaid({})],
    annotations: [
      chatSaid({
        annotations: [{ type: "url_citation", url_citation: { url: "u", title: "t", start_index: 0, end_index: 1 } }],
      }),
      chatSaid({}),
    ],
    "tools[] of type custom": [{ tools: [chatTool, { type: "custom", custom: { name: "g" } }] }, { tools: [chatTool] }],
    "tools[].function.strict": [
      { tools: [{ type: "function", function: { ...chatTool.function, strict: true } }] },
      { tools: [chatTool] },
    ],
    "tool_choice of allowed_tools": [
      { tools: [chatTool], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } } },
      { tools: [chatTool] },
    ],
    "response_format of json_object": [{ response_format: { type: "json_object" } }, {}],
    top_k: [{ top_k: 5 }, {}],
  },
)

// ── Messages ──

type MessagesFields = Exclude<keyof BetaMessageStreamParams, "model" | "messages" | "stream" | "max_tokens" | "betas">

const tool = { name: "f", input_schema: schema }
const block = (part: object): Fields => ({
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }, part] }],
})
const bare = { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }
const said = (...content: readonly object[]): Fields => ({
  messages: [user, { role: "assistant", content: [...content, { type: "text", text: "ok" }] }, user],
})
const citing = (...citations: readonly object[]): Fields => ({
  messages: [user, { role: "assistant", content: [{ type: "text", text: "ok", citations }] }, user],
})
const called = (fields: object): Fields => ({
  messages: [
    user,
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok", ...fields }] },
  ],
})
const beta = { mcp_servers: [{ type: "url", name: "m", url: "https://m.example" }] }

const messagesFields = casesOf(
  {
    billing_policy: "standard",
    cache_control: { type: "ephemeral" },
    compaction: { mode: "auto" },
    container: { skills: [{ type: "anthropic", skill_id: "pdf" }] },
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    diagnostics: { previous_message_id: "msg_1" },
    fallback_credit_token: "token",
    fallbacks: [{ model: "other" }],
    inference_geo: "eu",
    mcp_servers: beta.mcp_servers,
    metadata: { user_id: "someone" },
    output_config: { effort: "high" },
    output_format: { type: "json_schema", schema },
    service_tier: "standard_only",
    speed: "fast",
    stop_sequences: ["X"],
    system: "rules",
    thinking: { type: "enabled", budget_tokens: 5000 },
    thread: { id: "thread_1" },
    tool_choice: beside({ type: "any" }, { tools: [tool] }),
    tools: [tool],
    user_profile_id: "profile_1",
    workspace_id: "workspace_1",
  } satisfies Readonly<Record<MessagesFields, unknown>>,
  {
    max_tokens: [{ max_tokens: 50 }, { max_tokens: 100 }],
    temperature: [{ temperature: 0.5 }, {}],
    top_k: [{ top_k: 5 }, {}],
    top_p: [{ top_p: 0.5 }, {}],
    "cache_control of a block": [
      { messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }] },
      bare,
    ],
    "image of url": [block({ type: "image", source: { type: "url", url: "https://a.example/i.png" } }), bare],
    "image of base64": [
      block({ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }),
      bare,
    ],
    "image of file": [block({ type: "image", source: { type: "file", file_id: "file_1" } }), bare],
    "document of base64": [
      block({ type: "document", source: { type: "base64", media_type: "application/pdf", data: "aGk=" } }),
      bare,
    ],
    "document of text": [
      block({ type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }),
      bare,
    ],
    "document of url": [block({ type: "document", source: { type: "url", url: "https://a.example/a.pdf" } }), bare],
    "document.citations": [
      block({ type: "document", source: { type: "text", data: "words" }, citations: { enabled: true } }),
      block({ type: "document", source: { type: "text", data: "words" } }),
    ],
    search_result: [
      block({ type: "search_result", source: "https://a.example", title: "t", content: [{ type: "text", text: "w" }] }),
      bare,
    ],
    thinking_block: [said({ type: "thinking", thinking: "hm", signature: "c2ln" }), said()],
    "citations of pages": [
      citing({
        type: "web_search_result_location",
        cited_text: "w",
        encrypted_index: "c2Vj",
        url: "https://a.example",
      }),
      citing(),
    ],
    "citations of documents": [
      citing({ type: "char_location", cited_text: "w", document_index: 0, start_char_index: 0, end_char_index: 1 }),
      citing(),
    ],
    redacted_thinking: [said({ type: "redacted_thinking", data: "c2Vj" }), said()],
    "server_tool_use, web_search_tool_result": [
      said(
        { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      ),
      said(),
    ],
    server_tool_use: [said({ type: "server_tool_use", id: "s", name: "web_search", input: {} }), said()],
    "tool_use, tool_result": [called({}), { messages: [user] }],
    "tool_result.is_error": [called({ is_error: true }), called({})],
    "output_config.format": [{ output_config: { format: { type: "json_schema", schema } } }, {}],
    "thinking of adaptive": [{ thinking: { type: "adaptive" } }, {}],
    "thinking of disabled": [{ thinking: { type: "disabled" } }, {}],
    "tool_choice.disable_parallel_tool_use": [
      { tools: [tool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      { tools: [tool], tool_choice: { type: "auto" } },
    ],
    "tools[].strict": [{ tools: [{ ...tool, strict: true }] }, { tools: [tool] }],
    "tools[] of the vendor": [{ tools: [tool, { type: "web_search_20260318", name: "w" }] }, { tools: [tool] }],
  },
)

// ── Responses ──

type ResponsesFields = Exclude<keyof OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "input" | "stream">

const functionTool = { type: "function", name: "f", parameters: schema, strict: false }
const items = (...input: readonly object[]): Fields => ({ input })
const inputPart = (part: object): Fields => items({ role: "user", content: [{ type: "input_text", text: "hi" }, part] })
const bareInput = items({ role: "user", content: [{ type: "input_text", text: "hi" }] })
const annotated = (...annotations: readonly object[]): Fields =>
  items(user, { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok", annotations }] }, user)
const functionCall = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" }
const output = (fields: object): Fields =>
  items(user, functionCall, { type: "function_call_output", call_id: "call_1", output: "ok", ...fields })

const responsesFields = casesOf(
  {
    access_programs: { a: true },
    background: true,
    context_management: [{ type: "compaction" }],
    conversation: "conv_1",
    image: { size: "auto" },
    include: ["message.output_text.logprobs"],
    instructions: "rules",
    max_output_tokens: 50,
    max_tool_calls: 2,
    metadata: { a: "b" },
    moderation: { model: "omni-moderation" },
    parallel_tool_calls: beside(false, { tools: [functionTool] }),
    previous_response_id: "resp_1",
    prompt: { id: "pmpt_1" },
    prompt_cache_key: "key",
    prompt_cache_options: { mode: "auto" },
    prompt_cache_retention: "24h",
    reasoning: { effort: "high" },
    safety_identifier: "someone",
    service_tier: "flex",
    store: true,
    stream_options: beside({ include_obfuscation: false }, { stream: true }),
    temperature: 0.5,
    text: { format: { type: "json_schema", name: "s", schema } },
    tool_choice: beside("required", { tools: [functionTool] }),
    tools: [functionTool],
    top_logprobs: 2,
    top_p: 0.5,
    truncation: "auto",
    user: "someone",
  } satisfies Readonly<Record<ResponsesFields, unknown>>,
  {
    "reasoning.summary": [{ reasoning: { effort: "low", summary: "auto" } }, { reasoning: { effort: "low" } }],
    "text.verbosity": [{ text: { verbosity: "low" } }, {}],
    "text.format of json_object": [{ text: { format: { type: "json_object" } } }, {}],
    "include of other things": [{ include: ["reasoning.encrypted_content"] }, {}],
    "input_image.image_url": [inputPart({ type: "input_image", image_url: "https://a.example/i.png" }), bareInput],
    "input_image.file_id": [inputPart({ type: "input_image", file_id: "file_1" }), bareInput],
    "input_file.file_data": [
      inputPart({ type: "input_file", file_data: "data:application/pdf;base64,aGk=", filename: "a.pdf" }),
      bareInput,
    ],
    "input_file.file_url": [inputPart({ type: "input_file", file_url: "https://a.example/a.pdf" }), bareInput],
    input_audio: [inputPart({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }), bareInput],
    url_citation: [
      annotated({ type: "url_citation", url: "https://a.example", title: "t", start_index: 0, end_index: 1 }),
      annotated(),
    ],
    "file_citation, file_path, container_file_citation": [
      annotated({ type: "file_citation", file_id: "file_1", filename: "a.pdf", index: 1 }),
      annotated(),
    ],
    reasoning_item: [
      items(user, { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] }, user),
      items(user, user),
    ],
    "reasoning_item.encrypted_content": [
      items(user, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }, user),
      items(user, user),
    ],
    "function_call, function_call_output": [output({}), items(user)],
    "function_call_output.status": [output({ status: "incomplete" }), output({})],
    item_reference: [items({ type: "item_reference", id: "msg_1" }, user), items(user)],
    "web_search_call, file_search_call": [
      items({ type: "web_search_call", id: "ws_1", status: "completed" }, user),
      items(user),
    ],
    code_interpreter_call: [
      items({ type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1", container_id: "c" }, user),
      items(user),
    ],
    "tools[].strict": [{ tools: [{ ...functionTool, strict: true }] }, { tools: [functionTool] }],
    "tools[] of type custom": [{ tools: [functionTool, { type: "custom", name: "g" }] }, { tools: [functionTool] }],
    "tools[] of type namespace": [{ tools: [{ type: "namespace", name: "n", tools: [functionTool] }] }, {}],
    "tools[] of type web_search": [{ tools: [functionTool, { type: "web_search" }] }, { tools: [functionTool] }],
    "tools[] of other types": [{ tools: [functionTool, { type: "file_search" }] }, { tools: [functionTool] }],
  },
)

export const fieldsOf: Readonly<Record<Protocol, { readonly base: Fields; readonly cases: readonly FieldCase[] }>> = {
  chat_completions: { base: { messages: [user] }, cases: chatFields },
  messages: { base: { max_tokens: 40_000, messages: [user] }, cases: messagesFields },
  responses: { base: { input: "hi" }, cases: responsesFields },
}
