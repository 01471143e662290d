// Fields of a wrong type on the way to a backend of another dialect. One of the same dialect gets them as they are.

import chat from "rtr/plugins/dialects/chat-completions"
import messages from "rtr/plugins/dialects/messages"
import responses from "rtr/plugins/dialects/responses"
import { describe, expect, test } from "vitest"
import type { DialectModule, WireObject } from "rtr"

const target = { model: "up" }

/** What a backend's dialect makes of a client's body, as the router does it. */
function cross(client: DialectModule, backend: DialectModule, body: object): WireObject {
  const read = client.readRequest({ model: "m", ...body })
  return backend.writeRequest(client === backend ? read : (read.origin?.toPortable?.(read) ?? read), target)
}

function refusal(client: DialectModule, backend: DialectModule, body: object): string {
  try {
    cross(client, backend, body)
  } catch (cause) {
    return `${(cause as { readonly code: string }).code}: ${(cause as Error).message}`
  }
  return "passes"
}

const user = { role: "user", content: "hi" }
const from = (client: DialectModule, fields: object): object =>
  client === responses ? { input: "hi", ...fields } : { messages: [user], ...fields }
const turns = (...list: readonly object[]): object => ({ messages: list })
const part = (value: object): object => turns({ role: "user", content: [{ type: "text", text: "a" }, value] })
const item = (...list: readonly object[]): object => ({ input: list })

type Case = readonly [fields: object, reason: string]

const chatTool = '{"type": "function", "function": {"name": "…"'
const ofChat: readonly Case[] = [
  [{ max_tokens: "many" }, '"max_tokens" must be a number; it is a string'],
  [{ temperature: "hot" }, '"temperature" must be a number; it is a string'],
  [{ stop: 5 }, '"stop" must be a string or a list of strings; it is the number 5'],
  [{ stop: ["a", 5] }, '"stop" must be a string or a list of strings; it is another list'],
  [{ tool_choice: "weather" }, `"tool_choice" must be "auto", "none", "required" or an object like ${chatTool}`],
  [{ tool_choice: { type: "tool", name: "f" } }, '"tool_choice" must be "auto", "none"'],
  [{ response_format: "json" }, '"response_format" must be an object like {"type": "json_schema"'],
  [{ response_format: { type: "json" } }, '"response_format" must be an object like {"type": "json_schema"'],
  [{ tools: { a: 1 } }, '"tools" must be a list; it is an object'],
  [{ tools: ["f"] }, `"tools[0]" must be an object like ${chatTool}`],
  [{ tools: [{ name: "f" }] }, `"tools[0]" must be an object like ${chatTool}`],
  [{ tools: [{ type: "function", name: "f" }] }, `"tools[0]" must be an object like ${chatTool}`],
  [{ tools: [{ type: "function", function: {} }] }, `"tools[0]" must be an object like ${chatTool}`],
  [{ logprobs: 1 }, '"logprobs" must be true or false; it is the number 1'],
  [{ user: true }, '"user" must be a string; it is true'],
  [{ metadata: { a: 1 } }, '"metadata" must be an object whose values are strings; it is another object'],
  [turns({ role: "users", content: "a" }), '"messages[0].role" must be "system", "developer", "user"'],
  [turns(user, { role: "tool", content: "a" }), '"messages[1].tool_call_id" must be the id of a call; it is missing'],
  [
    turns(user, { role: "tool", tool_call_id: 7, content: "a" }),
    '"messages[1].tool_call_id" must be the id of a call; it is the number 7',
  ],
  [
    turns(user, { role: "assistant", content: "a", tool_calls: "f" }),
    '"messages[1].tool_calls" must be a list of calls',
  ],
  [
    turns(user, { role: "assistant", content: "a", tool_calls: [{ id: "c", name: "f" }] }),
    '"messages[1].tool_calls[0]" must be an object like {"id": "…"',
  ],
  [
    part({ type: "image_url", image_url: "http://a.example/i.png" }),
    '"messages[0].content[1].image_url" must be an object with "url"; it is a string',
  ],
  [part({ type: "input_audio" }), '"messages[0].content[1].input_audio" must be an object with "data" and "format"'],
  [part({ type: "file", file: {} }), '"messages[0].content[1].file" must be an object with "file_id" or "file_data"'],
  [part({ type: "video_url" }), '"messages[0].content[1]" has no counterpart there; "video_url" is a part of that API'],
]

const image = { type: "image", source: "http://a.example/i.png" }
const result = (fields: object): object => ({ role: "user", content: [{ type: "tool_result", ...fields }] })
const ofMessages: readonly Case[] = [
  [{ tools: {} }, '"tools" must be a list; it is an object'],
  [{ tools: [{ input_schema: {} }] }, '"tools[0]" must be an object like {"name": "…", "input_schema": {}}'],
  [{ max_tokens: "9" }, '"max_tokens" must be a number; it is a string'],
  [{ stop_sequences: "X" }, '"stop_sequences" must be a list of strings; it is a string'],
  [{ tool_choice: "any" }, '"tool_choice" must be an object like {"type": "tool", "name": "…"}'],
  [{ tool_choice: { type: "required" } }, '"tool_choice" must be an object like {"type": "tool", "name": "…"}'],
  [
    { thinking: { type: "enabled", budget_tokens: -5 } },
    '"thinking.budget_tokens" must be a whole number above 0; it is the number -5',
  ],
  [{ thinking: "on" }, '"thinking" must be an object; it is a string'],
  [{ output_config: { effort: 3 } }, '"output_config.effort" must be a string; it is the number 3'],
  [{ output_config: { format: "json" } }, '"output_config.format" must be an object like {"type": "json_schema"'],
  [{ metadata: { user_id: 3 } }, '"metadata.user_id" must be a string; it is the number 3'],
  [
    turns({ role: "user", content: [image] }),
    '"messages[0].content[0].source" must be an object like {"type": "base64"',
  ],
  [
    turns(user, result({ content: "a" })),
    '"messages[1].content[0].tool_use_id" must be the id of a call; it is missing',
  ],
  [
    turns(user, result({ tool_use_id: "c", content: [{ type: "tool_result", tool_use_id: "d", content: "a" }] })),
    '"messages[1].content[0].content[0]" must be an object with the type "text", "image" or "document"',
  ],
]

const ofResponses: readonly Case[] = [
  [{ tools: {} }, '"tools" must be a list; it is an object'],
  [{ tools: [{ type: "function" }] }, '"tools[0]" must be an object like {"type": "function", "name": "…"'],
  [
    { tools: [{ type: "function", function: { name: "f" } }] },
    '"tools[0]" must be an object like {"type": "function", "name": "…"',
  ],
  [{ tool_choice: "weather" }, '"tool_choice" must be "auto", "none", "required" or an object like'],
  [{ max_output_tokens: "9" }, '"max_output_tokens" must be a number; it is a string'],
  [{ truncation: "banana" }, '"truncation" must be "auto" or "disabled"; it is another string'],
  [{ include: "logprobs" }, '"include" must be a list of strings; it is a string'],
  [{ text: "plain" }, '"text" must be an object; it is a string'],
  [{ text: { format: "json" } }, '"text.format" must be an object like {"type": "json_schema"'],
  [{ reasoning: { effort: 1 } }, '"reasoning.effort" must be a string; it is the number 1'],
  [{ background: "yes" }, '"background" must be true or false; it is a string'],
  [{ conversation: 5 }, '"conversation" must be a string or an object with "id"; it is the number 5'],
  [item({ role: "users", content: "a" }), '"input[0].role" must be "system", "developer", "user" or "assistant"'],
  [
    item({ role: "user", content: [{ type: "input_image", image_url: { url: "x" } }] }),
    '"input[0].content[0].image_url" must be a string; it is an object',
  ],
]

const clients: readonly (readonly [DialectModule, readonly Case[]])[] = [
  [chat, ofChat],
  [messages, ofMessages],
  [responses, ofResponses],
]
const dialects = clients.map(([dialect]) => dialect)

describe("a field with a value that its API does not have", () => {
  test("is refused for a backend of another dialect, in the client's words", () => {
    for (const [client, cases] of clients)
      for (const backend of dialects.filter((each) => each !== client))
        for (const [fields, reason] of cases) {
          const refused = refusal(client, backend, from(client, fields))
          expect([fields, refused]).toEqual([fields, expect.stringContaining(reason)])
          expect(refused).toMatch(/^invalid_request: /)
        }
  })

  test("goes to a backend of the same dialect as it is", () => {
    for (const [client, cases] of clients)
      for (const [fields] of cases)
        expect(cross(client, client, from(client, fields))).toEqual({ model: "up", ...from(client, fields) })
  })

  test("passes as null, and as a number that is too long for a double", () => {
    const exact = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("12345678901234567890")
    const names = [
      "temperature",
      "top_p",
      "tools",
      "tool_choice",
      "response_format",
      "stop",
      "seed",
      "metadata",
      "text",
    ]
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    for (const [client] of clients)
      for (const backend of dialects)
        for (const fields of [nulls, { temperature: exact }, { max_tokens: exact }, JSON.parse('{"__proto__": 1}')])
          expect(refusal(client, backend, from(client, fields))).toBe("passes")
  })
})
