import { pluginCall, pluginContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/header-mutation.ts"

const options = {
  add: [{ name: "X-Team", value: "law" }],
  update: [{ name: "x-request-id", value: "own" }],
  delete: ["x-cache-status"],
}

describe("contract", () => {
  for (const { name, run } of pluginContract(plugin, { options })) test(name, run)
})

type Options = Parameters<typeof plugin.setup>[0]
const headersAfter = async (given: Options, headers: Readonly<Record<string, string>>): Promise<unknown> => {
  const call = { ...pluginCall(), headers }
  return (await plugin.setup(given, { decision: "test" })).open(call).before(call)
}

test.each<[string, Options, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  ["adds", { add: [{ name: "a", value: "1" }] }, { b: "2" }, { a: "1", b: "2" }],
  ["adds over what is there", { add: [{ name: "B", value: "1" }] }, { b: "2" }, { b: "1" }],
  ["updates", { update: [{ name: "B", value: "1" }] }, { b: "2" }, { b: "1" }],
  ["updates what is not there", { update: [{ name: "a", value: "1" }] }, {}, { a: "1" }],
  [
    "lets update go over add",
    { add: [{ name: "a", value: "1" }], update: [{ name: "A", value: "2" }] },
    {},
    { a: "2" },
  ],
  ["deletes in any case", { delete: ["B", "none"] }, { a: "1", b: "2" }, { a: "1" }],
  ["deletes what it added too", { add: [{ name: "a", value: "1" }], delete: ["a"] }, { b: "2" }, { b: "2" }],
  ["does nothing when told nothing", {}, { a: "1" }, { a: "1" }],
])("%s", async (_, given, headers, result) => expect(await headersAfter(given, headers)).toEqual({ headers: result }))

describe("headers of the router", () => {
  test.each([
    "Accept",
    "Connection",
    "content-length",
    "Content-Type",
    "HOST",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "X-Rtr-Hops",
  ])("%s cannot be changed", (name) => {
    const reported: unknown[] = []
    const entry = { name, value: "x" }
    plugin.check?.(
      { add: [{ name: "fine", value: "x" }, entry], update: [entry], delete: ["x-team", name] },
      (path, message) => reported.push([path, message]),
    )
    const message = `"${name}" cannot be changed: the router sets it itself`
    expect(reported).toEqual([
      [["add", 1, "name"], message],
      [["update", 0, "name"], message],
      [["delete", 1], message],
    ])
  })
})

test.each([
  [{ add: [{ name: "x-a!#$%&'*+.^_`|~", value: "" }] }, true],
  [{ add: [{ name: "a", value: "tab\there" }] }, true],
  [{ add: [{ name: "a b", value: "x" }] }, false],
  [{ add: [{ name: "", value: "x" }] }, false],
  [{ add: [{ name: "a:", value: "x" }] }, false],
  [{ add: [{ name: "a", value: "x\r\nevil: 1" }] }, false],
  [{ add: [{ name: "a", value: "x\n" }] }, false],
  [{ add: [{ name: "a", value: "é" }] }, false],
  [{ add: [{ name: "a" }] }, false],
  [{ add: [{ name: "a", value: "x", more: 1 }] }, false],
  [{ delete: ["a b"] }, false],
  [{ delete: "a" }, false],
])("options %j are valid: %s", (given, valid) => expect(Value.Check(plugin.options, given)).toBe(valid))
