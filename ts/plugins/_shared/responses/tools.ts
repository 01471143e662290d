// Tools, the choice among them and the format of the reply, to and from the canonical form.

import type { JsonValue, OutputFormat, Tool, ToolChoice, WireObject } from "../../../kernel/index.ts"
import { isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { isNamespace, joinedName } from "./namespaces.ts"
import { refuse } from "./parts.ts"

const originals = new WeakMap<Tool, JsonValue>()

export function readTool(value: JsonValue): Tool {
  const tool = toolOf(value)
  originals.set(tool, value)
  return tool
}

/** What the client sent. */
export const originalOf = (tool: Tool): JsonValue | undefined => originals.get(tool)

/** The tool with its path; for a namespace, those in it. */
export function toolsOf(tool: Tool, at: string): readonly { readonly tool: Tool; readonly at: string }[] {
  const original = originals.get(tool)
  if (original === undefined || !isNamespace(original)) return [{ tool, at }]
  const { name: namespace, tools } = original as WireObject
  return toList(tools).map((value, index) => {
    const inner = readTool(value)
    const name = joinedName(namespace, inner.name)
    return { tool: inner.form === "opaque" ? inner : { ...inner, name }, at: `${at}.tools[${index}]` }
  })
}

/** A search of the web, which a model may use or not. */
export const isOffer = (tool: JsonValue | undefined): boolean =>
  isObject(tool) && isText(tool["type"]) && /^web_search(?:_|$)/.test(tool["type"])

function toolOf(value: JsonValue): Tool {
  if (!isObject(value)) return { name: "", form: "opaque" }
  const { type, name, description, parameters, strict } = value
  if ((type !== "function" && type !== "custom") || !isText(name))
    return { name: isText(type) ? type : "", form: "opaque" }
  return {
    name,
    ...(isText(description) && { description }),
    ...(type === "function" && parameters !== undefined && parameters !== null && { parameters }),
    // No is what it means elsewhere when it is left out.
    ...(type === "function" && strict === true && { strict }),
    ...(type === "custom" && { form: "custom" as const }),
  }
}

export function writeTool(tool: Tool, index: number): JsonValue {
  const original = originals.get(tool)
  if (original !== undefined) return original
  const { name, description, parameters, strict = false, form } = tool
  if (form === "opaque") throw refuse(`tools[${index}] is a tool that only another service has`)
  return form === "custom"
    ? withoutUndefined({ type: "custom", name, description })
    : // Left out, `strict` would mean yes here; everywhere else it means no.
      withoutUndefined({ type: "function", name, description, parameters: parameters ?? null, strict })
}

export function readToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (value === "auto" || value === "none" || value === "required") return value
  if (!isObject(value)) return isText(value) ? { opaque: value } : undefined
  return value["type"] === "function" && isText(value["name"]) ? { name: value["name"] } : { opaque: value }
}

export function writeToolChoice(choice: ToolChoice, tools: readonly Tool[]): JsonValue {
  if (typeof choice === "string") return choice
  if (!("name" in choice)) return choice.opaque
  const isCustom = tools.some(({ name, form }) => name === choice.name && form === "custom")
  return { type: isCustom ? "custom" : "function", name: choice.name }
}

/** `text.format`. */
export function readFormat(value: JsonValue | undefined): OutputFormat | undefined {
  if (!isObject(value)) return undefined
  const { type, name, schema, strict } = value
  if (type === "text") return { type: "text" }
  if (type === "json_object") return { type: "json" }
  if (type === "json_schema" && isText(name) && schema !== undefined)
    return { type: "json_schema", name, schema, ...(typeof strict === "boolean" && { strict }) }
  return { type: "opaque", value }
}

export function writeFormat(output: OutputFormat): WireObject {
  switch (output.type) {
    case "text":
      return { type: "text" }
    case "json":
      return { type: "json_object" }
    case "json_schema": {
      const { name, schema, strict } = output
      return withoutUndefined({ type: "json_schema", name, schema, strict })
    }
    case "opaque":
      return output.value as WireObject
  }
}
