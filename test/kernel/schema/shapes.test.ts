import { Type } from "typebox"
import { Value } from "typebox/value"
import { expect, test } from "vitest"
import {
  duration,
  exactlyOneOf,
  literals,
  mapOf,
  name,
  port,
  section,
  taggedUnion,
} from "../../../ts/kernel/schema/shapes.ts"

test("a section refuses unknown keys and carries its description", () => {
  const schema = section({ a: Type.Integer() }, { description: "words" })
  expect(schema).toMatchObject({ type: "object", additionalProperties: false, description: "words" })
  expect([{ a: 1 }, { a: 1, b: 2 }, {}].map((value) => Value.Check(schema, value))).toEqual([true, false, false])
})

test("a choice of fields is JSON Schema that takes exactly one of them", () => {
  const schema = exactlyOneOf({ a: Type.Integer(), b: Type.String() }, { c: Type.Optional(Type.Boolean()) })
  const values = [{ a: 1 }, { b: "x", c: true }, {}, { a: 1, b: "x" }, { a: "x" }, { a: 1, d: 1 }]
  expect(values.map((value) => Value.Check(schema, value))).toEqual([true, true, false, false, false, false])
})

test("a map is what Type.Record makes", () => {
  const same = [
    [mapOf(Type.Integer(), { description: "d" }), Type.Record(Type.String(), Type.Integer(), { description: "d" })],
    [
      mapOf(Type.Integer(), { keys: "^[a-z]+$", additionalProperties: false }),
      Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Integer(), { additionalProperties: false }),
    ],
  ]
  for (const [map, record] of same) expect(JSON.parse(JSON.stringify(map))).toEqual(JSON.parse(JSON.stringify(record)))
  const values = [{}, { a: 1 }, { a: "1" }, []]
  expect(values.map((value) => Value.Check(mapOf(Type.Integer()), value))).toEqual([true, true, false, false])
})

test("a tagged union is JSON Schema with a discriminator", () => {
  const variant = section({ kind: Type.Literal("a") })
  expect(JSON.parse(JSON.stringify(taggedUnion("kind", [variant])))).toEqual({
    anyOf: [JSON.parse(JSON.stringify(variant))],
    discriminator: { propertyName: "kind" },
  })
})

test.each([
  [literals(["a", "b"]), "a", "c"],
  [name, "x", "\t"],
  [name, " x ", ""],
  [duration, "1m30s", "90"],
  [port, 65_535, 65_536],
  [port, 0, -1],
  [port, 80, 80.5],
])("%# accepts %j and refuses %j", (schema, good, bad) => {
  expect([Value.Check(schema, good), Value.Check(schema, bad)]).toEqual([true, false])
})
