// What every whole reply of a backend has to be before anything reads it.

import type { WireObject } from "../../../kernel/index.ts"
import { readError } from "./errors.ts"
import { parseReply } from "../dialect/kept-reply.ts"
import { badReply, failedReply } from "../dialect/refusals.ts"
import { isObject } from "../dialect/wire.ts"

/**
 * The body as an object whose choices have messages, or `upstream_error` that says what is odd. What goes on as it came has
 * to be something that a client can read.
 */
export function checkReply(text: string): WireObject {
  const body = parseReply(text)
  const { choices } = body
  if (!Array.isArray(choices)) {
    // Some backends and proxies report an error with a good status.
    const failed = readError(body)
    if (failed !== undefined) throw failedReply(failed.message)
    throw badReply(`"choices" of the reply ${choices === undefined ? "is missing" : "is not a list"}`)
  }
  for (let index = 0; index < choices.length; index++) checkChoice(choices[index], index)
  return body
}

function checkChoice(choice: unknown, index: number): void {
  if (!isObject(choice)) throw badReply(`choices[${index}] of the reply is not an object`)
  const { message } = choice
  if (!isObject(message)) throw badReply(`choices[${index}].message of the reply is not an object`)
  const { content, tool_calls: calls } = message
  if (typeof content !== "string" && content !== undefined && content !== null && !isListOfObjects(content))
    throw badReply(`choices[${index}].message.content of the reply is neither text nor a list of parts`)
  if (calls !== undefined && calls !== null && !isListOfObjects(calls))
    throw badReply(`choices[${index}].message.tool_calls of the reply is not a list of calls`)
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)
