import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { loaded } from "../../../fakes/loaded-guards.ts"

const warningsOf = (changes: Readonly<Record<string, unknown>>): readonly string[] =>
  documentWarnings(loaded(changes)).map(({ path, message }) => `${formatPath(path)}: ${message}`)

const told = (name: string): string =>
  `is the key itself, because references to variables have another form here; write "\${${name}}"`

test("references of other routers are told of where they would become a key", () => {
  const at = "providers.models[1].backend_refs[0]"
  for (const reference of [
    "{{BACKEND_KEY}}",
    "{{ env.BACKEND_KEY }}",
    "${{ secrets.BACKEND_KEY }}",
    "os.environ/BACKEND_KEY",
    "env.BACKEND_KEY",
    "env:BACKEND_KEY",
  ])
    expect([reference, warningsOf({ "providers.models.1.backend_refs.0.api_key": reference })]).toEqual([
      reference,
      [`${at}.api_key: ${told("BACKEND_KEY")}`],
    ])
  expect(
    warningsOf({ "providers.models.1.backend_refs.0.extra_headers": { Authorization: "Bearer {{TOKEN}}" } }),
  ).toEqual([`${at}.extra_headers.Authorization: ${told("TOKEN")}`])
  expect(warningsOf({ "listeners.0.api_keys": ["fine", { name: "team", key: "env.CLIENT_KEY" }] })).toEqual([
    `listeners[0].api_keys[1].key: ${told("CLIENT_KEY")}`,
  ])
  // What is no usual name of a variable may be a key.
  expect(warningsOf({ "listeners.0.api_keys": ["{{sk-abc}}", "env.sk_abc"] })).toEqual([
    `listeners[0].api_keys[0]: ${told("NAME")}`,
    `listeners[0].api_keys[1]: ${told("NAME")}`,
  ])
})

test("keys are not", () => {
  for (const key of ["sk-env.KEY", "environment", "a{{b}}", "env-1", "k"])
    expect(warningsOf({ "listeners.0.api_keys": [key] })).toEqual([])
})
