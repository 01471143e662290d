// Small schema pieces that several sections share.

import {
  type Static,
  Type,
  type TObject,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TUnsafe,
} from "typebox"
import { durationPattern } from "./duration.ts"

/** An object that refuses unknown keys; every section is one. */
export function section<Properties extends TProperties>(
  properties: Properties,
  options: { description?: string } = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** A choice of variants told apart by one field. The validator follows the matching variant, so that its errors are about that one. */
export function taggedUnion<Value>(
  tag: string,
  variants: readonly TSchema[],
  options: { description?: string } = {},
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ anyOf: variants, discriminator: { propertyName: tag }, ...options })
}

/** Key of a union whose variants are told apart by the one of these fields that is there. */
export const exactlyOne = "x-exactly-one-of"

/** An object that has exactly one of some fields, beside those that every variant has. */
export function exactlyOneOf<Choices extends TProperties, Common extends TProperties>(
  choices: Choices,
  common: Common,
  options: { description?: string } = {},
): TUnsafe<{ [Key in keyof Choices]: Static<TObject<Common & Pick<Choices, Key>>> }[keyof Choices]> {
  const variants = Object.entries(choices).map(([key, schema]) => section({ [key]: schema, ...common }))
  return Type.Unsafe({ anyOf: variants, [exactlyOne]: Object.keys(choices), ...options })
}

/**
 * A map from any key to values of one shape. `keys` is a pattern of the keys that `values` is for. `Type.Record` makes the same
 * schema, and brings TypeBox's whole engine for types, 11 kB of an edge host's bundle.
 */
export function mapOf<Values extends TSchema>(
  values: Values,
  {
    keys = "^.*$",
    ...options
  }: TSchemaOptions & { readonly keys?: string; readonly additionalProperties?: false } = {},
): TUnsafe<Record<string, Static<Values>>> {
  return Type.Unsafe({ type: "object", patternProperties: { [keys]: values }, ...options })
}

/**
 * Key of a text with a pattern that says in words which form it has. A wrong value is shown beside them, so no place that may hold a
 * secret has it.
 */
export const formOf = "x-form"

/** The same for a place that may hold a secret: what is written there is not shown. */
export const hiddenFormOf = "x-hidden-form"

/**
 * Key of a list with `minItems`: the message for one that is empty or null. Leaving such a list out means something else than null,
 * as `api_keys` does, without which everybody is let in.
 */
export const emptyMeans = "x-empty"

/** One of a fixed list of words. `form` says what they are where the list is too long for a message. */
export function literals<const Word extends string>(
  words: readonly Word[],
  { form, ...options }: { description?: string; form?: string } = {},
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: words, ...(form !== undefined && { [formOf]: form }), ...options })
}

export const name = Type.String({ minLength: 1, pattern: "\\S" })
export const duration = Type.String({
  pattern: durationPattern,
  description: "Duration such as 300s or 1m30s",
  [formOf]: "a duration such as 300s or 1m30s",
})
export const port = Type.Integer({ minimum: 0, maximum: 65535 })
