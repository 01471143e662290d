// Parses the JSON of clients within bounds.

import { RtrError } from "../error.ts"
import { JsonScan, mayBeDeep } from "./json-scan.ts"

/**
 * Parses a client's JSON. Throws `invalid_request` for what is not valid, nested too deep, or made of too many values. `scan`
 * has seen the body already; without one the body is small.
 */
export function parseJson(body: string, scan?: JsonScan): unknown {
  if (scan === undefined && mayBeDeep(body)) new JsonScan().read(new TextEncoder().encode(body))
  try {
    return scan?.hasLongNumbers === false ? JSON.parse(body) : parseExactJson(body)
  } catch {
    // The parser's own message quotes the text, which may be somebody's prompt.
    throw new RtrError("invalid_request", "Cannot read the request: the body is not valid JSON")
  }
}

/** Parses JSON without rounding its numbers. Throws a `SyntaxError`. */
export const parseExactJson = (text: string): unknown =>
  longNumber.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text)

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
