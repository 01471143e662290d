// The two protocols of the bench: what a client sends, and what the mock backend answers.

export type Protocol = "chat" | "messages"
export type Mode = "json" | "sse"

export const paths: Readonly<Record<Protocol, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
}

export const systemPrompt = "You tell the weather. Answer briefly."
export const question = "What is the weather in Rome and in Oslo, and which of both is the warmer one?"

const tool = {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}
const calls = ["Rome", "Oslo"].map((city, index) => ({
  id: `call_${index}`,
  city,
  result: `${city}: sunny, 20 degrees`,
}))

/** A conversation with a system prompt, a tool, two parallel calls and their results. */
export function bodyOf(protocol: Protocol, model: string, mode: Mode): object {
  const stream = mode === "sse" ? { stream: true } : {}
  if (protocol === "chat")
    return {
      model,
      messages: [
        { role: "system", content: systemPrompt },
        { role: "user", content: question },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: calls.map(({ id, city }) => ({
            id,
            type: "function",
            function: { name: tool.name, arguments: JSON.stringify({ city }) },
          })),
        },
        ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
      ],
      tools: [
        { type: "function", function: { name: tool.name, description: tool.description, parameters: tool.schema } },
      ],
      max_tokens: 512,
      temperature: 0.5,
      ...stream,
    }
  return {
    model,
    system: systemPrompt,
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          ...calls.map(({ id, city }) => ({ type: "tool_use", id, name: tool.name, input: { city } })),
        ],
      },
      {
        role: "user",
        content: calls.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: result })),
      },
    ],
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.schema }],
    max_tokens: 512,
    temperature: 0.5,
    ...stream,
  }
}

/** Texts that every translation of the conversation has in the backend's body. */
export const carried: readonly string[] = [
  systemPrompt,
  question,
  tool.description,
  ...calls.flatMap(({ id, result }) => [id, result]),
]

// ── replies ──

export const eventCount = 20
const words = Array.from({ length: eventCount }, (_, index) => `word${index + 1} `)
export const replyText: string = words.join("")

const created = 1_750_000_000
const chunk = (delta: object, finish: string | null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created, model: "upstream", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
const named = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const message = { id: "msg_bench", type: "message", role: "assistant", model: "upstream" }
const chatUsage = { prompt_tokens: 60, completion_tokens: eventCount, total_tokens: 60 + eventCount }
const usage = { input_tokens: 60, output_tokens: eventCount }
const ended = { stop_reason: "end_turn", stop_sequence: null }

export const wholeReplies: Readonly<Record<Protocol, Buffer>> = {
  chat: Buffer.from(
    JSON.stringify({
      id: "chatcmpl-bench",
      object: "chat.completion",
      created,
      model: "upstream",
      choices: [{ index: 0, message: { role: "assistant", content: replyText }, finish_reason: "stop" }],
      usage: chatUsage,
    }),
  ),
  messages: Buffer.from(JSON.stringify({ ...message, content: [{ type: "text", text: replyText }], ...ended, usage })),
}

/** One buffer for each turn of the event loop; what frames the words travels with the first and the last. */
export const streamedReplies: Readonly<Record<Protocol, readonly Buffer[]>> = {
  chat: framed(
    words.map((content, index) => chunk(index === 0 ? { role: "assistant", content } : { content }, null)),
    "",
    `${chunk({}, "stop", { usage: chatUsage })}data: [DONE]\n\n`,
  ),
  messages: framed(
    words.map((text) => named("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    named("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } }) +
      named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    named("content_block_stop", { index: 0 }) +
      named("message_delta", { delta: ended, usage: { output_tokens: eventCount } }) +
      named("message_stop", {}),
  ),
}

function framed(events: readonly string[], before: string, after: string): readonly Buffer[] {
  return events.map((event, index) =>
    Buffer.from(`${index === 0 ? before : ""}${event}${index === events.length - 1 ? after : ""}`),
  )
}

/** In the body of every right reply; each within one event of a stream. */
export const expectedOf = (protocol: Protocol, mode: Mode): readonly string[] =>
  mode === "json" ? [replyText] : ["word1 ", `word${eventCount} `, protocol === "chat" ? "[DONE]" : "message_stop"]
