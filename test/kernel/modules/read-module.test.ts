import { Type } from "typebox"
import { describe, expect, test } from "vitest"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"
import { readModule } from "../../../ts/kernel/modules/read-module.ts"
import { wrongField } from "../../../ts/kernel/modules/wrong-field.ts"

const setup = (): void => {}
const signal = { kind: "signal", about: "reads", rule: Type.Object({}), setup }
const route = { kind: "route", about: "answers", listeners: [], operations: [] }
const plugin = { kind: "plugin", about: "wraps", options: Type.Object({}), hooks: [], setup }
const read = (module: unknown, id = "shouting") => readModule({ id, module, source: "./shouting.ts" }, wrongField)

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

  test("fields of the wrong type, with the type that is right", () => {
    const section = "settings must be an object with path, a list of keys, and schema"
    const dialect = {
      kind: "dialect",
      about: "translates",
      ...Object.fromEntries(moduleKinds.dialect.functions.map((name) => [name, setup])),
    }
    const wrong: readonly (readonly [module: object, reason: string])[] = [
      [{ ...plugin, after: ["x"] }, "after must be a function"],
      [{ ...plugin, judges: {} }, "judges must be a function"],
      [{ ...plugin, hooks: {} }, "hooks must be a list of words"],
      [{ ...plugin, stream: "buffered" }, 'stream must be the word "buffer"'],
      [{ ...plugin, order: "1" }, "order must be a number"],
      [{ ...plugin, debugHeader: { name: "x" } }, "debugHeader must be a text"],
      [{ ...signal, needs: "log" }, "needs must be a list of words"],
      [{ ...signal, runtimes: "node" }, "runtimes must be a list of words"],
      [{ ...signal, factNames: ["x"] }, "factNames must be a function"],
      [{ ...signal, asks: ["inference.embed"] }, "asks must be a function"],
      [{ ...signal, after: "domain" }, "after must be a list or a function"],
      [{ ...signal, after: [1] }, "after must be a list or a function"],
      [{ ...signal, implyRules: [] }, "implyRules must be a function"],
      [{ ...signal, guard: "yes" }, "guard must be true or false"],
      [{ ...signal, settings: { path: ["x"] } }, section],
      [{ ...signal, settings: { path: "x", schema: {} } }, section],
      [
        { ...signal, routing: { path: ["x"], schema: {} } },
        "routing must be an object with path, a list of keys, schema, and the function rules",
      ],
      [{ kind: "selector", about: "picks", setup, settings: null }, section],
      [{ kind: "looper", about: "asks", setup, modelNames: ["x"] }, "modelNames must be an object"],
      [{ kind: "provider", about: "calls", setup, dialect: 5 }, "dialect must be a text"],
      [{ kind: "store", about: "keeps", setup, options: {}, shapes: {} }, "shapes must be a list of words"],
      [{ ...dialect, wireTerms: ["x"] }, "wireTerms must be a Set"],
      [{ ...route, operations: {} }, "operations must be a list"],
    ]
    for (const [module, reason] of wrong)
      expect(() => read(module), reason).toThrow(
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
