import { Type } from "typebox"
import { expect, test } from "vitest"
import { partsOf } from "../../../ts/kernel/schema/parts.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { section } from "../../../ts/kernel/schema/shapes.ts"
import { validate, validateInSteps } from "../../../ts/kernel/schema/validate.ts"

const schema = section({ inner: section({ items: Type.Array(section({ size: Type.Integer() })) }) })
const documentOf = (sizes: readonly unknown[]): object => ({ inner: { items: sizes.map((size) => ({ size })) } })

test("a long list is checked in parts, each of which has a step", () => {
  const steps = [...validateInSteps(schema, documentOf(Array.from({ length: 100 }, () => 1)))].length
  expect(steps).toBe(6)
})

test("problems of a long list have the paths of the whole document", () => {
  const sizes: unknown[] = Array.from({ length: 100 }, () => 1)
  sizes[3] = "three"
  sizes[73] = 0.5
  const problems = validate(schema, documentOf(sizes), ["routing"])
  expect(problems.map(({ path, message }) => `${formatPath(path)} ${message}`)).toEqual([
    "routing.inner.items[3].size must be a whole number, got a string",
    "routing.inner.items[73].size must be a whole number, got 0.5",
  ])
})

test("a list whose length counts, and one of another type, are checked whole", () => {
  const limited = section({ items: Type.Array(Type.Integer(), { maxItems: 50 }) })
  const items = Array.from({ length: 100 }, () => 1)
  expect(partsOf(limited, { items }, [])).toHaveLength(1)
  expect(partsOf(section({ items: Type.String() }), { items }, [])).toHaveLength(1)
})
