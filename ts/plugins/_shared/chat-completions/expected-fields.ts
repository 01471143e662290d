// What the fields of a chat-completions request have to be so that a backend of another dialect can get them.

import {
  aBoolean,
  aListOf,
  aNumber,
  aText,
  type Expected,
  type ExpectedFields,
  textFields,
} from "../dialect/expected-fields.ts"
import { isTexts } from "../dialect/known-fields.ts"
import { isObject, isText } from "../dialect/wire.ts"

const isNamed = (value: unknown): boolean => isObject(value) && isText(value["name"])

const isOwn = (type: unknown): type is "function" | "custom" => type === "function" || type === "custom"

/** Something that names its type, and stands in a field of that name. */
const isTyped = (value: unknown): boolean => isObject(value) && isOwn(value["type"]) && isNamed(value[value["type"]])

const tool: Expected = {
  // One of another type is a tool of the service.
  holds: (value) => isTyped(value) || (isObject(value) && isText(value["type"]) && !isOwn(value["type"])),
  right: 'an object like {"type": "function", "function": {"name": "…", "parameters": {}}}',
}

const toolChoice: Expected = {
  holds: (value) =>
    value === "auto" ||
    value === "none" ||
    value === "required" ||
    isTyped(value) ||
    (isObject(value) && value["type"] === "allowed_tools"),
  right: '"auto", "none", "required" or an object like {"type": "function", "function": {"name": "…"}}',
}

const format: Expected = {
  holds: (value) => {
    if (!isObject(value)) return false
    const { type, json_schema: named } = value
    return (
      type === "text" ||
      type === "json_object" ||
      (type === "json_schema" && isNamed(named) && isObject(named) && named["schema"] !== undefined)
    )
  },
  right:
    'an object like {"type": "json_schema", "json_schema": {"name": "…", "schema": {}}}, or one with the type "text" or "json_object"',
}

const call: Expected = {
  holds: (value) => isObject(value) && (isNamed(value["function"]) || isNamed(value["custom"])),
  right: 'an object like {"id": "…", "type": "function", "function": {"name": "…", "arguments": "{}"}}',
}

export const fields: ExpectedFields = {
  tools: aListOf(tool),
  tool_choice: toolChoice,
  parallel_tool_calls: aBoolean,
  max_completion_tokens: aNumber,
  max_tokens: aNumber,
  temperature: aNumber,
  top_p: aNumber,
  top_k: aNumber,
  stop: { holds: (value, body) => isText(value) || isTexts(value, body), right: "a string or a list of strings" },
  seed: aNumber,
  presence_penalty: aNumber,
  frequency_penalty: aNumber,
  n: aNumber,
  logprobs: aBoolean,
  top_logprobs: aNumber,
  response_format: format,
  reasoning_effort: aText,
  user: aText,
  store: aBoolean,
  metadata: textFields,
}

/** Fields of a message; some servers send one call without a list around it. */
export const messageFields: ExpectedFields = {
  tool_calls: {
    holds: (value) => Array.isArray(value) || call.holds(value, {}),
    right: "a list of calls",
    each: call,
  },
}
