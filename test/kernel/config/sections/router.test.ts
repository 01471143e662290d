import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith, resolve } from "../../../fakes/document.ts"

const warningsOf = (changes: Readonly<Record<string, unknown>>): readonly string[] =>
  resolve(documentWith(changes)).warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)

test("a model that has a name of automatic routing cannot be named by clients, and a warning says so", () => {
  const told = (name: string): string =>
    `providers.models[0].name: "${name}" is a name of automatic routing, too, so that no client can name this model; choose another name, or other names in global.router.auto_model_name and auto_model_names`
  const named = (name: string): Readonly<Record<string, unknown>> => ({
    "providers.models.0.name": name,
    "providers.defaults.model": name,
  })
  expect(warningsOf(named("MoM"))).toEqual([told("MoM")])
  expect(warningsOf(named("auto"))).toEqual([told("auto")])
  expect(warningsOf({ ...named("MoM"), "global.router.auto_model_name": "router" })).toEqual([])
  expect(warningsOf({ ...named("router"), "global.router.auto_model_name": "router" })).toEqual([told("router")])
})
