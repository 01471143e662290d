// What every dialect uses on its wire: checks of unknown JSON, and marks of what was read.

import type { JsonValue, Origin, WireObject } from "../../../kernel/index.ts"

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export const isText = (value: unknown): value is string => typeof value === "string"

/** A text with something in it. */
export const hasLength = (value: unknown): value is string => typeof value === "string" && value !== ""

export const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0

/** The value as a list; an empty one for everything else. */
export function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : []
}

/** Fields that are undefined are left out. */
export function withoutUndefined(fields: Readonly<Record<string, JsonValue | undefined>>): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WireObject
}

export function hasFields(value: WireObject): boolean {
  for (const _ in value) return true
  return false
}

/**
 * Leads from a node back to what it was read from; it travels with `{ ...node, change }`. A private field, because a
 * `WeakMap` entry for every message of every request costs more in garbage collection than reading it.
 */
export class ReadOrigin<Original extends object> implements Origin {
  readonly dialect: string
  readonly #original: Original

  constructor(dialect: string, original: Original) {
    this.dialect = dialect
    this.#original = original
  }

  /** Undefined for a mark of another dialect, and for a copy that came through JSON. */
  static find(origin: Origin | undefined, dialect: string): object | undefined {
    return origin !== undefined && #original in origin && origin.dialect === dialect
      ? (origin as ReadOrigin<object>).#original
      : undefined
  }
}
