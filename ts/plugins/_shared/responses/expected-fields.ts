// What the fields of a Responses request have to be so that a backend of another dialect can get them.

import {
  aBoolean,
  aListOf,
  aNumber,
  anObject,
  aText,
  type Expected,
  type ExpectedFields,
  textFields,
  texts,
} from "../dialect/expected-fields.ts"
import { isObject, isText } from "../dialect/wire.ts"

const isOwn = (type: unknown): boolean => type === "function" || type === "custom"

const tool: Expected = {
  holds: (value) => isObject(value) && isText(value["type"]) && (!isOwn(value["type"]) || isText(value["name"])),
  right: 'an object like {"type": "function", "name": "…", "parameters": {}}',
}

const toolChoice: Expected = {
  holds: (value) => value === "auto" || value === "none" || value === "required" || tool.holds(value, {}),
  right: '"auto", "none", "required" or an object like {"type": "function", "name": "…"}',
}

const format: Expected = {
  holds: (value) =>
    isObject(value) &&
    isText(value["type"]) &&
    (value["type"] !== "json_schema" || (isText(value["name"]) && value["schema"] !== undefined)),
  right:
    'an object like {"type": "json_schema", "name": "…", "schema": {}}, or one with the type "text" or "json_object"',
}

export const fields: ExpectedFields = {
  tools: aListOf(tool),
  tool_choice: toolChoice,
  parallel_tool_calls: aBoolean,
  max_output_tokens: aNumber,
  temperature: aNumber,
  top_p: aNumber,
  top_logprobs: aNumber,
  include: texts,
  text: anObject({ format, verbosity: aText }),
  reasoning: anObject({ effort: aText, summary: aText, generate_summary: aText }),
  user: aText,
  store: aBoolean,
  metadata: textFields,
  previous_response_id: aText,
  conversation: {
    holds: (value) => isText(value) || (isObject(value) && isText(value["id"])),
    right: 'a string or an object with "id"',
  },
  background: aBoolean,
  truncation: { holds: (value) => value === "auto" || value === "disabled", right: '"auto" or "disabled"' },
}
