// What every chat-completions request has to be before anything reads it.

import { RtrError, type WireObject } from "../../../kernel/index.ts"
import { roleProblem, textProblem } from "../dialect/request-text.ts"
import { isObject } from "../dialect/wire.ts"

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  if (!isObject(value)) throw refuse("the body must be a JSON object")
  const { model, messages, stream } = value
  if (model === undefined || model === null) throw refuse('"model" is missing; use "MoM" for automatic routing')
  if (typeof model !== "string" || model.trim() === "") throw refuse('"model" must be a non-empty string')
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    throw refuse('"stream" must be true or false')
  if (messages === undefined || messages === null) throw refuse('"messages" is missing')
  if (!Array.isArray(messages)) throw refuse('"messages" must be a list')
  if (messages.length === 0) throw refuse('"messages" must not be empty')
  messages.forEach(checkMessage)
  return value
}

function checkMessage(message: unknown, index: number): void {
  if (!isObject(message)) throw refuse(`messages[${index}] must be an object`)
  const { role, content } = message
  const problem = roleProblem(role)
  if (problem !== undefined) throw refuse(`messages[${index}].role ${problem}`)
  if (content === undefined || content === null) return
  if (typeof content === "string") return checkText(content, index)
  if (!Array.isArray(content)) throw refuse(`messages[${index}].content must be a string or a list of parts`)
  content.forEach((part: unknown, position) => {
    const at = `messages[${index}].content[${position}]`
    if (!isObject(part)) throw refuse(`${at} must be an object`)
    const { type, text } = part
    if (typeof type !== "string") throw refuse(`${at}.type must be a string`)
    if (type === "text" && typeof text !== "string") throw refuse(`${at}.text must be a string`)
    if (typeof text === "string") checkText(text, index, position)
  })
}

function checkText(text: string, index: number, position?: number): void {
  const problem = textProblem(text)
  if (problem === undefined) return
  const at = position === undefined ? `messages[${index}].content` : `messages[${index}].content[${position}].text`
  throw refuse(`${at} ${problem}`)
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the chat request: ${reason}`)
