// What only a backend of the Messages API can do for a request.

import type { Block, ChatRequest, WireObject } from "../../../kernel/index.ts"
import { checkPortable, notPortable, type OwnApi, placeOf, withoutSearches } from "../dialect/portable.ts"
import { wrongValue } from "../dialect/expected-fields.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { hasLength, isObject, toList } from "../dialect/wire.ts"
import { originalOf } from "./blocks.ts"
import { ThreadUnsupported } from "./errors.ts"
import { fields } from "./expected-fields.ts"

const api: OwnApi = {
  name: "Messages",
  services: ["mcp_servers", "container", "compaction"],
  format: "output_config.format",
  conversation: "messages",
  node: "a block",
  fields,
  roles: ["user", "assistant", "system"],
  parts: {
    image: ["source", 'an object like {"type": "base64", "media_type": "image/png", "data": "…"}'],
    document: ["source", 'an object like {"type": "base64", "media_type": "application/pdf", "data": "…"}'],
    tool_use: [undefined, 'an object like {"type": "tool_use", "id": "…", "name": "…", "input": {}}'],
    tool_reference: ["tool_name", "a string"],
  },
  results: {
    callId: "tool_use_id",
    isLost: ({ type, tool_use_id: id }) => type === "tool_result" && !hasLength(id),
  },
}

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<WireObject, ChatRequest> {
  /** Throws `invalid_request` that names a field which has no counterpart elsewhere. */
  toPortable(given: ChatRequest): ChatRequest {
    if (isObject(given.extensions["thread"]))
      throw new ThreadUnsupported(notPortable(api, "thread", "is a service of that API"))
    const request = withoutSearches(given, isOver)
    checkResults(request, this.original)
    checkPortable(request, this.original, api)
    for (const [index, { form, name }] of request.tools.entries())
      if (form === "opaque") throw notPortable(api, `tools[${index}]`, `"${name}" is a tool of that API`)
    return request
  }
}

/** Results hold what a tool gave, and nothing that only a model or a user says. */
function checkResults({ turns }: ChatRequest, { messages }: WireObject): void {
  for (const { blocks } of turns)
    for (const block of blocks)
      if (block.type === "tool_result" && block.blocks.some(({ type }) => noContent.has(type))) {
        const result = originalOf(block)
        const wrong = toList(isObject(result) ? result["content"] : undefined)[
          block.blocks.findIndex(({ type }) => noContent.has(type))
        ]
        const path = placeOf((node) => node === wrong, messages, api.conversation)
        if (path !== undefined) throw wrongValue(path, wrong, 'an object with the type "text", "image" or "document"')
      }
}

const noContent: ReadonlySet<unknown> = new Set(["tool_result", "tool_call", "reasoning"])

const searches: ReadonlySet<unknown> = new Set(["web_search", "web_fetch"])
const results: ReadonlySet<unknown> = new Set(["web_search_tool_result", "web_fetch_tool_result"])

/** A search with its result, or the result. */
function isOver({ type, name, id }: WireObject, blocks: readonly Block[]): boolean {
  if (type !== "server_tool_use" || !searches.has(name)) return results.has(type)
  return blocks.some(
    (block) =>
      block.type === "opaque" &&
      isObject(block.value) &&
      results.has(block.value["type"]) &&
      block.value["tool_use_id"] === id,
  )
}
