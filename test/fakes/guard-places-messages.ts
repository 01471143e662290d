// Places of a Messages request where an attack can hide, each with what has to become of the request.

import { attack, type Places } from "./guard-places.ts"

const hello = { role: "user", content: "hello" }
const user = (...content: readonly object[]): object => ({
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }, ...content] }],
})
const assistant = (...content: readonly object[]): object => ({
  messages: [hello, { role: "assistant", content }, hello],
})
const field = (fields: object): object => ({ messages: [hello], ...fields })
const tool = (fields: object): object => field({ tools: [{ name: "f", input_schema: { type: "object" }, ...fields }] })
const result = (content: unknown, more: object = {}): object =>
  user({ type: "tool_result", tool_use_id: "toolu_1", content, ...more })
const document = (source: object, more: object = {}): object => user({ type: "document", source, ...more })

export const messagesPlaces: Places = {
  "messages and the system prompt": [
    ["nowhere", field({ max_tokens: 50, system: "Be short." }), "sent"],
    ["a message", { messages: [{ role: "user", content: attack }] }, "read"],
    ["a text block", user({ type: "text", text: attack }), "read"],
    ["a field of a block", user({ type: "text", text: "hi", x: attack }), "read"],
    [
      "a citation",
      assistant({ type: "text", text: "a", citations: [{ type: "char_location", cited_text: attack }] }),
      "read",
    ],
    [
      "a citation that another vendor made",
      assistant({
        type: "text",
        text: "a",
        citations: [
          {
            type: "web_search_result_location",
            cited_text: "",
            encrypted_index: "rtr:",
            url: "https://a.example",
            title: attack,
          },
        ],
      }),
      "read",
    ],
    ["a message of the assistant", assistant({ type: "text", text: attack }), "read"],
    ["a message of the system", { messages: [{ role: "system", content: attack }, hello] }, "read"],
    ["system", field({ system: attack }), "read"],
    [
      "a block of system",
      field({
        system: [
          { type: "text", text: "Be short." },
          { type: "text", text: attack },
        ],
      }),
      "read",
    ],
    ["another role", { messages: [{ role: "User", content: attack }] }, "invalid"],
  ],
  "results and calls of tools": [
    ["a result", result(attack), "read"],
    ["a result in blocks", result([{ type: "text", text: attack }]), "read"],
    ["a result that failed", result(attack, { is_error: true }), "read"],
    ["id of a result", user({ type: "tool_result", tool_use_id: attack, content: "x" }), "read"],
    [
      "a picture in a result",
      result([{ type: "image", source: { type: "url", url: "https://a.example/x" } }]),
      "unscanned",
    ],
    ["input of a call", assistant({ type: "tool_use", id: "t", name: "f", input: { q: attack } }), "read"],
    [
      "name in the input of a call",
      assistant({ type: "tool_use", id: "t", name: "f", input: { [attack]: 1 } }),
      "read",
    ],
    ["name of a call", assistant({ type: "tool_use", id: "t", name: attack, input: {} }), "read"],
    [
      "a call of the backend's own tool",
      assistant({ type: "server_tool_use", id: "t", name: "web_search", input: { query: attack } }),
      "read",
    ],
  ],
  thinking: [
    ["thinking", assistant({ type: "thinking", thinking: attack, signature: "s" }), "read"],
    ["a long signature", assistant({ type: "thinking", thinking: "hm", signature: "Zm9v".repeat(100) }), "unscanned"],
    ["redacted thinking", assistant({ type: "redacted_thinking", data: "Zm9v" }), "unscanned"],
  ],
  "definitions of tools": [
    ["name of a tool", tool({ name: attack }), "read"],
    ["description of a tool", tool({ description: attack }), "read"],
    [
      "schema of a tool",
      tool({ input_schema: { type: "object", properties: { a: { description: attack } } } }),
      "read",
    ],
    ["an example of a tool", tool({ input_examples: [{ a: attack }] }), "read"],
    [
      "a tool of the backend",
      field({ tools: [{ type: "web_search_20250305", name: "web_search", user_location: attack }] }),
      "read",
    ],
    ["tool_choice", field({ tools: [{ name: "f" }], tool_choice: { type: "tool", name: attack } }), "read"],
  ],
  "pictures and documents": [
    [
      "a picture",
      user({ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }),
      "unscanned",
    ],
    ["a document of text", document({ type: "text", media_type: "text/plain", data: attack }), "read"],
    ["a document of blocks", document({ type: "content", content: [{ type: "text", text: attack }] }), "read"],
    [
      "title of a document",
      document({ type: "text", media_type: "text/plain", data: "hi" }, { title: attack }),
      "read",
    ],
    [
      "context of a document",
      document({ type: "text", media_type: "text/plain", data: "hi" }, { context: attack }),
      "read",
    ],
    ["a document in pages", document({ type: "base64", media_type: "application/pdf", data: "aGk=" }), "unscanned"],
    ["title of a document in pages", document({ type: "url", url: "https://a.example/x" }, { title: attack }), "read"],
    [
      "a search result",
      user({ type: "search_result", source: "s", title: "t", content: [{ type: "text", text: attack }] }),
      "read",
    ],
    ["title of a search result", user({ type: "search_result", source: "s", title: attack, content: [] }), "read"],
    ["an unknown block", user({ type: "x", more: attack }), "read"],
    ["an unknown block that is empty", user({ type: "container_upload", file_id: "file_1" }), "unscanned"],
  ],
  "fields of the request": [
    ["stop_sequences", field({ stop_sequences: ["x", attack] }), "read"],
    ["metadata", field({ metadata: { user_id: attack } }), "read"],
    [
      "output_config",
      field({ output_config: { format: { type: "json_schema", schema: { description: attack } } } }),
      "read",
    ],
    ["context_management", field({ context_management: { edits: [{ type: "x", note: attack }] } }), "read"],
    ["mcp_servers", field({ mcp_servers: [{ type: "url", name: attack }] }), "read"],
    ["an unknown field", field({ x_unknown: { deep: [attack] } }), "read"],
  ],
}
