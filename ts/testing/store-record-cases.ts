// What every store of records must do.

import type { RecordQuery, RecordStore, StoredRecord, StoreFields } from "../kernel/index.ts"
import { type ContractCase, expectThat } from "./case.ts"
import {
  awkwardFields,
  awkwardKeys,
  awkwardValues,
  casesOf,
  expectEqual,
  expectRejection,
  type WithStore,
} from "./store-case.ts"

export function recordCases(withStore: WithStore): readonly ContractCase[] {
  const recordCase = casesOf("records", withStore, (store, name) => store.records?.(name))
  const record = (id: string, createdAt: number, fields: StoreFields = {}): StoredRecord => ({
    id,
    createdAt,
    fields,
    value: { text: id },
  })
  const idsOf = async (records: RecordStore, query: RecordQuery = {}): Promise<readonly string[]> =>
    (await records.query(query)).records.map(({ id }) => id)
  const pagesOf = async (
    records: RecordStore,
    query: RecordQuery,
    between: (page: number) => Promise<void> = async () => {},
  ): Promise<readonly string[]> => {
    const ids: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 200 && (page === 0 || cursor !== undefined); page++) {
      const { records: found, next } = await records.query({ ...query, ...(cursor !== undefined && { cursor }) })
      expectThat(found.length > 0 || page === 0, "no empty page after the first")
      ids.push(...found.map(({ id }) => id))
      cursor = next
      await between(page)
    }
    return ids
  }

  return [
    recordCase("gives back any record", async (records) => {
      for (const [index, value] of awkwardValues.entries()) {
        const written = { id: `id ${index}`, createdAt: index + 0.5, fields: awkwardFields, value }
        await records.put(written)
        expectEqual(await records.get(written.id), written, "the record")
      }
      expectEqual(await records.get("other"), undefined, "nothing under another id")
      const { records: found } = await records.query({ order: "oldest" })
      expectEqual(
        found.map(({ value }) => value),
        awkwardValues,
        "the values of a query",
      )
    }),
    recordCase("tells any two ids apart", async (records) => {
      for (const [index, id] of awkwardKeys.entries()) await records.put(record(id, index))
      for (const [index, id] of awkwardKeys.entries())
        expectEqual((await records.get(id))?.createdAt, index, "the record of the id")
      expectEqual(await idsOf(records, { order: "oldest" }), awkwardKeys, "all ids")
      await expectRejection("invalid_input", () => records.put(record("\ud800", 1)))
    }),
    recordCase("keeps a copy", async (records) => {
      const value = [1]
      const fields: Record<string, string> = { a: "1" }
      await records.put({ id: "a", createdAt: 1, fields, value })
      value.push(2)
      fields["a"] = "2"
      expectEqual(await records.get("a"), { id: "a", createdAt: 1, fields: { a: "1" }, value: [1] }, "what was written")
      expectEqual(await records.count({ a: "1" }), 1, "what was written")
    }),
    recordCase("refuses what it cannot find again", async (records) => {
      for (const bad of [Number.NaN, Infinity, null, undefined, [], {}]) {
        await expectRejection("invalid_input", () => records.put(record("a", 1, { bad } as never)))
        await expectRejection("invalid_input", () => records.query({ where: { bad } as never }))
        await expectRejection("invalid_input", () => records.deleteWhere({ bad } as never))
      }
      for (const createdAt of [Number.NaN, Infinity])
        await expectRejection("invalid_input", () => records.put(record("a", createdAt)))
      for (const limit of [0, -1, 1.5, Number.NaN, 1001])
        await expectRejection("invalid_input", () => records.query({ limit }))
      for (const cursor of ["", "nonsense", "%", "[]", "null"])
        await expectRejection("invalid_input", () => records.query({ cursor }))
      expectEqual(await records.count(), 0, "nothing written")
    }),
    recordCase("finds by fields, each with its type", async (records) => {
      await records.put(record("text", 1, { a: "1", b: "x" }))
      await records.put(record("number", 2, { a: 1, b: "x" }))
      await records.put(record("boolean", 3, { a: true, b: "y" }))
      await records.put(record("none", 4))
      await records.put(record("awkward", 5, awkwardFields))
      const found = async (where: StoreFields): Promise<string> => (await idsOf(records, { where })).join(" ")
      expectEqual(
        [await found({ a: "1" }), await found({ a: 1 }), await found({ a: true }), await found({ a: false })],
        ["text", "number", "boolean", ""],
        "the record with that value",
      )
      expectEqual(
        [await found({ b: "x" }), await found({ a: 1, b: "x" }), await found({ a: 1, b: "y" }), await found({})],
        ["number text", "number", "", "awkward none boolean number text"],
        "the records with every field",
      )
      for (const [name, value] of Object.entries(awkwardFields))
        expectEqual(await found(Object.fromEntries([[name, value]])), "awkward", `the record with ${name}`)
      expectEqual(await found({ hasOwnProperty: "x" }), "", "no record with a field that every object has")
      expectEqual(await found(awkwardFields), "awkward", "the record with all fields")
      expectEqual([await records.count(), await records.count({ b: "x" })], [5, 2], "the numbers of records")
    }),
    recordCase("replaces the record with the same id", async (records) => {
      await records.put(record("a", 1, { old: true }))
      await records.put(record("b", 2))
      await records.put(record("a", 3, { new: true }))
      expectEqual(await idsOf(records), ["a", "b"], "the place of the new age")
      expectEqual(
        [await records.count({ old: true }), await records.count({ new: true }), await records.count()],
        [0, 1, 2],
        "the new fields alone",
      )
    }),
    recordCase("orders by age, then by id", async (records) => {
      for (const [id, createdAt] of [
        ["c", 2],
        ["a", 2],
        ["b", -1],
        ["d", 1e15],
        ["\uffee", 2],
        ["😀", 2],
      ] as const)
        await records.put(record(id, createdAt))
      const oldest = ["b", "a", "c", "\uffee", "😀", "d"]
      expectEqual(await idsOf(records, { order: "oldest" }), oldest, "the oldest first")
      expectEqual(await idsOf(records), oldest.toReversed(), "the newest first")
      for (const order of ["oldest", "newest"] as const)
        for (const limit of [1, 2, 3, 6, 7])
          expectEqual(
            await pagesOf(records, { order, limit }),
            order === "oldest" ? oldest : oldest.toReversed(),
            `all, ${limit} on each page`,
          )
      const { next } = await records.query({ limit: 1 })
      await expectRejection("invalid_input", () => records.query({ order: "oldest", cursor: next ?? "" }))
    }),
    recordCase("shows each record once while others are added and deleted", async (records) => {
      const ids = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, "0")}`)
      for (const [index, id] of ids.entries())
        await records.put(record(id, Math.floor(index / 10), { even: index % 2 === 0 }))
      for (const order of ["newest", "oldest"] as const) {
        const seen = await pagesOf(records, { order, limit: 7, where: { even: true } }, async (page) => {
          await records.put(record(`new ${order} ${page}`, page, { even: true }))
          await records.put(record(`newest ${order} ${page}`, 1000 + page, { even: false }))
          await records.delete(`new ${order} ${page - 1}`)
          await records.delete(`newest ${order} ${page}`)
        })
        const kept = ids.filter((_, index) => index % 2 === 0)
        expectEqual(
          seen.filter((id) => !id.startsWith("new")),
          order === "oldest" ? kept : kept.toReversed(),
          "every record that stayed, once and in order",
        )
        expectEqual(new Set(seen).size, seen.length, "no record twice")
        for (const id of await idsOf(records, { limit: 1000 })) if (id.startsWith("new")) await records.delete(id)
      }
    }),
    recordCase("gives 100 records when it is not told how many", async (records) => {
      for (let index = 0; index < 101; index++) await records.put(record(`id ${index}`, index))
      const { records: found, next } = await records.query()
      expectEqual([found.length, next !== undefined], [100, true], "100 records and a next page")
      const rest = await records.query({ cursor: next ?? "" })
      expectEqual([rest.records.length, rest.next], [1, undefined], "the last record and no next page")
      expectEqual((await records.query({ limit: 101 })).next, undefined, "no next page after the last record")
    }),
    recordCase("ends records in time", async (records, { advance }) => {
      await records.put(record("a", 1, { f: 1 }), { ttlMs: 1000 })
      await records.put(record("b", 2, { f: 1 }))
      await records.put(record("c", 3, { f: 1 }), { ttlMs: 10 })
      await records.put(record("c", 3, { f: 1 }))
      advance(999)
      expectEqual(await idsOf(records, { where: { f: 1 } }), ["c", "b", "a"], "all before the end")
      advance(1)
      expectEqual(await idsOf(records), ["c", "b"], "those without an end")
      expectEqual(await idsOf(records, { where: { f: 1 }, limit: 2 }), ["c", "b"], "those without an end")
      expectEqual(
        [await records.get("a"), await records.delete("a"), await records.count(), await records.count({ f: 1 })],
        [undefined, false, 2, 2],
        "nothing of the record after its end",
      )
      expectEqual(await records.deleteWhere({ f: 1 }), 2, "those without an end")
      await expectRejection("invalid_input", () => records.put(record("a", 1), { ttlMs: 0 }))
    }),
    recordCase("deletes by id and by fields", async (records) => {
      for (let index = 0; index < 250; index++)
        await records.put(record(`id ${index}`, index, { even: index % 2 === 0, all: 1 }))
      expectEqual([await records.delete("id 0"), await records.delete("id 0")], [true, false], "one deletion")
      expectEqual(await records.deleteWhere({ even: true, all: 1 }), 124, "the number of deleted records")
      expectEqual(
        [await records.count(), await records.count({ even: true }), await records.get("id 2")],
        [125, 0, undefined],
        "the others",
      )
      expectEqual([await records.deleteWhere({}), await records.count()], [125, 0], "everything deleted")
    }),
    recordCase("keeps names apart", async (records, { store, name }) => {
      const other = store.records?.(`${name}2`)
      await records.put(record("a", 1, { f: 1 }))
      await other?.put(record("a", 2, { f: 1 }))
      expectEqual([(await records.get("a"))?.createdAt, await records.count({ f: 1 })], [1, 1], "one record")
      expectEqual(await other?.deleteWhere({}), 1, "one record")
      expectEqual(await store.records?.(name).count(), 1, "the same data under an equal name")
    }),
  ]
}
