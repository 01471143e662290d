import { Type, type TSchema } from "typebox"
import { describe, expect, test } from "vitest"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import {
  duration,
  formOf,
  hiddenFormOf,
  literals,
  name,
  section,
  taggedUnion,
} from "../../../ts/kernel/schema/shapes.ts"
import { validate } from "../../../ts/kernel/schema/validate.ts"

const problemsOf = (schema: TSchema, value: unknown): readonly string[] =>
  validate(schema, value).map(({ path, message }) => `${formatPath(path)}: ${message}`)

describe("each keyword in words", () => {
  const schema = section({
    text: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    share: Type.Optional(Type.Number({ minimum: 0 })),
    flag: Type.Optional(Type.Boolean()),
    list: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
    map: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Integer(), { additionalProperties: false }),
    ),
    inner: Type.Optional(section({ needed: Type.String() })),
    word: Type.Optional(literals(["red", "green"])),
    code: Type.Optional(literals(["en", "de"], { form: 'a code such as "en"' })),
    secret: Type.Optional(Type.String({ pattern: "^h", [hiddenFormOf]: "an h" })),
    fixed: Type.Optional(Type.Literal("only")),
    name: Type.Optional(name),
    short: Type.Optional(Type.String({ maxLength: 3 })),
    host: Type.Optional(Type.String({ pattern: "^h", description: "Name of a host" })),
    wait: Type.Optional(duration),
    place: Type.Optional(Type.String({ pattern: "^h", description: "What it is for", [formOf]: "an h" })),
    junction: Type.Optional(Type.String({ pattern: "^(AND|OR)$", description: "AND or OR", examples: ["AND", "OR"] })),
    size: Type.Optional(Type.Unsafe<string | number>({ type: ["string", "number"] })),
  })

  test.each([
    ["type of a text", { text: 5 }, "text: must be a string, got a number"],
    ["type: nothing", { text: null }, "text: must be a string, got nothing"],
    ["type: a list", { text: [] }, "text: must be a string, got a list"],
    ["type: a map", { text: {} }, "text: must be a string, got a map"],
    ["type of a whole number", { count: "5" }, "count: must be a whole number, got a string"],
    ["a fraction", { count: 1.5 }, "count: must be a whole number, got 1.5"],
    ["type of a number", { share: "1" }, "share: must be a number, got a string"],
    ["a number that is none", { share: Number.NaN }, "share: must be a number, got NaN"],
    ["a number without end", { share: Infinity }, "share: must be a number, got Infinity"],
    ["type of a flag", { flag: "yes" }, "flag: must be a boolean, got a string"],
    ["type of a list", { list: {} }, "list: must be a list, got a map"],
    ["type of an item", { list: ["a", 5] }, "list[1]: must be a string, got a number"],
    ["type of a map", { inner: [] }, "inner: must be a map, got a list"],
    ["several types", { size: true }, "size: must be a string or a number, got a boolean"],
    ["minimum", { count: 0 }, "count: must be >= 1, got 0"],
    ["maximum", { count: 10 }, "count: must be <= 9, got 10"],
    ["minItems", { list: [] }, "list: must not have fewer than 1 items"],
    ["maxItems", { list: ["a", "b", "c"] }, "list: must not have more than 2 items"],
    ["maxLength", { short: "long" }, "short: must not have more than 3 characters"],
    ["minLength", { name: "" }, "name: must not be empty"],
    ["pattern", { name: "  " }, "name: does not have the right form (pattern \\S)"],
    ["pattern of a few words", { junction: "XOR" }, 'junction: must be AND or OR, got "XOR" (did you mean "OR"?)'],
    ["pattern with words", { host: "x" }, "host: (Name of a host) does not have the right form (pattern ^h)"],
    ["pattern of a duration", { wait: "5 parsecs" }, 'wait: must be a duration such as 300s or 1m30s, got "5 parsecs"'],
    ["pattern with words for its form", { place: 'a"b' }, 'place: must be an h, got "a\\"b"'],
    ["required", { inner: {} }, "inner.needed: is missing"],
    ["unknown key", { txt: 1 }, 'txt: is not a known key (did you mean "text"?)'],
    ["unknown key without a near one", { zzzzzzzz: 1 }, "zzzzzzzz: is not a known key"],
    ["enum", { word: "blue" }, 'word: must be "red" or "green", got "blue"'],
    ["enum with a near word", { word: "gren" }, 'word: must be "red" or "green", got "gren" (did you mean "green"?)'],
    ["enum with words for its form", { code: "english" }, 'code: must be a code such as "en", got "english"'],
    ["enum with words and another type", { code: 5 }, 'code: must be a code such as "en", got a number'],
    ["pattern of what may be secret", { secret: "x" }, "secret: must be an h"],
    ["enum of another type", { word: 5 }, 'word: must be "red" or "green", got a number'],
    ["const", { fixed: "other" }, 'fixed: must be "only", got "other"'],
    ["an unknown key in a map", { map: { A: 1 } }, "map.A: is not a known key"],
    ["a wrong value in a map", { map: { a: "x" } }, "map.a: must be a whole number, got a string"],
  ])("%s", (_, value, problem) => expect(problemsOf(schema, value)).toEqual([problem]))

  test("a value that fits has no problems", () => {
    expect(
      problemsOf(schema, { text: "", count: 1, list: ["a"], map: { a: 1 }, inner: { needed: "" }, word: "red" }),
    ).toEqual([])
  })

  test("all problems at once", () => {
    expect(problemsOf(schema, { text: 5, count: 0, inner: {}, txt: 1 })).toHaveLength(4)
  })

  test("paths start where they are told to", () => {
    expect(validate(schema, { text: 5 }, ["a", 0]).map(({ path }) => path)).toEqual([["a", 0, "text"]])
  })

  test("keys with slashes and tildes keep their spelling", () => {
    const inner = Type.Record(Type.String(), section({ a: Type.Optional(Type.Integer()) }))
    expect(validate(inner, { "x/y~z": { a: "1" } }).map(({ path }) => path)).toEqual([["x/y~z", "a"]])
  })

  test("a key that looks like a position stays a key", () => {
    const inner = Type.Record(Type.String(), Type.Integer())
    expect(validate(inner, { 0: "x" }).map(({ path }) => path)).toEqual([["0"]])
  })
})

describe("variants", () => {
  const variant = (type: string, properties: Readonly<Record<string, TSchema>>) =>
    section({ type: Type.Literal(type), ...properties })
  const schema = section({
    items: Type.Array(
      taggedUnion("type", [
        variant("circle", { radius: Type.Number() }),
        variant("box", { inner: Type.Optional(taggedUnion("type", [variant("dot", { at: Type.Number() })])) }),
      ]),
    ),
  })

  test.each([
    ["the matching variant", { type: "circle" }, "items[0].radius: is missing"],
    [
      "the matching variant's keys",
      { type: "circle", radius: 1, radus: 1 },
      'items[0].radus: is not a known key (did you mean "radius"?)',
    ],
    ["a missing tag", { radius: 1 }, 'items[0].type: is missing; it must be "circle" or "box"'],
    [
      "an unknown tag",
      { type: "cirle" },
      'items[0].type: must be "circle" or "box", got "cirle" (did you mean "circle"?)',
    ],
    ["a tag of another type", { type: 5 }, 'items[0].type: must be "circle" or "box", got a number'],
    ["a value that is no map", 5, 'items[0]: must be a map with "type", got a number'],
    ["a list", [], 'items[0]: must be a map with "type", got a list'],
    ["a variant in a variant", { type: "box", inner: { type: "dot" } }, "items[0].inner.at: is missing"],
    ["a tag in a variant", { type: "box", inner: { type: "dash" } }, 'items[0].inner.type: must be "dot", got "dash"'],
  ])("problems are about %s", (_, item, problem) => expect(problemsOf(schema, { items: [item] })).toEqual([problem]))

  test("choices without a tag are named by their values or types", () => {
    const number = Type.Union([Type.Literal("auto"), Type.Integer()])
    expect(problemsOf(number, true)).toEqual(['(document): must be "auto" or a whole number, got a boolean'])
    const list = Type.Union([Type.Literal("any"), Type.Array(literals(["de", "en"]))])
    expect(problemsOf(list, "english")).toEqual(['(document): must be "any" or a list, got "english"'])
    expect(problemsOf(list, ["en", "xx"])).toEqual(['[1]: must be "de" or "en", got "xx"'])
  })
})

test("a schema that refers to itself is followed", () => {
  const tree = Type.Cyclic(
    { Node: section({ label: Type.String(), children: Type.Optional(Type.Array(Type.Ref("Node"))) }) },
    "Node",
  )
  expect(problemsOf(tree, { label: "a", children: [{ label: "b", children: [{ label: 5, lable: 1 }] }] })).toEqual([
    'children[0].children[0].lable: is not a known key (did you mean "label"?)',
    "children[0].children[0].label: must be a string, got a number",
  ])
})

test("a value with more problems than are kept is refused", () => {
  const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 1]))
  const closed = Type.Object({}, { additionalProperties: false })
  expect(validate(closed, value, ["here"])).toEqual([
    { path: ["here"], code: "invalid", message: "has too many problems" },
  ])
})
