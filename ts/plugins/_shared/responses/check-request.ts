// What every Responses request has to be before anything reads it.

import type { WireObject } from "../../../kernel/index.ts"
import { checkBody, checkContent, checkRole, checkText, type Parts } from "../dialect/check-request.ts"
import { badRequest } from "../dialect/refusals.ts"
import { hasLength, isObject, isText } from "../dialect/wire.ts"

const parts: Parts = {
  name: "parts",
  texts: new Set(["input_text", "output_text", "summary_text", "reasoning_text"]),
}

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  const body = checkBody(value)
  const { input, instructions, prompt } = body
  if (instructions !== undefined && instructions !== null) checkText(instructions, '"instructions"')
  // A stored prompt may hold the whole conversation.
  if ((input === undefined || input === null) && isObject(prompt)) return body
  if (input === undefined || input === null) throw badRequest(missingInput(body))
  if (isText(input)) checkText(input, '"input"')
  else if (Array.isArray(input)) input.forEach((item, index) => checkItem(item, `input[${index}]`))
  else throw badRequest('"input" must be a string or a list of items')
  return body
}

const missingInput = ({ messages }: WireObject): string =>
  `"input" is missing${messages === undefined ? "" : '; this endpoint takes "input", and /v1/chat/completions takes "messages"'}`

function checkItem(item: unknown, at: string): void {
  if (!isObject(item)) throw badRequest(`${at} must be an object`)
  const { type, content, output, call_id: callId, name } = item
  if (type !== undefined && !isText(type)) throw badRequest(`${at}.type must be a string`)
  switch (type ?? "message") {
    case "message":
      checkRole(item, at)
      if (content === undefined || content === null) throw badRequest(`${at}.content is missing`)
      return checkContent(content, `${at}.content`, parts)
    case "function_call":
      checkName(name, `${at}.name`)
      checkName(callId, `${at}.call_id`)
      return checkText(item["arguments"], `${at}.arguments`)
    case "custom_tool_call":
      checkName(name, `${at}.name`)
      checkName(callId, `${at}.call_id`)
      return checkText(item["input"], `${at}.input`)
    case "function_call_output":
    case "custom_tool_call_output":
      checkName(callId, `${at}.call_id`)
      if (output === undefined || output === null) throw badRequest(`${at}.output is missing`)
      return checkContent(output, `${at}.output`, parts)
    case "reasoning":
      for (const list of ["summary", "content"] as const) {
        const given = item[list]
        if (given !== undefined && given !== null && !Array.isArray(given))
          throw badRequest(`${at}.${list} must be a list`)
        if (Array.isArray(given)) checkContent(given, `${at}.${list}`, parts)
      }
      return
    default:
  }
}

function checkName(value: unknown, at: string): void {
  if (!hasLength(value)) throw badRequest(`${at} must be a non-empty string`)
}
