// What every chat-completions request has to be before anything reads it.

import type { WireObject } from "../../../kernel/index.ts"
import { checkBody, checkContent, checkMessages, checkRole, type Parts } from "../dialect/check-request.ts"

const parts: Parts = { name: "parts", texts: new Set(["text"]) }

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  const body = checkBody(value)
  checkMessages(body, (message, at) => {
    checkRole(message, at)
    const { content } = message
    if (content !== undefined && content !== null) checkContent(content, `${at}.content`, parts)
  })
  return body
}
