import { expect, test } from "vitest"
import { stateStore } from "../../../../ts/kernel/config/sections/stores.ts"
import { createRegistry } from "../../../../ts/kernel/modules/registry.ts"
import { canonical, documentWith, problemsOf } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const at = "global.stores.state"

test("a document without a store has the default one", () => {
  expect(stateStore(canonical({}), registry)).toEqual({ type: "memory", configuration: {} })
})

test("a document's store has its configuration", () => {
  const state = { type: "memory", configuration: { max_entries: 5 } }
  expect(stateStore(canonical({ [at]: state }), registry)).toEqual(state)
  expect(stateStore(canonical({ [at]: { type: "memory" } }), registry)).toEqual({ type: "memory", configuration: {} })
})

test("without a default one, a document must name its store", async () => {
  const none = await createRegistry([])
  expect(() => stateStore(canonical({}), none)).toThrow(
    "No store is registered with isDefault, and the document names none",
  )
})

test.each<[object, readonly string[]]>([
  [{ type: "memory", configuration: { max_entries: 0 } }, [`${at}.configuration.max_entries: must be >= 1, got 0`]],
  [
    { type: "memory", configuration: { max_entrys: 1 } },
    [`${at}.configuration.max_entrys: is not a known key (did you mean "max_entries"?)`],
  ],
  [{}, [expect.stringContaining(`${at}.type: is missing; it must be `) as string]],
  [{ type: "memry" }, [expect.stringContaining('got "memry" (did you mean "memory"?)') as string]],
])("%j is refused", (state, problems) => expect(problemsOf(documentWith({ [at]: state }))).toEqual(problems))

test("what a store reports stands below its configuration", async () => {
  const { defineStore, Type } = await import("rtr")
  const { resolveDocument } = await import("../../../../ts/kernel/config/resolve.ts")
  const { wrapDocument } = await import("../../../../ts/kernel/config/source-document.ts")
  const disk = defineStore({
    about: "keeps",
    shapes: ["kv"],
    options: Type.Object({ path: Type.String() }),
    check: ({ path }, report) => {
      if (!path.startsWith("/")) report(["path"], "must be absolute")
    },
    setup: () => ({ close: async () => {} }),
  })
  const own = await createRegistry([], [{ id: "disk", module: disk, source: "test" }])
  const resolve = (state: object) => () =>
    resolveDocument(wrapDocument({ version: "v0.3", global: { stores: { state } } }), {
      source: "c",
      registry: own,
      environment: {},
    })
  expect(resolve({ type: "disk" })).toThrow(`${at}.configuration: is missing`)
  expect(resolve({ type: "disk", configuration: { path: "x" } })).toThrow(`${at}.configuration.path: must be absolute`)
  expect(resolve({ type: "disk", configuration: { path: "/x" } })).not.toThrow()
})
