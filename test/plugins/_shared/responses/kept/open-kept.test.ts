import { expect, test } from "vitest"
import { RtrError } from "rtr"
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

test("where a store is that cannot be used stands in the log, once in a while, and not in the client's error", async () => {
  const lines: unknown[] = []
  const away = new RtrError("unavailable", "Cannot use the store at cache.internal: nobody listens there")
  const fails = async (): Promise<never> => {
    throw away
  }
  const kv = { get: fails, set: fails, compareAndSet: fails, increment: fails, delete: fails, keys: fails }
  const opened = await openKept({
    settings: { store_backend: "memory" },
    openStore: async () => ({ kv: () => kv, close: async () => {} }),
    share: async <Value>(_: string, make: () => Value) => make(),
    clock: () => 0,
    log: (...line) => void lines.push(line),
  })
  const values = opened?.values("a")
  for (const work of [values?.get("k"), values?.set("k", 1), values?.keys()])
    await expect(work).rejects.toMatchObject({
      code: "unavailable",
      message: "Cannot reach the store of kept responses now; try again later",
    })
  expect(lines).toEqual([["warning", "kept_responses_unavailable", { reason: away.message }]])
})

test("an owner is the name of a key, or everybody", () => {
  const principal = { role: "client", permissions: undefined, name: "main" }
  expect([ownerOf({ principal }), ownerOf({ principal: { ...principal, key: "ann" } })]).toEqual(["", "key ann"])
})

test("without the section the error says what would keep something", () => {
  expect(refusalOf(() => keptOr404(undefined))).toMatch(/^not_found: .*global\.services\.response_api/)
  expect(keptOr404({ a: 1 })).toEqual({ a: 1 })
})
