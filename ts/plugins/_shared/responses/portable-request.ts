// What only a backend of the Responses API can do for a request.

import type { ChatRequest, Plan, Thinker, Tool, ToolChoice, WireObject } from "../../../kernel/index.ts"
import { checkPortable, notPortable, type OwnApi, withoutBlocks } from "../dialect/portable.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { isObject, isText, toList } from "../dialect/wire.ts"
import { fields } from "./expected-fields.ts"
import { isKeptThought } from "./items.ts"
import { isOffer, originalOf, toolsOf } from "./tools.ts"
import { dialectId, isReference } from "./wire.ts"

const api: OwnApi = {
  name: "Responses",
  services: ["prompt", "context_management", "moderation"],
  format: "text.format",
  conversation: "input",
  node: "an item",
  fields,
  roles: ["system", "developer", "user", "assistant"],
  parts: {
    input_image: ["image_url", "a string"],
    input_file: ["file_data", 'a string, unless there is a "file_id" or a "file_url"'],
    input_audio: ["input_audio", 'an object with "data" and "format"'],
    refusal: ["refusal", "a string"],
  },
  instead: { item_reference: "; send the item itself, as clients do with `store: false`" },
}

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<WireObject, ChatRequest> {
  /** The request without what other models thought in responses that the router keeps. */
  forModel(request: ChatRequest, { model, dialect }: Thinker): ChatRequest {
    if (!toList(this.original["input"]).some(isKeptThought)) return request
    return withoutBlocks(
      request,
      (block) =>
        block.type === "reasoning" &&
        block.thoughtBy !== undefined &&
        (block.thoughtBy.model !== model || block.thoughtBy.dialect !== dialect),
    )
  }

  /**
   * The request without what means the same when it is left out. Throws `invalid_request` that names a field which has no
   * counterpart elsewhere.
   */
  toPortable(given: ChatRequest): ChatRequest {
    const request = withoutBlocks(
      given,
      (block) => block.type === "opaque" && isObject(block.value) && isDispensable(block.value),
    )
    const { session, tools, toolChoice, extensions } = request
    if (session.previousResponseId !== undefined) throw notPortable(api, "previous_response_id", notKept)
    if (session.conversation !== undefined) throw notPortable(api, "conversation", notKept)
    if (extensions["background"] === true) throw notPortable(api, "background", notKept)
    checkPortable(request, this.original, api)
    const portable = toPortableTools(tools, toolChoice)
    return portable === tools ? request : { ...request, tools: portable }
  }
}

/**
 * Refuses what refers to kept responses where nobody keeps any, neither the router nor a backend, and does so before signals are read: to a
 * guard it would be content that cannot be read. Throws `invalid_request`.
 */
export function refuseUnkept(request: ChatRequest, plan: Plan | undefined): void {
  const { session, extensions, origin } = request
  const refers =
    session.previousResponseId !== undefined ||
    session.conversation !== undefined ||
    extensions["background"] === true ||
    (origin instanceof RequestOrigin &&
      toList(origin.original["input"]).some((item) => isObject(item) && isReference(item)))
  if (refers && !keepsResponses(plan)) origin?.toPortable?.(request)
}

const keepsResponses = (plan: Plan | undefined): boolean =>
  plan === undefined ||
  [plan, ...(plan.recipes ?? [])].some(({ models }) =>
    Array.from(models.values()).some(({ backends }) => backends.some((backend) => backend.dialectId === dialectId)),
  )

const notKept =
  "the router could do it if it kept responses; global.services.response_api in its configuration switches that on"

/** Searches that are over, and thoughts by their ids: what one vendor thought is of use to itself alone. */
const isDispensable = ({ type, status, id }: WireObject): boolean =>
  type === "item_reference"
    ? isText(id) && id.startsWith("rs_")
    : (type === "web_search_call" || type === "file_search_call") && status === "completed"

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
    throw notPortable(api, at, `"${tool.name}" is a tool of that API`)
  })
}
