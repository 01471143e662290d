// What every Responses request has to be before anything reads it.

import { RtrError, type WireObject } from "../../../kernel/index.ts"
import { roleProblem, textProblem } from "../dialect/request-text.ts"
import { isObject, isText } from "../dialect/wire.ts"

/** The body as an object, or `invalid_request` that names the field. */
export function checkRequest(value: unknown): WireObject {
  if (!isObject(value)) throw refuse("the body must be a JSON object")
  const { model, input, instructions, stream, prompt } = value
  if (model === undefined || model === null) throw refuse('"model" is missing; use "MoM" for automatic routing')
  if (typeof model !== "string" || model.trim() === "") throw refuse('"model" must be a non-empty string')
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    throw refuse('"stream" must be true or false')
  if (instructions !== undefined && instructions !== null) checkText(instructions, '"instructions"')
  // A stored prompt may hold the whole conversation.
  if ((input === undefined || input === null) && isObject(prompt)) return value
  if (input === undefined || input === null) throw refuse('"input" is missing')
  if (isText(input)) checkText(input, '"input"')
  else if (Array.isArray(input)) input.forEach((item, index) => checkItem(item, `input[${index}]`))
  else throw refuse('"input" must be a string or a list of items')
  return value
}

function checkItem(item: unknown, at: string): void {
  if (!isObject(item)) throw refuse(`${at} must be an object`)
  const { type, role, content, output, call_id: callId, name } = item
  if (type !== undefined && !isText(type)) throw refuse(`${at}.type must be a string`)
  switch (type ?? "message") {
    case "message": {
      const problem = roleProblem(role)
      if (problem !== undefined) throw refuse(`${at}.role ${problem}`)
      if (content === undefined || content === null) throw refuse(`${at}.content is missing`)
      return checkContent(content, `${at}.content`)
    }
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
      if (output === undefined || output === null) throw refuse(`${at}.output is missing`)
      return checkContent(output, `${at}.output`)
    case "reasoning":
      for (const list of ["summary", "content"] as const) {
        const parts = item[list]
        if (parts !== undefined && parts !== null && !Array.isArray(parts)) throw refuse(`${at}.${list} must be a list`)
        if (Array.isArray(parts)) checkContent(parts, `${at}.${list}`)
      }
      return
    default:
  }
}

function checkName(value: unknown, at: string): void {
  if (!isText(value) || value === "") throw refuse(`${at} must be a non-empty string`)
}

function checkContent(content: unknown, at: string): void {
  if (isText(content)) return checkText(content, at)
  if (!Array.isArray(content)) throw refuse(`${at} must be a string or a list of parts`)
  content.forEach((part: unknown, index) => {
    if (!isObject(part)) throw refuse(`${at}[${index}] must be an object`)
    const { type, text } = part
    if (!isText(type)) throw refuse(`${at}[${index}].type must be a string`)
    if (textParts.has(type) || isText(text)) checkText(text, `${at}[${index}].text`)
  })
}

const textParts: ReadonlySet<string> = new Set(["input_text", "output_text", "summary_text", "reasoning_text"])

function checkText(text: unknown, at: string): void {
  if (!isText(text)) throw refuse(`${at} must be a string`)
  const problem = textProblem(text)
  if (problem !== undefined) throw refuse(`${at} ${problem}`)
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the request: ${reason}`)
