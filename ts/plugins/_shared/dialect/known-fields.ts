// Which fields of a request's body the canonical form knows. All others are extensions.

import type { JsonValue, WireObject } from "../../../kernel/index.ts"
import { isText } from "./wire.ts"

/** Whether the canonical form can hold a field's value beside the other fields of the body. */
export type Check = (value: unknown, body: WireObject) => boolean

export interface KnownFields {
  /** A field's value if its canonical counterpart can hold it. */
  pick(body: WireObject, name: string): JsonValue | undefined
  /** The fields that have no canonical counterpart, and those whose value it cannot hold. */
  extensionsOf(body: WireObject): WireObject
}

/** The top-level fields of a wire that have a canonical counterpart. */
export function knownFields(checks: Readonly<Record<string, Check>>): KnownFields {
  const pick: KnownFields["pick"] = (body, name) => {
    const value = body[name]
    return value !== undefined && Object.hasOwn(checks, name) && checks[name]?.(value, body) === true
      ? value
      : undefined
  }
  return {
    pick,
    extensionsOf(body) {
      for (const each in body)
        if (pick(body, each) === undefined)
          return Object.fromEntries(Object.entries(body).filter(([name]) => pick(body, name) === undefined))
      return none
    },
  }
}

const none: WireObject = {}

export const isAnything: Check = () => true
export const isNumber: Check = (value) => toNumber(value) !== undefined
export const isBoolean: Check = (value) => typeof value === "boolean"
export const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)

/** A number, also one that was too long for a double and so was kept as it was written. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value
  const raw =
    typeof value === "object" && value !== null ? (value as { readonly rawJSON?: unknown }).rawJSON : undefined
  const isRaw = (JSON as unknown as { isRawJSON?(given: unknown): boolean }).isRawJSON?.(value) === true
  return isRaw && typeof raw === "string" ? Number(raw) : undefined
}
