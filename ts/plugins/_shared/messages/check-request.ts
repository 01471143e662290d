// What every Messages request has to be before anything reads it.

import { RtrError, type WireObject } from "../../../kernel/index.ts"
import { textProblem } from "../dialect/request-text.ts"
import { isObject } from "../dialect/wire.ts"

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  if (!isObject(value)) throw refuse("the body must be a JSON object")
  const { model, messages, stream, system } = value
  if (model === undefined || model === null) throw refuse('"model" is missing; use "MoM" for automatic routing')
  if (typeof model !== "string" || model.trim() === "") throw refuse('"model" must be a non-empty string')
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    throw refuse('"stream" must be true or false')
  if (system !== undefined && system !== null) checkContent(system, "system")
  if (messages === undefined || messages === null) throw refuse('"messages" is missing')
  if (!Array.isArray(messages)) throw refuse('"messages" must be a list')
  if (messages.length === 0) throw refuse('"messages" must not be empty')
  messages.forEach((message: unknown, index) => checkMessage(message, `messages[${index}]`))
  return value
}

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system"])

/** A closed list: a backend may take "User" for the user, and a guard would take it for somebody else. */
function checkMessage(message: unknown, at: string): void {
  if (!isObject(message)) throw refuse(`${at} must be an object`)
  const { role, content } = message
  if (!roles.has(role)) throw refuse(`${at}.role must be "user", "assistant" or "system"`)
  if (content === undefined || content === null) throw refuse(`${at}.content is missing`)
  checkContent(content, `${at}.content`)
}

function checkContent(content: unknown, at: string): void {
  if (typeof content === "string") return checkText(content, at)
  if (!Array.isArray(content)) throw refuse(`${at} must be a string or a list of blocks`)
  content.forEach((block: unknown, index) => checkBlock(block, `${at}[${index}]`))
}

function checkBlock(block: unknown, at: string): void {
  if (!isObject(block)) throw refuse(`${at} must be an object`)
  const { type, text, content } = block
  if (typeof type !== "string") throw refuse(`${at}.type must be a string`)
  if (type === "text" && typeof text !== "string") throw refuse(`${at}.text must be a string`)
  if (typeof text === "string") checkText(text, `${at}.text`)
  if (type === "tool_result" && content !== undefined && content !== null) checkContent(content, `${at}.content`)
}

function checkText(text: string, at: string): void {
  const fault = textProblem(text)
  if (fault !== undefined) throw refuse(`${at} ${fault}`)
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the chat request: ${reason}`)
