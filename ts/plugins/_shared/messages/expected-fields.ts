// What the fields of a Messages request have to be so that a backend of another dialect can get them.

import {
  aCount,
  aListOf,
  aNumber,
  anObject,
  aText,
  type Expected,
  type ExpectedFields,
  texts,
} from "../dialect/expected-fields.ts"
import { isObject, isText } from "../dialect/wire.ts"

const tool: Expected = {
  // A tool with a type of its own is one that the vendor has.
  holds: (value) => isObject(value) && ((value["type"] ?? "custom") !== "custom" || isText(value["name"])),
  right: 'an object like {"name": "…", "input_schema": {}}',
}

const choices: ReadonlySet<unknown> = new Set(["auto", "any", "none"])

const toolChoice: Expected = {
  holds: (value) =>
    isObject(value) && (choices.has(value["type"]) || (value["type"] === "tool" && isText(value["name"]))),
  right: 'an object like {"type": "tool", "name": "…"}, or one with the type "auto", "any" or "none"',
}

const format: Expected = {
  holds: (value) =>
    isObject(value) && isText(value["type"]) && (value["type"] !== "json_schema" || value["schema"] !== undefined),
  right: 'an object like {"type": "json_schema", "schema": {}}',
}

export const fields: ExpectedFields = {
  tools: aListOf(tool),
  tool_choice: toolChoice,
  max_tokens: aNumber,
  temperature: aNumber,
  top_p: aNumber,
  top_k: aNumber,
  stop_sequences: texts,
  thinking: anObject({ type: aText, budget_tokens: aCount }),
  output_config: anObject({ effort: aText, format }),
  output_format: format,
  metadata: anObject({ user_id: aText }),
}
