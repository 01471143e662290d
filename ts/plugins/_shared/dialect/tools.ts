// Tools and the choice among them, to and from the canonical form. A tool that nobody replaced goes out as it came.

import type { JsonValue, RtrError, Tool, ToolChoice, WireObject } from "../../../kernel/index.ts"
import { isObject, isText } from "./wire.ts"

/** How a dialect reads and writes tools. */
export interface ToolWire {
  /** Undefined for a tool that the service has. */
  read(value: WireObject): Tool | undefined
  write(tool: Tool, index: number): JsonValue
  /** The error for what the wire cannot say. */
  refuse(reason: string): RtrError
}

export interface Tools {
  readTool(value: JsonValue): Tool
  writeTool(tool: Tool, index: number): JsonValue
  /** What a tool was read from. */
  originalOf(tool: Tool): JsonValue | undefined
}

export function createTools({ read, write, refuse }: ToolWire): Tools {
  const originals = new WeakMap<Tool, JsonValue>()
  return {
    readTool(value) {
      const { type } = isObject(value) ? value : {}
      const known = isObject(value) ? read(value) : undefined
      const tool: Tool = known ?? { name: isText(type) ? type : "", form: "opaque" }
      originals.set(tool, value)
      return tool
    },
    writeTool(tool, index) {
      const original = originals.get(tool)
      if (original !== undefined) return original
      if (tool.form === "opaque") throw refuse(`tools[${index}] is a tool that only another service has`)
      return write(tool, index)
    },
    originalOf: (tool) => originals.get(tool),
  }
}

/** What dialects tell of a tool. */
type ToolFields = Readonly<
  Partial<Record<"name" | "description" | "parameters" | "strict" | "grammar", JsonValue | undefined>>
>

/** The tool with these fields. Undefined without a name. */
export function toTool(
  { name, description, parameters, strict, grammar }: ToolFields,
  form?: "custom",
): Tool | undefined {
  if (!isText(name)) return undefined
  const { syntax, definition } = isObject(grammar) ? grammar : {}
  return {
    name,
    ...(isText(description) && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(typeof strict === "boolean" && { strict }),
    ...(form !== undefined && { form }),
    ...(isText(syntax) && isText(definition) && { grammar: { syntax, definition } }),
  }
}

/** `nameIn` gives the name in a choice of one tool. */
export function readToolChoice(
  value: JsonValue | undefined,
  nameIn: (choice: WireObject) => JsonValue | undefined,
): ToolChoice | undefined {
  if (value === "auto" || value === "none" || value === "required") return value
  if (!isObject(value)) return isText(value) ? { opaque: value } : undefined
  const name = nameIn(value)
  return isText(name) ? { name } : { opaque: value }
}

/** `nest` puts type and name of one tool to where they stand. */
export function writeToolChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  nest: (type: "function" | "custom", name: string) => WireObject,
): JsonValue {
  if (typeof choice === "string") return choice
  if (!("name" in choice)) return choice.opaque
  const isCustom = tools.some(({ name, form }) => name === choice.name && form === "custom")
  return nest(isCustom ? "custom" : "function", choice.name)
}
