import { type TObject, Type } from "typebox"
import { expect, test } from "vitest"
import { createRegistry } from "../../../ts/kernel/modules/registry.ts"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"
import { wrongSchema } from "../../../ts/kernel/modules/wrong-schema.ts"
import type { AnyModule, ModuleKind } from "../../../ts/kernel/types/module.ts"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"

const wrongIn = (fields: object): string | undefined => wrongSchema({ kind: "signal", ...fields } as AnyModule)
const ofRule = (properties: Parameters<typeof Type.Object>[0]): string | undefined =>
  wrongIn({ rule: Type.Object(properties) })
const strng = Type.Unsafe({ type: "strng" })
const types = "there are array, boolean, integer, null, number, object, string"

test("built-in modules have none", async () => {
  const registry = await createRegistry(builtinModules)
  const wrong = (Object.keys(moduleKinds) as ModuleKind[]).flatMap((kind) =>
    registry.all(kind).map(({ module }) => wrongSchema(module)),
  )
  expect(wrong.filter((each) => each !== undefined)).toEqual([])
})

test("a section that is no object schema", () => {
  const must = "must be an object schema, such as Type.Object({ … }), got"
  expect([
    wrongIn({ rule: Type.String() }),
    wrongIn({ rule: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]) }),
    wrongIn({ kind: "plugin", options: Type.Array(Type.String()) }),
    wrongIn({ kind: "selector", options: undefined, settings: { path: ["x"], schema: Type.Array(Type.String()) } }),
  ]).toEqual([`rule ${must} string`, undefined, `options ${must} array`, undefined])
})

test("a pattern that cannot be used, at any depth", () => {
  const bad = Type.String({ pattern: "(" })
  const reason = "has a pattern that cannot be used: Invalid regular expression: /(/u"
  expect([
    ofRule({ prefix: bad }),
    ofRule({ list: Type.Array(Type.Object({ each: bad })) }),
    ofRule({ either: Type.Union([Type.Number(), bad]) }),
    ofRule({ map: Type.Unsafe({ type: "object", patternProperties: { "(": {} } }) }),
    // Without the flag `u` this pattern would be one.
    ofRule({ dash: Type.String({ pattern: "\\-" }) }),
  ]).toEqual([
    expect.stringContaining(`rule.prefix ${reason}`),
    expect.stringContaining(`rule.list.items.each ${reason}`),
    expect.stringContaining(`rule.either.anyOf.1 ${reason}`),
    expect.stringContaining(`rule.map ${reason}`),
    expect.stringContaining("rule.dash has a pattern that cannot be used: Invalid regular expression: /\\-/u"),
  ])
})

test("an unknown type", () => {
  expect(ofRule({ prefix: strng })).toBe(`rule.prefix has the unknown type "strng"; ${types}`)
  expect(ofRule({ prefix: Type.Unsafe({ type: ["string", "nul"] }) })).toBe(
    `rule.prefix has the unknown type "nul"; ${types}`,
  )
})

test("properties and values that are named like keywords are none", () => {
  const example = Type.Unsafe({ enum: [{ type: "strng", pattern: "(" }], default: { pattern: "(" } })
  expect(ofRule({ type: Type.String(), pattern: Type.Boolean(), properties: Type.String(), example })).toBeUndefined()
})

test("schemas of an operation", () => {
  const operation = (fields: object) => wrongIn({ kind: "route", operations: [{ id: "x.read", ...fields }] })
  const body: TObject = Type.Object({ a: strng })
  expect([operation({ body }), operation({ replies: { 200: { about: "x", schema: body } } }), operation({})]).toEqual([
    `operation "x.read".a has the unknown type "strng"; ${types}`,
    `operation "x.read".a has the unknown type "strng"; ${types}`,
    undefined,
  ])
})
