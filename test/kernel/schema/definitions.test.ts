import { Type } from "typebox"
import { expect, test } from "vitest"
import { rulesSchema } from "../../../ts/kernel/config/sections/rules.ts"
import { definitionsIn } from "../../../ts/kernel/schema/definitions.ts"
import { section } from "../../../ts/kernel/schema/shapes.ts"
import { validate } from "../../../ts/kernel/schema/validate.ts"

test("a schema has the definitions of all its parts by their names", () => {
  const schema = section({
    rules: Type.Array(rulesSchema(["keyword"])),
    composer: rulesSchema(["keyword"], "Composer"),
  })
  expect(Object.keys(definitionsIn(schema))).toEqual(["RuleNode", "Composer"])
})

test("references do not read the rest of the schema again for each value", () => {
  let reads = 0
  const other = Type.String()
  Object.defineProperty(other, "counted", { enumerable: true, get: () => (reads += 1) })
  const schema = section({ other: Type.Optional(other), rules: Type.Array(rulesSchema(["keyword"])) })
  const readsFor = (length: number): number => {
    reads = 0
    const rules = Array.from({ length }, () => ({ operator: "AND", conditions: [{ type: "keyword", name: "one" }] }))
    expect(validate(schema, { rules })).toEqual([])
    return reads
  }
  readsFor(1)
  expect(readsFor(50)).toBe(readsFor(1))
})
