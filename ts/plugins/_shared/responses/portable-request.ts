// What only a backend of the Responses API can do for a request.

import { type ChatRequest, type JsonValue, RtrError, type WireObject } from "../../../kernel/index.ts"
import { isObject, isText, ReadOrigin, toList } from "../dialect/wire.ts"

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<{ readonly body: WireObject }> {
  /** Throws `invalid_request` that names a field which has no counterpart elsewhere. */
  checkPortable(request: ChatRequest): void {
    const { session, tools, toolChoice, output, extensions } = request
    if (session.previousResponseId !== undefined) throw refuse("previous_response_id", "needs a kept conversation")
    if (session.conversation !== undefined) throw refuse("conversation", "needs a kept conversation")
    if (extensions["background"] === true) throw refuse("background", "needs a kept response")
    for (const name of ["prompt", "context_management", "moderation"])
      if (isObject(extensions[name]) || toList(extensions[name]).length > 0)
        throw refuse(name, "is a service of that API")
    for (const [index, { form, name }] of tools.entries())
      if (form === "opaque") throw refuse(`tools[${index}]`, `"${name}" is a tool of that API`)
    if (isObject(toolChoice) && "opaque" in toolChoice)
      throw refuse("tool_choice", `${nameOf(toolChoice.opaque)} is a choice of that API`)
    if (output?.type === "opaque") throw refuse("text.format", `${nameOf(output.value)} is a format of that API`)
    for (const [index, { blocks }] of request.turns.entries())
      for (const block of blocks)
        if (block.type === "opaque" && block.text === undefined)
          throw refuse(pathOf(this, block.value) ?? `turns[${index}]`, `${nameOf(block.value)} is an item of that API`)
  }
}

/** Where an item or a part stands in the client's input. */
function pathOf(origin: RequestOrigin, value: JsonValue): string | undefined {
  const body = (ReadOrigin.find(origin, origin.dialect) as { readonly body: WireObject } | undefined)?.body
  for (const [index, item] of toList(body?.["input"]).entries()) {
    if (item === value) return `input[${index}]`
    for (const name of ["content", "output"] as const) {
      const at = toList(isObject(item) ? item[name] : undefined).indexOf(value)
      if (at >= 0) return `input[${index}].${name}[${at}]`
    }
  }
  return undefined
}

/** The type of what a client sent. */
const nameOf = (value: JsonValue): string =>
  `"${isObject(value) && isText(value["type"]) ? value["type"] : String(value)}"`

const refuse = (path: string, reason: string): RtrError =>
  new RtrError(
    "invalid_request",
    `Cannot send the request to the model's backend, which does not speak the Responses API: "${path}" has no counterpart there; ${reason}`,
  )
