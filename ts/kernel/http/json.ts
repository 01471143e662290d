// Parses the JSON of clients within bounds.

import { RtrError } from "../error.ts"

/** JSON nested deeper than this is no request; walking it would cost stack. */
const maxDepth = 128

/** Three bytes of JSON can become eighty in memory, so the number of values is bounded besides the size of the body. */
const maxValues = 1_000_000

/** Parses a client's JSON. Throws `invalid_request` for what is not valid, nested too deep, or made of too many values. */
export function parseJson(body: string): unknown {
  if (mayExceedBounds(body)) checkBounds(body)
  try {
    return longNumber.test(body) ? JSON.parse(body, keepExact) : JSON.parse(body)
  } catch {
    // The parser's own message quotes the text, which may be somebody's prompt.
    throw refuse("the body is not valid JSON")
  }
}

/** A number that may not fit into a double. */
const longNumber = /\d{16}|\d[eE]\+?\d{3}/

/** What newer engines add to `JSON`, which the type library does not know yet. */
const exactJson = JSON as unknown as { rawJSON?(text: string): unknown }

/** Keeps a number that a double cannot hold as it was written, so that the backend gets the client's digits. */
function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) return value
  return String(value) === source || exactJson.rawJSON === undefined ? value : exactJson.rawJSON(source)
}

/** Searching for a character is far quicker than walking over all of them, and few bodies have many brackets. */
function mayExceedBounds(body: string): boolean {
  return body.length > maxValues || countOf(body, "{") + countOf(body, "[") > maxDepth
}

/** How many brackets there are; one more than the depth allows is as good as all. */
function countOf(body: string, bracket: string): number {
  let count = 0
  for (let at = body.indexOf(bracket); at >= 0 && count <= maxDepth; at = body.indexOf(bracket, at + 1)) count += 1
  return count
}

/** Counts brackets and commas outside strings. */
function checkBounds(body: string): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let index = 0; index < body.length; index++) {
    const code = body.charCodeAt(index)
    if (inString) {
      if (code === 92) index += 1
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      depth += 1
      values += 1
      if (depth > maxDepth) throw refuse(`the body is nested deeper than ${maxDepth} levels`)
    } else if (code === 125 || code === 93) depth -= 1
    else if (code === 44) values += 1
    if (values > maxValues) throw refuse(`the body has more than ${maxValues} values`)
  }
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the request: ${reason}`)
