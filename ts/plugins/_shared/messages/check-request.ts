// What every Messages request has to be before anything reads it.

import type { WireObject } from "../../../kernel/index.ts"
import { checkBody, checkContent, checkMessages, type Parts } from "../dialect/check-request.ts"
import { badRequest } from "../dialect/refusals.ts"

/** A closed list: a backend may take "User" for the user, and a guard would take it for somebody else. */
const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system"])

const blocks: Parts = {
  name: "blocks",
  texts: new Set(["text"]),
  check: ({ type, content }, at) => {
    if (type === "tool_result" && content !== undefined && content !== null)
      checkContent(content, `${at}.content`, blocks)
  },
}

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  const body = checkBody(value)
  const { system } = body
  if (system !== undefined && system !== null) checkContent(system, "system", blocks)
  checkMessages(body, ({ role, content }, at) => {
    if (!roles.has(role)) throw badRequest(`${at}.role must be "user", "assistant" or "system"`)
    if (content === undefined || content === null) throw badRequest(`${at}.content is missing`)
    checkContent(content, `${at}.content`, blocks)
  })
  return body
}
