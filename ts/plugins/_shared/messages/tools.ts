// Tools and tool choices, to and from the canonical form.

import type { ChatRequest, JsonValue, Tool, ToolChoice } from "../../../kernel/index.ts"
import { isObject, isText, withoutUndefined } from "../dialect/wire.ts"
import { refuseChat } from "./wire.ts"

const originals = new WeakMap<Tool, JsonValue>()

export function readTool(value: JsonValue): Tool {
  const tool = toolOf(value)
  originals.set(tool, value)
  return tool
}

/** A tool with a type of its own is one that the backend has. */
function toolOf(value: JsonValue): Tool {
  if (!isObject(value)) return { name: "", form: "opaque" }
  const { type, name, description, input_schema: parameters, strict } = value
  const isOwn = type === undefined || type === null || type === "custom"
  if (!isOwn || !isText(name)) return { name: isText(type) ? type : "", form: "opaque" }
  return {
    name,
    ...(isText(description) && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
  }
}

export function writeTool(tool: Tool, index: number): JsonValue {
  const original = originals.get(tool)
  if (original !== undefined) return original
  const { name, description, parameters, strict, form } = tool
  if (form === "opaque") throw refuseChat(`tools[${index}] is a tool that only another service has`)
  if (form === "custom") throw refuseChat(`tools[${index}] takes free text, and tools take JSON here`)
  return withoutUndefined({ name, description, input_schema: parameters ?? { type: "object", properties: {} }, strict })
}

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
  if (foreign || !isObject(choice.opaque)) throw refuseChat("tool_choice is one that only another service knows")
  const { disable_parallel_tool_use: _, ...rest } = choice.opaque
  return rest
}
