import { Type } from "typebox"
import { describe, expect, test } from "vitest"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"
import { readModule } from "../../../ts/kernel/modules/read-module.ts"

const setup = (): void => {}
const signal = { kind: "signal", about: "reads", rule: Type.Object({}), setup }
const route = { kind: "route", about: "answers", listeners: [], operations: [] }
const plugin = { kind: "plugin", about: "wraps", options: Type.Object({}), hooks: [], setup }
const read = (module: unknown, id = "shouting") => readModule({ id, module, source: "./shouting.ts" })

test("returns the module with its id and where it came from", () => {
  expect(read(signal)).toEqual({ id: "shouting", module: signal, source: "./shouting.ts" })
})

test("an id is spelled as documents spell it", () => {
  const ids = [
    signal,
    { kind: "selector", about: "picks", setup },
    plugin,
    { kind: "provider", about: "calls", setup },
    route,
  ].map((module) => [module.kind, read(module, "all-caps").id])
  expect(ids).toEqual([
    ["signal", "all_caps"],
    ["selector", "all_caps"],
    ["plugin", "all_caps"],
    ["provider", "all-caps"],
    ["route", "all-caps"],
  ])
})

describe("refuses", () => {
  const makers = `its default export must be made by one of ${Object.values(moduleKinds)
    .map(({ define }) => define)
    .join(", ")}`
  const kinds = `kind must be one of ${Object.keys(moduleKinds).join(", ")}`
  const modules: readonly (readonly [name: string, module: unknown, reason: string])[] = [
    ["nothing", undefined, makers],
    ["null", null, makers],
    ["a function", setup, makers],
    ["a module without a kind", { about: "x", setup }, makers],
    ["an unknown kind", { kind: "gadget", about: "x", setup }, `${kinds}, got "gadget"`],
    ["a kind that is no text", { kind: 5, about: "x", setup }, `${kinds}, got 5`],
    ["a kind that every object has", { kind: "toString", about: "x", setup }, `${kinds}, got "toString"`],
    [
      "a module that does not say what it does",
      { ...signal, about: " " },
      "about must be one line that says what it does",
    ],
    ["an about that is no text", { ...signal, about: 1 }, "about must be one line that says what it does"],
    ["a module without setup", { ...signal, setup: undefined }, "setup must be a function"],
    ["a signal without a rule", { ...signal, rule: undefined }, "rule is missing"],
    ["a plugin without options", { ...plugin, options: undefined }, "options is missing"],
    ["a plugin without hooks", { ...plugin, hooks: undefined }, "hooks is missing"],
    ["a route without listeners", { ...route, listeners: null }, "listeners is missing"],
    ["a route without operations", { ...route, operations: undefined }, "operations is missing"],
    ["a store without shapes", { kind: "store", about: "x", options: {}, setup }, "shapes is missing"],
  ]
  test("what is no module, with what is missing", () => {
    for (const [name, module, reason] of modules)
      expect(() => read(module), name).toThrow(
        expect.objectContaining({
          code: "invalid_module",
          message: `Cannot register module "shouting" from ./shouting.ts: ${reason}`,
        }),
      )
  })

  test("a need that there is no capability for, of the module or of an operation", () => {
    const reason = /: it needs "store\.kw", and there are only inference\.classify, .*store\.kv/
    expect(() => read({ ...signal, needs: ["log", "store.kw"] })).toThrow(reason)
    expect(() => read({ ...route, operations: [{ needs: ["store.kw"] }] })).toThrow(reason)
  })

  test("an id that is none", () => {
    for (const id of ["", "Shouting", "9lives", "a b", "a--b", "-a", "a-", "../a", "a.b"])
      expect(() => read(signal, id), id).toThrow("its id must be lower-case words joined by hyphens or underscores")
  })
})
