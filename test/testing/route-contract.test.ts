import { defineRoute, operation, type RouteModule, Type } from "rtr"
import { routeContract } from "rtr/testing"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const read = operation({
  id: "thing.read",
  method: "GET",
  path: "/v1/things/{id}",
  about: "Gives one thing",
  permission: "config.read",
  sensitivity: "config",
  capability: "inventory",
  plane: "management",
  audiences: ["operator"],
  stability: "stable",
  params: Type.Object({ id: Type.String() }),
  replies: {
    200: { about: "The thing", schema: Type.Object({ id: Type.String() }) },
    204: { about: "An empty thing" },
  },
  errors: "management",
  errorStatuses: [404],
  setup:
    () =>
    ({ params }) => ({ body: params }),
})
const good: RouteModule = defineRoute({ about: "Things", listeners: ["management"], operations: [read] })

const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(routeContract({ ...good, ...changes } as RouteModule))
const ofOperation = (changes: object): Promise<readonly string[]> => failures({ operations: [{ ...read, ...changes }] })

test("a route that keeps the contract passes", async () => expect(await failures({})).toEqual([]))

test("each way of breaking it is caught", async () => {
  const says = "says what it does in one line"
  const has = "has operations and listeners"
  const names = "names each operation by dotted words"
  const serves = "serves each method of a path once"
  const declares = "declares the parameters of its paths"
  const replies = "describes its bodies and replies"
  const errors = "describes its errors"
  const access = "says who may use each operation"
  const handles = "sets up a handler for each operation"
  const reply = (given: object): object => ({ replies: given })
  const cases: readonly (readonly [what: string, failed: Promise<readonly string[]>, expected: readonly string[]])[] = [
    ["another kind", failures({ kind: "plugin" }), [says]],
    ["no about", failures({ about: " " }), [says]],
    ["about in two lines", failures({ about: "a\nb" }), [says]],
    ["an operation without about", ofOperation({ about: "" }), [says]],
    ["no operation", failures({ operations: [] }), [has]],
    ["no listener", failures({ listeners: [] }), [has]],
    ["an id without a dot", ofOperation({ id: "thing" }), [names]],
    ["an id in capitals", ofOperation({ id: "Thing.read" }), [names]],
    ["an id twice", failures({ operations: [read, { ...read, method: "PUT" }] }), [names]],
    ["a method of a path twice", failures({ operations: [read, { ...read, id: "thing.again" }] }), [serves]],
    ["a path not from the root", ofOperation({ path: "v1/{id}" }), [serves]],
    ["a path with a query", ofOperation({ path: "/v1/{id}?x=1" }), [serves]],
    ["a parameter in h3's form", ofOperation({ path: "/v1/:id", params: undefined }), [serves]],
    ["a parameter that is not declared", ofOperation({ params: undefined }), [declares]],
    ["a declared parameter that the path lacks", ofOperation({ path: "/v1/things" }), [declares]],
    ["a body with GET", ofOperation({ body: Type.Object({}) }), [replies]],
    [
      "a body and a dialect",
      ofOperation({ method: "POST", body: Type.Object({}), dialect: "x", errors: "inference" }),
      [replies],
    ],
    ["no reply", ofOperation(reply({})), [replies]],
    ["errors alone as replies", ofOperation(reply({ 404: { about: "x", schema: Type.Object({}) } })), [replies]],
    [
      "a reply that is no status",
      ofOperation(reply({ 200: { about: "x", type: "text/plain" }, ok: { about: "x", type: "text/plain" } })),
      [replies],
    ],
    ["a reply that does not say when", ofOperation(reply({ 200: { about: "", type: "text/plain" } })), [replies]],
    ["a reply without a schema", ofOperation(reply({ 200: { about: "x" } })), [replies]],
    ["errors of an unknown form", ofOperation({ errors: "plain" }), [errors]],
    ["management errors of a dialect", ofOperation({ method: "POST", dialect: "x" }), [errors]],
    ["an error status that is none", ofOperation({ errorStatuses: [200] }), [errors]],
    ["no permission", ofOperation({ permission: "" }), [access]],
    ["no audience", ofOperation({ audiences: [] }), [access]],
    ["open on a listener that does not serve it", ofOperation({ open: ["inference"] }), [access]],
    ["a handler that is no function", ofOperation({ setup: () => 5 }), [handles]],
    [
      "a setup that throws",
      ofOperation({
        setup: () => {
          throw new Error("broken")
        },
      }),
      [handles],
    ],
  ]
  const results = await Promise.all(cases.map(async ([what, failed]) => [what, await failed]))
  expect(results).toEqual(cases.map(([what, , expected]) => [what, expected]))
})
