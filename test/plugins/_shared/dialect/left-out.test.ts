// Values on which it depends whether a field is left out. What becomes of each field is in test/protocols/fields.test.ts.

import chat from "rtr/plugins/dialects/chat-completions"
import messages from "rtr/plugins/dialects/messages"
import responses from "rtr/plugins/dialects/responses"
import { expect, test } from "vitest"
import type { DialectModule } from "rtr"

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }]
const plainText = { type: "text" }

const cases: readonly (readonly [client: DialectModule, backend: DialectModule, fields: object, names: string])[] = [
  [chat, messages, { seed: 0, logit_bias: { 1: 2 }, x_own: false, top_k: 3 }, "seed logit_bias x_own"],
  [chat, messages, { seed: null, logit_bias: {}, x_own: [], store: false, n: 1, logprobs: false }, ""],
  [chat, messages, { presence_penalty: 0, frequency_penalty: 0, modalities: ["text"], response_format: plainText }, ""],
  [
    chat,
    messages,
    { presence_penalty: 1, response_format: { type: "json_object" } },
    "presence_penalty response_format",
  ],
  [chat, messages, { reasoning_effort: "none", parallel_tool_calls: true, tool_choice: "auto" }, ""],
  [chat, messages, { tools, parallel_tool_calls: true, tool_choice: "required" }, ""],
  [chat, messages, { reasoning_effort: "low", temperature: 0.3 }, "temperature"],
  [chat, messages, { tools, tool_choice: "required", reasoning_effort: "low" }, "reasoning_effort"],
  [chat, messages, { stream: true, stream_options: { include_usage: true } }, ""],
  [chat, messages, JSON.parse('{"__proto__": 1, "constructor": 1}'), "__proto__ constructor"],
  [
    chat,
    responses,
    { n: 1, presence_penalty: 0, frequency_penalty: 0, logprobs: false, seed: 1, top_k: 2 },
    "seed top_k",
  ],
  [messages, chat, { thinking: { type: "adaptive" } }, "thinking"],
  [messages, chat, { thinking: { type: "adaptive" }, output_config: { effort: "high" } }, ""],
  [messages, chat, { thinking: { type: "disabled" }, output_config: { effort: "high" } }, "thinking"],
  [messages, responses, { thinking: { type: "disabled" }, output_config: { effort: "high" } }, "thinking"],
  [messages, chat, { metadata: { user_id: "a", team: "b" } }, "metadata"],
  [responses, messages, { text: { format: plainText }, store: false, background: false, truncation: "disabled" }, ""],
  [responses, messages, { text: { format: plainText, verbosity: "low" }, store: true }, "text store"],
  [responses, messages, { reasoning: { effort: "none" }, include: [] }, ""],
  [responses, messages, { reasoning: { summary: "auto" } }, "reasoning"],
  [responses, chat, { include: ["message.output_text.logprobs", "reasoning.encrypted_content"] }, ""],
  [responses, chat, { include: ["reasoning.encrypted_content"], top_k: 1 }, "include top_k"],
  [chat, chat, { x_own: 1 }, ""],
]

test("a field is left out where the written body says nothing of what it asks for", () => {
  const told = cases.map(([client, backend, fields]) => {
    const request = client.readRequest({
      model: "m",
      ...(client === responses ? { input: "hi" } : { messages: [{ role: "user", content: "hi" }] }),
      ...(client === messages && { max_tokens: 50 }),
      // Also a field `__proto__`.
      ...fields,
    })
    const names = backend.leftOut?.(request, backend.writeRequest(request, { model: "upstream" }))
    return [fields, names?.join(" ")]
  })
  expect(told).toEqual(cases.map(([, , fields, names]) => [fields, names]))
})
