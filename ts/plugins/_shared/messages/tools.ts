// Tools and tool choices, to and from the canonical form.

import type { ChatRequest, JsonValue, ToolChoice } from "../../../kernel/index.ts"
import { createTools, toTool, type Tools } from "../dialect/tools.ts"
import { isObject, isText, withoutUndefined } from "../dialect/wire.ts"
import { refuse } from "./wire.ts"

export const { readTool, writeTool }: Tools = createTools({
  /** A tool with a type of its own is one that the backend has. */
  read: ({ type, input_schema: parameters, ...fields }) =>
    (type ?? "custom") === "custom" ? toTool({ ...fields, parameters }) : undefined,
  write({ name, description, parameters, strict, form }, index) {
    if (form === "custom") throw refuse(`tools[${index}] takes free text, and tools take JSON here`)
    const schema = parameters ?? { type: "object", properties: {} }
    return withoutUndefined({ name, description, input_schema: schema, strict })
  },
  refuse,
})

/** The choice and whether several calls may come at once, which stand in one field. */
export function readToolChoice(value: JsonValue | undefined): Pick<ChatRequest, "toolChoice" | "parallelToolCalls"> {
  if (!isObject(value)) return {}
  const { type, name, disable_parallel_tool_use: single } = value
  const toolChoice: ToolChoice =
    type === "auto" || type === "none"
      ? type
      : type === "any"
        ? "required"
        : type === "tool" && isText(name)
          ? { name }
          : { opaque: value }
  return { toolChoice, ...(single === true && { parallelToolCalls: false }) }
}

/** Undefined where nothing is chosen, or where there is no tool to choose: backends refuse a choice of none. */
export function writeToolChoice(
  { tools, toolChoice, parallelToolCalls }: Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls">,
  foreign: boolean,
): JsonValue | undefined {
  if (tools.length === 0) return undefined
  const choice = toolChoice ?? (parallelToolCalls === false ? "auto" : undefined)
  const written = choice && writeChoice(choice, foreign)
  return parallelToolCalls === false && isObject(written) && written["type"] !== "none"
    ? { ...written, disable_parallel_tool_use: true }
    : written
}

function writeChoice(choice: ToolChoice, foreign: boolean): JsonValue {
  if (choice === "required") return { type: "any" }
  if (typeof choice === "string") return { type: choice }
  if ("name" in choice) return { type: "tool", name: choice.name }
  if (foreign || !isObject(choice.opaque)) throw refuse("tool_choice is one that only another service knows")
  const { disable_parallel_tool_use: _, ...rest } = choice.opaque
  return rest
}
