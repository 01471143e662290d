// What stores take: keys, values, fields, ages and vectors, checked alike by every store.

import {
  type JsonValue,
  RtrError,
  type StoredRecord,
  type StoreFields,
  type WriteOptions,
} from "../../../kernel/index.ts"

const mostAtOnce = 1000

/** An error about what the caller gave. The message never carries keys or values: they may be parts of prompts. */
export function invalidInput(message: string): RtrError {
  return new RtrError("invalid_input", message)
}

/** The error of every call after `close`. */
export function closedError(): RtrError {
  return new RtrError("unavailable", "The store is closed")
}

/** Returns a key, an id or a name. Throws `invalid_input` for a lone surrogate, which UTF-8 cannot hold. */
export function checkText(what: string, text: string): string {
  if (typeof text !== "string") throw invalidInput(`A store's ${what} must be a string, not ${typeof text}`)
  if (!text.isWellFormed()) throw invalidInput(`A store's ${what} must be well-formed Unicode`)
  return text
}

/** The value as JSON text. Throws `invalid_input` for what JSON cannot hold. */
export function toJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw invalidInput(`A store cannot keep the number ${value}`)
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new RtrError("invalid_input", "A store keeps only what JSON can hold", { cause })
  }
  if (text === undefined) throw invalidInput(`A store keeps only what JSON can hold, not ${typeof value}`)
  return text
}

/** When the entry is gone, in milliseconds since 1970; null for one that stays. */
export function expiryOf(options: WriteOptions | undefined, now: number): number | null {
  const { ttlMs } = options ?? {}
  if (ttlMs === undefined) return null
  if (!(Number.isFinite(ttlMs) && ttlMs > 0)) throw invalidInput(`ttlMs must be more than 0, not ${ttlMs}`)
  return now + ttlMs
}

/**
 * Each field as one text, so that a field is found by one comparison. The type is a part of it: "1", 1 and true differ.
 * Throws `invalid_input` for values other than strings, finite numbers and booleans.
 */
export function tagsOf(fields: StoreFields): readonly string[] {
  return Object.entries(fields).map(([name, value]) => {
    const type = typeof value
    if (type !== "string" && type !== "boolean" && !Number.isFinite(value))
      throw invalidInput(`Fields must be strings, finite numbers or booleans, not ${type === "number" ? value : type}`)
    return JSON.stringify([name, value])
  })
}

/** How many are wanted; 1 to 1000, so that no call holds the event loop for long. */
export function readLimit(limit: number | undefined, fallback: number): number {
  if (limit === undefined) return fallback
  if (!Number.isInteger(limit) || limit < 1 || limit > mostAtOnce)
    throw invalidInput(`limit must be a whole number from 1 to ${mostAtOnce}, not ${limit}`)
  return limit
}

/** Throws `invalid_input` unless the age of a record is a number. */
export function checkCreatedAt({ createdAt }: StoredRecord): number {
  if (!Number.isFinite(createdAt)) throw invalidInput(`createdAt must be milliseconds since 1970, not ${createdAt}`)
  return createdAt
}

/** The number that `increment` leaves. Throws `invalid_input` unless both are numbers and so is the sum. */
export function sumOf(before: unknown, amount: number): number {
  if (typeof before !== "number") throw invalidInput("increment needs a number, and the key holds something else")
  const sum = before + amount
  if (!Number.isFinite(sum)) throw invalidInput(`increment by ${amount} gives no finite number`)
  return sum
}

/** Throws `invalid_input` unless vectors can have this width. */
export function checkDimensions(dimensions: number): number {
  if (!Number.isInteger(dimensions) || dimensions < 1)
    throw invalidInput(`dimensions must be a whole number from 1, not ${dimensions}`)
  return dimensions
}

/** The vector scaled to length 1. Throws `invalid_input` for another width, a value that is no number, or only zeros. */
export function toUnitVector(vector: Float32Array, dimensions: number): Float32Array {
  if (vector.length !== dimensions)
    throw invalidInput(`A vector has ${vector.length} dimensions, the store's have ${dimensions}`)
  let squares = 0
  for (let index = 0; index < dimensions; index++) squares += (vector[index] as number) ** 2
  if (!Number.isFinite(squares)) throw invalidInput("A vector holds a value that is no finite number")
  if (squares === 0) throw invalidInput("A vector of zeros has no direction and is like nothing")
  const scale = 1 / Math.sqrt(squares)
  return vector.map((value) => value * scale)
}
