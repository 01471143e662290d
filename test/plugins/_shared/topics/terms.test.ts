import { expect, test } from "vitest"
import { namesOf, shareIn, termsOf } from "../../../../ts/plugins/_shared/topics/terms.ts"

test.each<[text: string, terms: readonly string[]]>([
  ["Refactor the routing_module now", ["refactor", "routing_module", "now"]],
  ["'parser' and parser", ["parser"]],
  ["x + y = 3", ["+", "="]],
  ["auth.ts validateToken", ["auth", "ts", "validatetoken"]],
  ["数据库", ["数", "数据", "据", "据库", "库"].toSorted()],
  ["数 据", ["数", "据"].toSorted()],
  ["", []],
])("the terms of %j", (text, terms) => expect([...termsOf([text])].toSorted()).toEqual(terms.toSorted()))

test.each<[text: string, names: readonly string[]]>([
  ['See `Foo Bar` and "the plan"', ["foo bar", "the plan"]],
  ["in src/app/main.ts.", ["main.ts", "src/app/main.ts"]],
  ["auth.ts and v1.2", ["auth.ts"]],
  ["max_retries, maxRetries, HTTPServer", ["max_retries", "maxretries"]],
  ["port 8081 of 42", ["8081"]],
  ["___ and plain words", []],
])("the names in %j", (text, names) => expect([...namesOf([text]).names].toSorted()).toEqual(names.toSorted()))

test("more names than are kept are told", () => {
  const many = Array.from({ length: 2000 }, (_, index) => `name_${index}`).join(" ")
  expect(namesOf([many])).toMatchObject({ isCut: true, names: { size: 1024 } })
})

test("a share is that of the first", () => {
  expect(shareIn(new Set(["a", "b", "c", "d"]), new Set(["b", "x"]))).toBe(0.25)
  expect(shareIn(new Set(), new Set(["b"]))).toBe(0)
})
