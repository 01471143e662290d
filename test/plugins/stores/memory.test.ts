import { storeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import memory from "../../../ts/plugins/stores/memory.ts"

describe("contract", () => {
  for (const { name, run } of storeContract(memory)) test(name, run)
})

describe("contract, with a limit that no case reaches", () => {
  for (const { name, run } of storeContract(memory, { options: { max_entries: 2000 } })) test(name, run)
})

test("evicts what was written longest ago, for each name alone", async () => {
  const { kv, records, vectors } = await memory.setup({ max_entries: 3 }, { clock: () => 0 })
  const values = kv?.("a")
  for (const key of ["1", "2", "3", "1", "4"]) await values?.set(key, key)
  await kv?.("b").set("1", 1)
  expect(await values?.keys()).toEqual(["1", "3", "4"])

  for (const id of ["1", "2", "3", "1", "4"]) await records?.("a").put({ id, createdAt: 1, fields: {}, value: id })
  expect((await records?.("a").query({ order: "oldest" }))?.records.map(({ id }) => id)).toEqual(["1", "3", "4"])

  const index = vectors?.("a", { dimensions: 1 })
  for (const id of ["1", "2", "3", "1", "4"])
    await index?.upsert([{ id, vector: Float32Array.of(1), fields: {}, value: id }])
  expect(await Promise.all(["1", "2", "3", "4"].map(async (id) => (await index?.get(id))?.id))).toEqual([
    "1",
    undefined,
    "3",
    "4",
  ])
})

test("evicts what was written longest ago until the values fit, and never the newest", async () => {
  const { kv } = await memory.setup({ max_bytes: 12 }, { clock: () => 0 })
  const values = kv?.("a")
  for (const key of ["1", "2", "1", "3"]) await values?.set(key, "abc")
  expect(await values?.keys()).toEqual(["1", "3"])
  await values?.delete("3")
  await values?.set("4", "abc")
  expect(await values?.keys()).toEqual(["1", "4"])
  await values?.set("5", "longer than the limit")
  expect(await values?.keys()).toEqual(["5"])
})

test("entries past their end make room before others are evicted", async () => {
  let now = 0
  const { kv } = await memory.setup({ max_entries: 10 }, { clock: () => now })
  const values = kv?.("a")
  await values?.set("stays", 1)
  for (let key = 0; key < 5; key++) await values?.set(`short ${key}`, 1, { ttlMs: 1 })
  now = 1
  for (let key = 0; key < 9; key++) await values?.set(`new ${key}`, 1)
  expect(await values?.get("stays")).toMatchObject({ value: 1 })
})

test("says why it is not healthy", async () => {
  const store = await memory.setup({}, { clock: () => 0 })
  await store.close()
  expect(await store.health?.()).toBe("the store is closed")
})
