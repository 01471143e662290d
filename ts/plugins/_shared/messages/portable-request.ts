// What only a backend of the Messages API can do for a request.

import type { Block, ChatRequest, WireObject } from "../../../kernel/index.ts"
import { checkPortable, notPortable, type OwnApi, withoutSearches } from "../dialect/portable.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { isObject } from "../dialect/wire.ts"
import { ThreadUnsupported } from "./errors.ts"

const api: OwnApi = {
  name: "Messages",
  services: ["mcp_servers", "container", "compaction"],
  format: "output_config.format",
  conversation: "messages",
  node: "a block",
}

/** The origin of a request that this dialect read; it says whether backends of other dialects can take it. */
export class RequestOrigin extends ReadOrigin<WireObject, ChatRequest> {
  /** Throws `invalid_request` that names a field which has no counterpart elsewhere. */
  toPortable(given: ChatRequest): ChatRequest {
    if (isObject(given.extensions["thread"]))
      throw new ThreadUnsupported(notPortable(api, "thread", "is a service of that API"))
    const request = withoutSearches(given, isOver)
    checkPortable(request, this.original, api)
    for (const [index, { form, name }] of request.tools.entries())
      if (form === "opaque") throw notPortable(api, `tools[${index}]`, `"${name}" is a tool of that API`)
    return request
  }
}

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
