// What only a backend of the Responses API can do for a request.

import {
  type ChatRequest,
  type JsonValue,
  RtrError,
  type Tool,
  type ToolChoice,
  type WireObject,
} from "../../../kernel/index.ts"
import { nameOf, withResults } from "../dialect/portable.ts"
import { isObject, ReadOrigin, toList } from "../dialect/wire.ts"
import { isOffer, originalOf, toolsOf } from "./tools.ts"

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<{ readonly body: WireObject }> {
  /**
   * The request without what means the same when it is left out. Throws `invalid_request` that names a field which has no
   * counterpart elsewhere.
   */
  toPortable(request: ChatRequest): ChatRequest {
    const { session, tools, toolChoice, output, extensions } = request
    if (session.previousResponseId !== undefined) throw refuse("previous_response_id", "needs a kept conversation")
    if (session.conversation !== undefined) throw refuse("conversation", "needs a kept conversation")
    if (extensions["background"] === true) throw refuse("background", "needs a kept response")
    for (const name of ["prompt", "context_management", "moderation"])
      if (isObject(extensions[name]) || toList(extensions[name]).length > 0)
        throw refuse(name, "is a service of that API")
    const portable = toPortableTools(tools, toolChoice)
    if (isObject(toolChoice) && "opaque" in toolChoice)
      throw refuse("tool_choice", `${nameOf(toolChoice.opaque)} is a choice of that API`)
    if (output?.type === "opaque") throw refuse("text.format", `${nameOf(output.value)} is a format of that API`)
    for (const [index, { blocks }] of request.turns.entries())
      for (const block of withResults(blocks))
        if (block.type === "opaque" && block.text === undefined)
          throw refuse(pathOf(this, block.value) ?? `turns[${index}]`, `${nameOf(block.value)} is an item of that API`)
    return portable === tools ? request : { ...request, tools: portable }
  }
}

/**
 * Tools of namespaces on their own, and without a search of the web that is merely offered beside the client's own tools: the
 * model may do without it.
 */
function toPortableTools(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  if (tools.every(({ form }) => form !== "opaque")) return tools
  const portable = tools.flatMap((tool, index) => toolsOf(tool, `tools[${index}]`))
  const isFree = choice !== "required" && portable.some(({ tool }) => tool.form !== "opaque")
  return portable.flatMap(({ tool, at }) => {
    if (tool.form !== "opaque") return [tool]
    if (isFree && isOffer(originalOf(tool))) return []
    throw refuse(at, `"${tool.name}" is a tool of that API`)
  })
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

const refuse = (path: string, reason: string): RtrError =>
  new RtrError(
    "invalid_request",
    `Cannot send the request to the model's backend, which does not speak the Responses API: "${path}" has no counterpart there; ${reason}`,
  )
