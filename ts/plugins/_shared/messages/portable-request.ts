// What only a backend of the Messages API can do for a request.

import { type ChatRequest, type JsonValue, RtrError, type WireObject } from "../../../kernel/index.ts"
import { nameOf, withResults } from "../dialect/portable.ts"
import { isObject, ReadOrigin, toList } from "../dialect/wire.ts"

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<{ readonly body: WireObject }> {
  /** Throws `invalid_request` that names a field which has no counterpart elsewhere. */
  toPortable(request: ChatRequest): ChatRequest {
    const { tools, toolChoice, output, turns, extensions } = request
    for (const name of ["mcp_servers", "container"])
      if (isObject(extensions[name]) || toList(extensions[name]).length > 0)
        throw refuse(name, "is a service of that API")
    for (const [index, { form, name }] of tools.entries())
      if (form === "opaque") throw refuse(`tools[${index}]`, `"${name}" is a tool of that API`)
    if (isObject(toolChoice) && "opaque" in toolChoice)
      throw refuse("tool_choice", `${nameOf(toolChoice.opaque)} is a choice of that API`)
    if (output?.type === "opaque")
      throw refuse("output_config.format", `${nameOf(output.value)} is a format of that API`)
    for (const [index, { blocks }] of turns.entries())
      for (const block of withResults(blocks))
        if (block.type === "opaque" && block.text === undefined)
          throw refuse(pathOf(this, block.value) ?? `turns[${index}]`, `${nameOf(block.value)} is a block of that API`)
    return request
  }
}

/** Where a block stands in the client's messages. */
function pathOf(origin: RequestOrigin, value: JsonValue): string | undefined {
  const body = (ReadOrigin.find(origin, origin.dialect) as { readonly body: WireObject } | undefined)?.body
  for (const [index, message] of toList(body?.["messages"]).entries()) {
    const content = toList(isObject(message) ? message["content"] : undefined)
    for (const [at, block] of content.entries()) {
      if (block === value) return `messages[${index}].content[${at}]`
      const inside = toList(isObject(block) ? block["content"] : undefined).indexOf(value)
      if (inside >= 0) return `messages[${index}].content[${at}].content[${inside}]`
    }
  }
  return undefined
}

const refuse = (path: string, reason: string): RtrError =>
  new RtrError(
    "invalid_request",
    `Cannot send the request to the model's backend, which does not speak the Messages API: "${path}" has no counterpart there; ${reason}`,
  )
