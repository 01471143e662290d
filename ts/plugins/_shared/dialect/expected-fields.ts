// Fields of a client's body whose value is none that its API has. A backend of the same API gets them and refuses them itself; in
// the body for another one they would be missing without a word.

import type { RtrError, WireObject } from "../../../kernel/index.ts"
import { type Check, isBoolean, isNumber, isTexts, toNumber } from "./known-fields.ts"
import { badRequest } from "./refusals.ts"
import { isObject, isText } from "./wire.ts"

export interface Expected {
  readonly holds: Check
  /** What stands behind "must be". */
  readonly right: string
  /** Fields of an object. */
  readonly inner?: ExpectedFields
  /** Entries of a list. */
  readonly each?: Expected
}

export type ExpectedFields = Readonly<Record<string, Expected>>

export const aNumber: Expected = { holds: isNumber, right: "a number" }
export const aCount: Expected = {
  holds: (value) => (toNumber(value) ?? 0) >= 1 && Number.isInteger(toNumber(value)),
  right: "a whole number above 0",
}
export const aBoolean: Expected = { holds: isBoolean, right: "true or false" }
export const aText: Expected = { holds: isText, right: "a string" }
export const texts: Expected = { holds: isTexts, right: "a list of strings" }
export const textFields: Expected = {
  holds: (value) => isObject(value) && Object.values(value).every(isText),
  right: "an object whose values are strings",
}
export const anObject = (inner: ExpectedFields): Expected => ({ holds: isObject, right: "an object", inner })
export const aListOf = (each: Expected): Expected => ({ holds: Array.isArray, right: "a list", each })

/** Throws `invalid_request` for the first field with another value. Null means what leaving it out means. */
export function checkFields(body: WireObject, fields: ExpectedFields, at = ""): void {
  for (const name in body) {
    const value = body[name]
    if (value !== null && Object.hasOwn(fields, name)) checkValue(value, fields[name] as Expected, at + name)
  }
}

function checkValue(value: unknown, { holds, right, inner, each }: Expected, path: string): void {
  if (!holds(value, {})) throw wrongValue(path, value, right)
  if (inner !== undefined && isObject(value)) checkFields(value, inner, `${path}.`)
  if (each !== undefined && Array.isArray(value))
    for (const [index, entry] of value.entries()) checkValue(entry, each, `${path}[${index}]`)
}

export function wrongValue(path: string, value: unknown, right: string): RtrError {
  const kind = kindOf(value)
  const isNear = right.includes(kind) || (isText(value) && right.startsWith('"'))
  return badRequest(`"${path}" must be ${right}; it is ${isNear ? kind.replace(/^an? /, "another ") : kind}`)
}

/** Texts are the client's own and stay out of errors. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing"
  if (value === null || typeof value === "boolean") return String(value)
  if (isText(value)) return "a string"
  if (Array.isArray(value)) return "a list"
  return toNumber(value) === undefined ? "an object" : `the number ${toNumber(value)}`
}
