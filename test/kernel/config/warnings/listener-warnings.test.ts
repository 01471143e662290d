import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { loaded } from "../../../fakes/loaded-guards.ts"

const warningsOf = (listener: object): readonly string[] =>
  documentWarnings(loaded({ "listeners.0": { name: "main", port: 1, ...listener } })).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  )

test("a listener that other machines reach is told of where it asks for no key", () => {
  for (const address of ["0.0.0.0", "::", "10.0.0.7", "router.example"]) {
    expect(warningsOf({ address })).toEqual([
      `listeners[0].address: lets everybody who reaches ${address} call the models; write api_keys, or address: 127.0.0.1`,
    ])
    expect(warningsOf({ address, api_keys: ["k"] })).toEqual([])
  }
  for (const address of ["127.0.0.1", "127.0.0.9", "localhost", "::1"]) expect(warningsOf({ address })).toEqual([])
})

test("a listener that serves no model is told of", () => {
  const address = "127.0.0.1"
  expect(warningsOf({ address, models: [] })).toEqual([
    "listeners[0].models: is an empty list, which refuses every request; leave the key out to let clients ask for every model",
  ])
  expect(warningsOf({ address, models: ["MoM"] })).toEqual([])
})
