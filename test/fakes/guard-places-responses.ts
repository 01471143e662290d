// Places of a Responses request where an attack can hide, each with what has to become of the request.

import { attack, type Places } from "./guard-places.ts"

const hello = { role: "user", content: "hello" }
const field = (fields: object) => ({ input: "hello", ...fields })
const items = (...given: readonly object[]) => ({ input: [hello, ...given] })
const part = (...parts: readonly object[]) =>
  items({ role: "user", content: [{ type: "input_text", text: "hello" }, ...parts] })
const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" }
const result = { type: "function_call_output", call_id: "c1", output: "done" }
const withTool = (tool: object) => field({ tools: [tool] })
const base64 = (text: string): string => btoa(text)
const sealed = "gAAAAABm".repeat(40)

export const responsesPlaces: Places = {
  "what is said": [
    ["input", { input: attack }, "read"],
    ["instructions", field({ instructions: attack }), "read"],
    ["a user", items({ role: "user", content: attack }), "read"],
    [
      "a user before others",
      { input: [{ role: "user", content: attack }, { role: "assistant", content: "ok" }, hello] },
      "read",
    ],
    ["a developer", items({ role: "developer", content: attack }), "read"],
    ["an assistant", items({ role: "assistant", content: [{ type: "output_text", text: attack }] }), "read"],
    ["an unknown role", items({ role: "human", content: attack }), "read"],
    ["another spelling of a role", items({ role: "User", content: attack }), "invalid"],
    ["the name of a role", items({ role: attack, content: "hi" }), "read"],
    ["an unknown type of item", items({ type: "memo", text: attack }), "read"],
    ["another spelling of a type", items({ type: "Message", role: "user", content: attack }), "read"],
    ["a type", items({ type: attack }), "read"],
    ["an id", items({ type: "message", id: attack, role: "assistant", content: "a" }), "read"],
  ],
  "calls and what came of them": [
    ["a name", items({ ...call, name: attack }, result), "read"],
    ["arguments", items({ ...call, arguments: JSON.stringify({ a: attack }) }, result), "read"],
    ["an output", items(call, { ...result, output: attack }), "read"],
    ["an output in parts", items(call, { ...result, output: [{ type: "input_text", text: attack }] }), "read"],
    [
      "a picture in an output",
      items(call, { ...result, output: [{ type: "input_image", image_url: "x" }] }),
      "unscanned",
    ],
    ["a free input", items({ type: "custom_tool_call", call_id: "c", name: "f", input: attack }), "read"],
    ["its output", items({ type: "custom_tool_call_output", call_id: "c", output: attack }), "read"],
    ["an id of a call", items({ ...call, call_id: attack }), "read"],
    ["an unknown field", items({ ...call, note: attack }, result), "read"],
    ["a call of a vendor's tool", items({ type: "web_search_call", id: "w", action: { query: attack } }), "read"],
    ["the output of one", items({ type: "shell_call_output", call_id: "c", output: [{ stdout: attack }] }), "read"],
    ["an answer to an approval", items({ type: "mcp_approval_response", approve: true, reason: attack }), "read"],
    ["what only its service can find", items({ type: "item_reference", id: "msg_1" }), "unscanned"],
  ],
  reasoning: [
    ["a summary", items({ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: attack }] }), "read"],
    [
      "the text",
      items({ type: "reasoning", id: "rs", summary: [], content: [{ type: "reasoning_text", text: attack }] }),
      "read",
    ],
    ["what is encrypted", items({ type: "reasoning", id: "rs", summary: [], encrypted_content: sealed }), "unscanned"],
    [
      "a signature of another vendor",
      items({ type: "reasoning", id: "rs", summary: [], encrypted_content: `signature_${sealed}` }),
      "unscanned",
    ],
    ["what was compacted", items({ type: "compaction", encrypted_content: sealed }), "unscanned"],
  ],
  "parts of a message": [
    ["a text", part({ type: "input_text", text: attack }), "read"],
    ["an unknown one", part({ type: "x", text: attack }), "read"],
    ["an unknown one without a text", part({ type: "x", more: attack }), "read"],
    ["an unknown field of a text", part({ type: "input_text", text: "hi", note: attack }), "read"],
    ["a refusal", items({ role: "assistant", content: [{ type: "refusal", refusal: attack }] }), "read"],
    [
      "an annotation",
      items({ role: "assistant", content: [{ type: "output_text", text: "a", annotations: [{ title: attack }] }] }),
      "read",
    ],
    [
      "a page that is cited",
      items({
        role: "assistant",
        content: [{ type: "output_text", text: "a", annotations: [{ type: "url_citation", url: "u", title: attack }] }],
      }),
      "read",
    ],
    ["a picture", part({ type: "input_image", image_url: "https://example.com/a.png" }), "unscanned"],
    ["a picture by its id", part({ type: "input_image", file_id: "file_1" }), "unscanned"],
    ["detail of a picture", part({ type: "input_image", image_url: "x", detail: attack }), "read"],
    ["a file", part({ type: "input_file", file_url: "https://example.com/a.pdf" }), "unscanned"],
    ["a file of text", part({ type: "input_file", file_data: `data:text/plain;base64,${base64(attack)}` }), "read"],
    ["a file of no type", part({ type: "input_file", file_data: base64(attack) }), "unscanned"],
    [
      "name of a file",
      part({ type: "input_file", file_data: "data:text/plain;base64,aGk=", filename: attack }),
      "read",
    ],
    ["sound", part({ type: "input_audio", input_audio: { data: "aGk=", format: "wav" } }), "unscanned"],
  ],
  "definitions of tools": [
    ["name", withTool({ type: "function", name: attack }), "read"],
    ["description", withTool({ type: "function", name: "f", description: attack }), "read"],
    [
      "a parameter",
      withTool({ type: "function", name: "f", parameters: { properties: { a: { description: attack } } } }),
      "read",
    ],
    [
      "grammar of a custom tool",
      withTool({ type: "custom", name: "f", format: { type: "grammar", definition: attack } }),
      "read",
    ],
    ["a tool of a vendor", withTool({ type: "mcp", server_label: "x", server_description: attack }), "read"],
    ["tool_choice", field({ tool_choice: { type: "function", name: attack } }), "read"],
  ],
  "fields of the request": [
    [
      "text.format",
      field({ text: { format: { type: "json_schema", name: "n", schema: { description: attack } } } }),
      "read",
    ],
    ["text.verbosity", field({ text: { verbosity: attack } }), "read"],
    ["variables of a prompt", field({ prompt: { id: "p", variables: { a: attack } } }), "read"],
    ["reasoning", field({ reasoning: { effort: attack } }), "read"],
    ["metadata", field({ metadata: { note: attack } }), "read"],
    ["include", field({ include: [attack] }), "read"],
    ["user", field({ user: attack }), "read"],
    ["previous_response_id", field({ previous_response_id: attack }), "read"],
    ["conversation", field({ conversation: { id: attack } }), "read"],
    ["an unknown one", field({ x_unknown: [[{ a: [attack] }]] }), "read"],
    ["a name", field({ [attack]: 1 }), "read"],
    ["a stream", { input: attack, stream: true }, "read"],
  ],
}
