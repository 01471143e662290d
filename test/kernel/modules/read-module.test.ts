import { describe, expect, test } from "vitest"
import { readModule } from "../../../ts/kernel/modules/read-module.ts"

const setup = (): void => {}
const signal = { kind: "signal", about: "reads", rule: {}, setup }
const route = { kind: "route", about: "answers", listeners: [], needs: [], operations: [], setup }
const read = (module: unknown, id = "shouting") => readModule({ id, module, source: "./shouting.ts" })

test("returns the module with its id and where it came from", () => {
  expect(read(signal)).toEqual({ id: "shouting", module: signal, source: "./shouting.ts" })
})

test.each([
  ["signal", signal, "all_caps"],
  ["selector", { kind: "selector", about: "picks", setup }, "all_caps"],
  ["plugin", { kind: "plugin", about: "wraps", options: {}, setup }, "all_caps"],
  ["provider", { kind: "provider", about: "calls", setup }, "all-caps"],
  ["route", route, "all-caps"],
  ["store", { kind: "store", about: "keeps", shapes: ["kv"], options: {}, setup }, "all_caps"],
])("the id of a %s is spelled as documents spell it", (_, module, id) => {
  expect(read(module, "all-caps").id).toBe(id)
})

describe("refuses", () => {
  const makers =
    "its default export must be made by defineSignal, defineSelector, definePlugin, defineProvider, defineRoute or defineStore"
  const kinds = "kind must be one of signal, selector, plugin, provider, route, store"
  test.each<[string, unknown, string]>([
    ["nothing", undefined, makers],
    ["null", null, makers],
    ["a function", setup, makers],
    ["a module without a kind", { about: "x", setup }, kinds],
    ["an unknown kind", { kind: "gadget", about: "x", setup }, kinds],
    ["a kind that every object has", { kind: "toString", about: "x", setup }, kinds],
    [
      "a module that does not say what it does",
      { ...signal, about: " " },
      "about must be one line that says what it does",
    ],
    ["an about that is no text", { ...signal, about: 1 }, "about must be one line that says what it does"],
    ["a module without setup", { ...signal, setup: undefined }, "setup must be a function"],
    ["a signal without a rule", { ...signal, rule: undefined }, "rule is missing"],
    ["a plugin without options", { kind: "plugin", about: "x", setup }, "options is missing"],
    ["a route without listeners", { ...route, listeners: null }, "listeners is missing"],
    ["a route without needs", { ...route, needs: undefined }, "needs is missing"],
    ["a route without operations", { ...route, operations: undefined }, "operations is missing"],
    ["a store without shapes", { kind: "store", about: "x", options: {}, setup }, "shapes is missing"],
  ])("%s", (_, module, reason) => {
    expect(() => read(module)).toThrow(
      expect.objectContaining({
        code: "invalid_module",
        message: `Cannot register module "shouting" from ./shouting.ts: ${reason}`,
      }),
    )
  })

  test.each(["", "Shouting", "9lives", "a b", "a--b", "-a", "a-", "../a", "a.b"])("the id %j", (id) => {
    expect(() => read(signal, id)).toThrow("its id must be lower-case words joined by hyphens or underscores")
  })
})
