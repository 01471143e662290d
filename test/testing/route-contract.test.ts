import { defineRoute, operation, Type } from "rtr"
import { routeContract } from "rtr/testing"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const reading = operation({
  id: "thing.read",
  method: "GET",
  path: "/v1/things/{id}",
  about: "Gives one thing",
  permission: "public",
  audiences: ["user"],
  stability: "stable",
  params: Type.Object({ id: Type.String() }),
  replies: { 200: { about: "The thing", schema: Type.Object({ id: Type.String() }) } },
  errors: "inference",
  setup: () => () => ({ status: 200, body: { id: "1" } }),
} as never) as object
const good = { about: "things", listeners: ["inference"], operations: [reading] }
const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(routeContract(defineRoute({ ...good, ...changes } as never)))
const failuresWith = (changes: object): Promise<readonly string[]> =>
  failures({ operations: [{ ...reading, ...changes }] })

const says = "says what it does in one line"
const has = "has operations and listeners"
const names = "names each operation by dotted words"
const once = "serves each method of a path once"
const declares = "declares the parameters of its paths"
const bodies = "describes its bodies and replies"
const errors = "describes its errors"
const who = "says who may use each operation"
const handles = "sets up a handler for each operation"
const broken = (): never => {
  throw new Error("broken")
}

test("a route that keeps the contract passes", async () => expect(await failures({})).toEqual([]))

test("each rule catches the route that breaks it, and no other rule does", async () => {
  const routes: readonly (readonly [string, object, readonly string[]])[] = [
    ["of another kind", { kind: "plugin" }, [says]],
    ["without about", { about: " " }, [says]],
    ["about in two lines", { about: "a\nb" }, [says]],
    ["without an operation", { operations: [] }, [has]],
    ["without a listener", { listeners: [] }, [has]],
    ["two operations of one id", { operations: [reading, { ...reading, path: "/v1/other/{id}" }] }, [names]],
    ["one path twice", { operations: [reading, { ...reading, id: "thing.again" }] }, [once]],
  ]
  for (const [name, changes, expected] of routes) expect([name, await failures(changes)]).toEqual([name, expected])
  const reply = { about: "The thing", schema: Type.Object({}) }
  const operations: readonly (readonly [string, object, readonly string[]])[] = [
    ["without about", { about: "" }, [says]],
    ["an id of one word", { id: "things" }, [names]],
    ["a path that does not begin at the root", { path: "v1/{id}" }, [once]],
    ["a query in its path", { path: "/v1/{id}?x=1" }, [once]],
    ["a parameter that is not declared", { params: undefined }, [declares]],
    ["a declared parameter that is not there", { path: "/v1/things" }, [declares]],
    ["a body with GET", { body: Type.Object({}) }, [bodies]],
    ["no good reply", { replies: { 404: reply } }, [bodies]],
    ["a reply that is not described", { replies: { 200: { ...reply, about: "" } } }, [bodies]],
    ["a reply without schema and type", { replies: { 200: { about: "x" } } }, [bodies]],
    ["unknown errors", { errors: "other" }, [errors]],
    ["a status that is no error", { errorStatuses: [200] }, [errors]],
    ["no permission", { permission: "" }, [who]],
    ["no audience", { audiences: [] }, [who]],
    ["open on a listener that does not serve it", { open: ["metrics"] }, [who]],
    ["a handler that is no function", { setup: () => 5 }, [handles]],
    ["a setup that throws", { setup: broken }, [handles]],
  ]
  for (const [name, changes, expected] of operations)
    expect([name, await failuresWith(changes)]).toEqual([name, expected])
})
