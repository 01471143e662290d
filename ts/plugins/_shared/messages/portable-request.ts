// What only a backend of the Messages API can do for a request.

import type { ChatRequest, WireObject } from "../../../kernel/index.ts"
import { checkPortable, notPortable, type OwnApi } from "../dialect/portable.ts"
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
  toPortable(request: ChatRequest): ChatRequest {
    if (isObject(request.extensions["thread"]))
      throw new ThreadUnsupported(notPortable(api, "thread", "is a service of that API"))
    checkPortable(request, this.original, api)
    for (const [index, { form, name }] of request.tools.entries())
      if (form === "opaque") throw notPortable(api, `tools[${index}]`, `"${name}" is a tool of that API`)
    return request
  }
}
