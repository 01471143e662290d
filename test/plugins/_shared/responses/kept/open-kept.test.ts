import { expect, test } from "vitest"
import { keptOr404, openKept, ownerOf } from "../../../../../ts/plugins/_shared/responses/kept/open-kept.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"
import { refusalOf } from "../../../../fakes/refusal.ts"

test("the store of the section is opened with its limits, and none where nothing is kept", async () => {
  const asked: unknown[] = []
  const host = (settings: object) => ({
    settings,
    openStore: async (type: string, configuration: object) => {
      asked.push([type, configuration])
      return memory.setup({}, { clock: () => 0 })
    },
    share: async <Value>(_: string, make: () => Value) => make(),
    clock: () => 0,
    log: () => {},
  })
  const opened = await openKept(host({ store_backend: "memory", max_responses: 5, max_total_bytes: 9 }))
  await opened?.values("a").set("k", 1)
  expect(await opened?.values("b").get("k")).toBeUndefined()
  expect(await openKept(host({ enabled: false }))).toBeUndefined()
  expect(asked).toEqual([["memory", { max_entries: 5, max_bytes: 9 }]])
})

test("an owner is the name of a key, or everybody", () => {
  const principal = { role: "client", permissions: undefined, name: "main" }
  expect([ownerOf({ principal }), ownerOf({ principal: { ...principal, key: "ann" } })]).toEqual(["", "key ann"])
})

test("without the section the error says what would keep something", () => {
  expect(refusalOf(() => keptOr404(undefined))).toMatch(/^not_found: .*global\.services\.response_api/)
  expect(keptOr404({ a: 1 })).toEqual({ a: 1 })
})
