import { expect, test } from "vitest"
import {
  checkedItems,
  createConversationStore,
} from "../../../../../ts/plugins/_shared/responses/kept/conversation-store.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"
import { refusalOf } from "../../../../fakes/refusal.ts"

async function open(options: { readonly max_entries?: number } = {}) {
  const { kv } = await memory.setup(options, { clock: () => 0 })
  const values = kv?.("conversations")
  if (values === undefined) throw new Error("the store has no values")
  const store = createConversationStore(values, { ttlMs: 1000, clock: () => 7000 })
  const { id } = await store.create("ann", { items: [{ id: "a" }], metadata: { topic: "x" } })
  return { store, id: String(id) }
}
const unlimited = (): void => {}
const notFound = { code: "not_found" }

test("a conversation is there for its owner alone, with what it began with", async () => {
  const { store, id } = await open()
  expect(id).toMatch(/^conv_[\da-f]{32}$/)
  expect(await store.find(id, "ann")).toEqual({
    owner: "ann",
    conversation: { id, object: "conversation", created_at: 7, metadata: { topic: "x" } },
    items: [{ id: "a" }],
    size: expect.any(Number),
  })
  for (const denied of [
    () => store.find(id, "bob"),
    () => store.remove(id, "bob"),
    () => store.change(id, "bob", () => ({}), unlimited),
    () => store.find("conv_none", "ann"),
    () => store.find("tell me", "ann"),
  ])
    await expect(denied()).rejects.toMatchObject(notFound)
  await store.remove(id, "ann")
  await expect(store.find(id, "ann")).rejects.toMatchObject(notFound)
})

test("changes at the same time are all kept", async () => {
  const { store, id } = await open()
  const add = (item: string) => store.change(id, "ann", ({ items }) => ({ items: [...items, { id: item }] }), unlimited)
  await Promise.all(["b", "c", "d", "e"].map(add))
  const { items } = await store.find(id, "ann")
  expect(items.map((item) => item["id"]).toSorted()).toEqual(["a", "b", "c", "d", "e"])
})

test("many changes of a large one at once evict nothing of others", async () => {
  const { store, id } = await open({ max_entries: 100 })
  const other = String((await store.create("bob", {}))["id"])
  const text = "x".repeat(4 * 2 ** 20)
  await store.change(id, "ann", () => ({ items: [{ text }] }), unlimited)
  const add = async (): Promise<unknown> =>
    store.change(id, "ann", ({ items }) => ({ items: [...items, { id: "more" }] }), unlimited)
  await Promise.all(Array.from({ length: 10 }, add))
  expect((await store.find(id, "ann")).items).toHaveLength(11)
  expect((await store.find(other, "bob")).items).toEqual([])
})

test("a change for which there is no memory does nothing", async () => {
  const { store, id } = await open()
  const refused = new Error("no room")
  const hold = (bytes: number): void => {
    expect(bytes).toBeGreaterThan(100)
    throw refused
  }
  await expect(store.change(id, "ann", () => ({ items: [] }), hold)).rejects.toBe(refused)
  expect((await store.find(id, "ann")).items).toEqual([{ id: "a" }])
})

test("one that is too large is refused and stays as it was", async () => {
  const { store, id } = await open()
  const text = "x".repeat(9 * 2 ** 20)
  await expect(store.change(id, "ann", () => ({ items: [{ text }] }), unlimited)).rejects.toMatchObject({
    code: "request_too_large",
  })
  expect((await store.find(id, "ann")).items).toEqual([{ id: "a" }])
})

test("items are checked as the input of a request is", () => {
  expect(checkedItems([{ role: "user", content: "hi" }])).toMatchObject([{ type: "message", id: expect.any(String) }])
  for (const item of [{ role: "User", content: "hi" }, { role: "user" }, { type: "function_call", name: "n" }])
    expect(refusalOf(() => checkedItems([item]))).toMatch(/^invalid_request:/)
})
