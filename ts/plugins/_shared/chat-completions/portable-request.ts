// What a backend of another dialect cannot get of a chat-completions request.

import type { ChatRequest } from "../../../kernel/index.ts"
import { checkFields } from "../dialect/expected-fields.ts"
import { checkPortable, type OwnApi } from "../dialect/portable.ts"
import { bodyOrigin } from "../dialect/request-body.ts"
import { hasLength, isObject, toList } from "../dialect/wire.ts"
import { fields, messageFields } from "./expected-fields.ts"
import { dialectId } from "./wire.ts"

const api: OwnApi = {
  name: "Chat Completions",
  services: [],
  format: "response_format",
  conversation: "messages",
  node: "a part",
  fields,
  roles: ["system", "developer", "user", "assistant", "tool", "function"],
  parts: {
    image_url: ["image_url", 'an object with "url"'],
    input_audio: ["input_audio", 'an object with "data" and "format"'],
    file: ["file", 'an object with "file_id" or "file_data"'],
    refusal: ["refusal", "a string"],
  },
  results: {
    callId: "tool_call_id",
    isLost: ({ role, tool_call_id: id, name }) => role === "tool" && !hasLength(id) && !hasLength(name),
  },
}

/** Throws `invalid_request` that names a field which has no counterpart elsewhere. For requests that this dialect read. */
export function checkPortableChat(request: ChatRequest): void {
  const body = bodyOrigin(request, dialectId)?.original
  if (body === undefined) return
  for (const [index, message] of toList(body["messages"]).entries())
    if (isObject(message)) checkFields(message, messageFields, `messages[${index}].`)
  checkPortable(request, body, api)
}
