// Tools and the choice among them, to and from the canonical form.

import type { JsonValue, Tool, WireObject } from "../../../kernel/index.ts"
import { createTools, toTool, type Tools } from "../dialect/tools.ts"
import { isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { isNamespace, joinedName } from "./namespaces.ts"
import { refuse } from "./wire.ts"

export const { readTool, writeTool, originalOf }: Tools = createTools({
  read({ type, name, description, parameters, strict, format }) {
    if (type === "custom") return toTool({ name, description, grammar: format }, type)
    if (type !== "function") return undefined
    // No is what `strict` means elsewhere when it is left out.
    return toTool({ name, description, parameters: parameters ?? undefined, strict: strict === true || undefined })
  },
  write: ({ name, description, parameters, strict = false, grammar, form = "function" }) =>
    form === "custom"
      ? withoutUndefined({ type: form, name, description, format: grammar && { type: "grammar", ...grammar } })
      : // Left out, `strict` would mean yes here; everywhere else it means no.
        withoutUndefined({ type: form, name, description, parameters: parameters ?? null, strict }),
  refuse,
})

/** The tool with its path; for a namespace, those in it. */
export function toolsOf(tool: Tool, at: string): readonly { readonly tool: Tool; readonly at: string }[] {
  const original = originalOf(tool)
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

export const nameOfChoice = ({ type, name }: WireObject): JsonValue | undefined =>
  type === "function" || type === "custom" ? name : undefined
