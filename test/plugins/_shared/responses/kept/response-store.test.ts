import { expect, test } from "vitest"
import { createResponseStore, noResponse } from "../../../../../ts/plugins/_shared/responses/kept/response-store.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"
import { refusalOf } from "../../../../fakes/refusal.ts"

async function open(limits: { ttlMs?: number; maxBytes?: number } = {}) {
  const clock = { now: 0 }
  const { kv } = await memory.setup({}, { clock: () => clock.now })
  const values = kv?.("responses")
  if (values === undefined) throw new Error("the store has no values")
  return { clock, store: createResponseStore(values, { ttlMs: 1000, maxBytes: 500, ...limits }) }
}
const kept = (id: string, more: object = {}) => ({ owner: "ann", response: { id, ...more }, input: [] })

test("a response is there for its owner until its end, and for nobody else", async () => {
  const { clock, store } = await open()
  const version = await store.add(kept("resp_1"))
  expect(await store.find("resp_1", "ann")).toEqual({ ...kept("resp_1"), version, size: expect.any(Number) })
  expect(await store.find("resp_1", "bob")).toBeUndefined()
  expect(await store.remove("resp_1", "bob")).toBe(false)
  clock.now = 1000
  expect(await store.find("resp_1", "ann")).toBeUndefined()
})

test("of two who replace a response only the first one does, and none replaces a deleted one", async () => {
  const { store } = await open()
  const version = await store.add(kept("resp_1", { status: "queued" }))
  expect(await store.replace(kept("resp_1", { status: "cancelled" }), version)).toBe(true)
  expect(await store.replace(kept("resp_1", { status: "completed" }), version)).toBe(false)
  const found = await store.find("resp_1", "ann")
  expect(found?.response["status"]).toBe("cancelled")
  expect([await store.remove("resp_1", "ann"), await store.remove("resp_1", "ann")]).toEqual([true, false])
  expect(await store.replace(kept("resp_1"), found?.version ?? "")).toBe(false)
})

test("more than one response may have is refused, in bytes and not in characters", async () => {
  const { store } = await open({ maxBytes: 200 })
  const code = { code: "request_too_large" }
  await expect(store.add(kept("resp_1", { text: "漢".repeat(60) }))).rejects.toMatchObject(code)
  await expect(store.add(kept("resp_1", { text: "k".repeat(60) }))).resolves.toEqual(expect.any(String))
  expect(refusalOf(() => store.checkInput([{ text: "k".repeat(200) }]))).toMatch(/^request_too_large:/)
  store.checkInput([{ text: "k".repeat(100) }])
})

test("what cannot be an id is not found, and no error quotes it", async () => {
  const { store } = await open()
  for (const id of ["", "a b", "\ud800", "x".repeat(200)]) expect(await store.find(id, "ann")).toBeUndefined()
  expect(noResponse("tell me a secret").message).not.toContain("secret")
  expect(noResponse("resp_1", "continue").message).toContain('Cannot continue the response "resp_1"')
})
