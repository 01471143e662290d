import { Type } from "typebox"
import { expect, test } from "vitest"
import * as makers from "../../../ts/kernel/modules/define.ts"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"

test("each maker adds its kind and nothing else", () => {
  const definition = { about: "does something", options: Type.Object({}), setup: () => {} }
  for (const [kind, { define }] of Object.entries(moduleKinds)) {
    // oxlint-disable-next-line import/namespace -- the table names the function
    const make = makers[define as keyof typeof makers] as unknown as (given: object) => object
    expect(make(definition)).toEqual({ kind, ...definition })
  }
})

test("an operation is what was given", () => {
  const definition = { id: "x.get" } as never
  expect(makers.operation(definition)).toBe(definition)
})
