// What is wrong with a client's body, for every dialect.

import type { WireObject } from "../../../kernel/index.ts"
import { badRequest } from "./refusals.ts"
import { isObject, isText } from "./wire.ts"

/** The body as an object that names a model, or `invalid_request` that names the field. */
export function checkBody(value: unknown): WireObject {
  if (!isObject(value)) throw badRequest("the body must be a JSON object")
  const { model, stream } = value
  if (model === undefined || model === null) throw badRequest('"model" is missing; use "MoM" for automatic routing')
  if (!isText(model) || model.trim() === "") throw badRequest('"model" must be a non-empty string')
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    throw badRequest('"stream" must be true or false')
  return value
}

/** The messages of a body, of which there is at least one. */
export function checkMessages({ messages }: WireObject, checkMessage: (message: WireObject, at: string) => void): void {
  if (messages === undefined || messages === null) throw badRequest('"messages" is missing')
  if (!Array.isArray(messages)) throw badRequest('"messages" must be a list')
  if (messages.length === 0) throw badRequest('"messages" must not be empty')
  messages.forEach((message: unknown, index) => {
    const at = `messages[${index}]`
    if (!isObject(message)) throw badRequest(`${at} must be an object`)
    checkMessage(message, at)
  })
}

/** What the content of a message may be made of. */
export interface Parts {
  readonly name: "blocks" | "parts"
  /** Types of parts that have a text. */
  readonly texts: ReadonlySet<unknown>
  readonly check?: (part: WireObject, at: string) => void
}

/** Content that is a text or a list of parts. */
export function checkContent(content: unknown, at: string, parts: Parts): void {
  if (isText(content)) return checkText(content, at)
  if (!Array.isArray(content)) throw badRequest(`${at} must be a string or a list of ${parts.name}`)
  content.forEach((part: unknown, index) => {
    const here = `${at}[${index}]`
    if (!isObject(part)) throw badRequest(`${here} must be an object`)
    const { type, text } = part
    if (!isText(type)) throw badRequest(`${here}.type must be a string`)
    if (isText(text) || parts.texts.has(type)) checkText(text, `${here}.text`)
    parts.check?.(part, here)
  })
}

/** A lone surrogate cannot be encoded and NUL ends the text for some readers, so backends and models would each read something else. */
export function checkText(text: unknown, at: string): void {
  if (!isText(text)) throw badRequest(`${at} must be a string`)
  if (text.includes("\0")) throw badRequest(`${at} holds a NUL character`)
  if (!text.isWellFormed()) throw badRequest(`${at} holds a lone surrogate, which is not valid Unicode text`)
}

/** Longer than any role that a model knows. */
const maxRoleCharacters = 64

const roles: ReadonlySet<string> = new Set(["assistant", "developer", "function", "system", "tool", "user"])

/** Some backends take "User" for the user, and a guard would take it for somebody else. Other roles pass: models have their own. */
export function checkRole({ role }: WireObject, at: string): void {
  if (!isText(role) || role === "") throw badRequest(`${at}.role must be a non-empty string`)
  if (roles.has(role)) return
  if (role.length > maxRoleCharacters)
    throw badRequest(`${at}.role must be at most ${maxRoleCharacters} characters long`)
  const meant = role
    .normalize("NFKC")
    .replace(/[^\p{L}]/gu, "")
    .toLowerCase()
  if (roles.has(meant)) throw badRequest(`${at}.role must be "${meant}", not another spelling of it`)
}
