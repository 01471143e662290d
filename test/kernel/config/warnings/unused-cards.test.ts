import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { loaded } from "../../../fakes/loaded-guards.ts"

const warningsOf = (changes: Readonly<Record<string, unknown>>): readonly string[] =>
  documentWarnings(loaded(changes)).map(({ path, message }) => `${formatPath(path)}: ${message}`)

test("a card of no model is told of, with the model that is meant", () => {
  const cards = [{ name: "smal" }, { name: "large", loras: [{ name: "law" }] }, { name: "law" }, { name: "nothing" }]
  expect(warningsOf({ "routing.modelCards": cards })).toEqual([
    'routing.modelCards[0].name: has no effect: "smal" is not in providers.models (did you mean "small"?)',
    'routing.modelCards[2].name: has no effect: "law" is not in providers.models',
    'routing.modelCards[3].name: has no effect: "nothing" is not in providers.models',
  ])
})

test("cards stand for models where there are no others", () => {
  const changes = { providers: undefined, "routing.modelCards": [{ name: "large" }, { name: "other" }] }
  expect(warningsOf(changes)).toEqual([])
})
