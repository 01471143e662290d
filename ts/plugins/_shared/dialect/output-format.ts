// The format of a reply on the wires of OpenAI, of which one nests the schema.

import type { JsonValue, OutputFormat, WireObject } from "../../../kernel/index.ts"
import { isObject, isText, withoutUndefined } from "./wire.ts"

/** `schemaIn` gives the object that has the name and the schema. */
export function readFormat(
  value: JsonValue | undefined,
  schemaIn: (format: WireObject) => JsonValue | undefined,
): OutputFormat | undefined {
  if (!isObject(value)) return undefined
  const { type } = value
  if (type === "text") return { type }
  if (type === "json_object") return { type: "json" }
  const named = type === "json_schema" ? schemaIn(value) : undefined
  const { name, schema, strict } = isObject(named) ? named : {}
  if (!isText(name) || schema === undefined) return { type: "opaque", value }
  return { type: "json_schema", name, schema, ...(typeof strict === "boolean" && { strict }) }
}

/** `nest` puts name and schema to where they stand. */
export function writeFormat(output: OutputFormat, nest: (named: WireObject) => WireObject): JsonValue {
  switch (output.type) {
    case "text":
      return { type: "text" }
    case "json":
      return { type: "json_object" }
    case "json_schema": {
      const { type, name, schema, strict } = output
      return { type, ...nest(withoutUndefined({ name, schema, strict })) }
    }
    case "opaque":
      return output.value
  }
}
