import { Type } from "typebox"
import { describe, expect, test } from "vitest"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"
import type { ModuleKind } from "../../../ts/kernel/types/module.ts"
import {
  createRegistry,
  type OutsideModule,
  signalConditionType,
  signalConfigKey,
} from "../../../ts/kernel/modules/registry.ts"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"

const signal = (changes: object = {}) => ({
  kind: "signal",
  about: "reads",
  rule: Type.Object({}),
  setup: () => {},
  ...changes,
})
const outside = (id: string, module: unknown): OutsideModule => ({ id, module, source: `./${id}.ts` })
const message = (text: string) => expect.objectContaining({ code: "invalid_module", message: text })

test("finds modules by kind and id, in the order of registration", async () => {
  const plugin = { kind: "plugin", about: "wraps", options: Type.Object({}), hooks: [], setup: () => {} }
  const registry = await createRegistry([], [outside("b", signal()), outside("a", signal()), outside("a", plugin)])
  expect(registry.all("signal").map(({ id }) => id)).toEqual(["b", "a"])
  expect(registry.find("plugin", "a")).toEqual({ id: "a", module: plugin, source: "./a.ts" })
  expect(registry.find("selector", "a")).toBeUndefined()
  expect(registry.find("signal", "toString")).toBeUndefined()
})

test("has every built-in module", async () => {
  const registry = await createRegistry(builtinModules)
  const ids = (Object.keys(moduleKinds) as ModuleKind[]).flatMap((kind) =>
    registry.all(kind).map(({ id, source }) => `${kind} ${id} ${source}`),
  )
  expect(ids.toSorted()).toEqual(builtinModules.map(({ kind, id }) => `${kind} ${id} builtin`).toSorted())
})

test("the generated list gives each module the kind it has", async () => {
  const wrong = await Promise.all(
    builtinModules.map(async ({ kind, id, load }) => {
      const { default: module } = (await load()) as { default: { kind: string } }
      return module.kind === kind ? [] : [`${id} is a ${module.kind}, not a ${kind}`]
    }),
  )
  expect(wrong.flat()).toEqual([])
})

describe("refuses", () => {
  test("a provider whose dialect nobody speaks", async () => {
    const provider = { kind: "provider", about: "calls", dialect: "nobody", setup: () => {} }
    await expect(createRegistry(builtinModules, [outside("x", provider)])).rejects.toThrow(
      message(
        'Cannot register provider "x" from ./x.ts: dialect "nobody" is not registered, only chat_completions, messages, responses',
      ),
    )
  })

  test("a value that is no module", async () => {
    await expect(createRegistry([], [outside("x", 5)])).rejects.toThrow('Cannot register module "x" from ./x.ts')
  })

  test("a field of the wrong type, unless there are no built-in modules", async () => {
    const wrong = [outside("x", signal({ factNames: ["x"] }))]
    await expect(createRegistry(builtinModules, wrong)).rejects.toThrow(
      message('Cannot register module "x" from ./x.ts: factNames must be a function'),
    )
    expect((await createRegistry([], wrong)).find("signal", "x")).toBeDefined()
  })

  test("a second module of the same kind and id", async () => {
    await expect(
      createRegistry([], [outside("x", signal()), { ...outside("x", signal()), source: "pkg" }]),
    ).rejects.toThrow(
      message(
        'Cannot register signal "x" from pkg: ./x.ts already has that id. An id is the name of the file or package: rename it, and list it once',
      ),
    )
  })

  test("an id that a built-in module has", async () => {
    await expect(createRegistry(builtinModules, [outside("keyword", signal())])).rejects.toThrow(
      message(
        'Cannot register signal "keyword" from ./keyword.ts: a built-in signal already has that id. An id is the name of the file or package: rename it, and list it once',
      ),
    )
  })

  test("two ids that are one in documents", async () => {
    await expect(createRegistry([], [outside("all-caps", signal()), outside("all_caps", signal())])).rejects.toThrow(
      message(
        'Cannot register signal "all_caps" from ./all_caps.ts: ./all-caps.ts already has that id. An id is the name of the file or package: rename it, and list it once',
      ),
    )
  })

  test("two signals with one key in documents", async () => {
    await expect(
      createRegistry([], [outside("a", signal({ configKey: "rules" })), outside("b", signal({ configKey: "rules" }))]),
    ).rejects.toThrow(
      message(
        'Cannot register signal "b" from ./b.ts: signal "a" already has routing.signals.rules; give it another configKey',
      ),
    )
  })

  test("two signals with one condition type", async () => {
    await expect(
      createRegistry([], [outside("a", signal()), outside("b", signal({ conditionType: "a" }))]),
    ).rejects.toThrow(
      message(
        'Cannot register signal "b" from ./b.ts: signal "a" already has condition type a; give it another conditionType',
      ),
    )
  })
})

test("key and condition type of a signal are its id unless it says otherwise", () => {
  expect([signalConfigKey("domain", {}), signalConditionType("domain", {})]).toEqual(["domain", "domain"])
  expect([signalConfigKey("x", { configKey: "k" }), signalConditionType("x", { conditionType: "c" })]).toEqual([
    "k",
    "c",
  ])
})
