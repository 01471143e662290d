import type { KeyValueStore, OpenStore, RecordStore, StoreModule, VectorStore } from "rtr"
import { storeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import memory from "../../ts/plugins/stores/memory.ts"
import { failuresOf } from "../fakes/contract.ts"

type Full = Required<OpenStore>

/** The store in memory with changes to what it opens. */
function changed(change: (store: Full) => Partial<OpenStore>, module: Partial<StoreModule> = {}): StoreModule {
  return {
    ...memory,
    ...module,
    setup: async (options: object, host: { clock: () => number }) => {
      const store = (await memory.setup(options, host)) as Full
      return { ...store, ...change(store) }
    },
  } as StoreModule
}
const withKv = (change: (kv: KeyValueStore) => Partial<KeyValueStore>): StoreModule =>
  changed((store) => ({ kv: (name) => ({ ...store.kv(name), ...change(store.kv(name)) }) }))
const withRecords = (change: (records: RecordStore) => Partial<RecordStore>): StoreModule =>
  changed((store) => ({ records: (name) => ({ ...store.records(name), ...change(store.records(name)) }) }))
const withVectors = (change: (vectors: VectorStore) => Partial<VectorStore>): StoreModule =>
  changed((store) => ({
    vectors: (name, options) => ({ ...store.vectors(name, options), ...change(store.vectors(name, options)) }),
  }))

test("a store that keeps the contract passes", async () => {
  expect(await failuresOf(storeContract(memory))).toEqual([])
})

test("a store of one shape is asked for that shape alone", async () => {
  const only = (shape: "kv" | "records" | "vectors"): StoreModule =>
    changed(() => ({ kv: undefined, records: undefined, vectors: undefined, [shape]: undefined }) as never, {
      shapes: [shape],
    })
  for (const shape of ["kv", "records", "vectors"] as const) {
    const names = storeContract(only(shape)).map(({ name }) => name)
    expect(names.filter((name) => name.includes(": ")).every((name) => name.startsWith(`${shape}: `))).toBe(true)
    expect(await failuresOf(storeContract(only(shape)))).toContain("opens with the shapes that it names, and no other")
  }
})

// Each broken store, and a case that must notice it. Other cases may notice it too.
describe("is broken by a store", () => {
  test.each<[string, StoreModule, string]>([
    ["of another kind", changed(() => ({}), { kind: "plugin" as never }), "says what it does in one line"],
    ["that does not say what it does", changed(() => ({}), { about: " " }), "says what it does in one line"],
    [
      "that lacks a shape that it names",
      changed(({ kv }) => ({ kv, vectors: undefined }) as never),
      "opens with the shapes that it names, and no other",
    ],
    ["that is never healthy", changed(() => ({ health: async () => "ill" })), "is healthy while it is open"],
    [
      "that answers after it was closed",
      changed(() => ({ close: async () => {} })),
      "rejects every call after it was closed",
    ],
    [
      "that cannot be closed twice",
      changed(({ close }) => {
        let open = true
        return {
          async close() {
            if (!open) throw new Error("closed")
            open = false
            await close()
          },
        }
      }),
      "rejects every call after it was closed",
    ],
    ["that keeps all names together", changed(({ kv }) => ({ kv: () => kv("one") })), "kv: keeps names apart"],
    [
      "that writes over any version",
      withKv(({ set }) => ({ compareAndSet: async (key, _, value, options) => set(key, value, options) })),
      "kv: lets one of 50 writers win each version",
    ],
    [
      "that compares and writes in two steps",
      withKv(({ get, set }) => ({
        compareAndSet: async (key, expected, value, options) =>
          (await get(key))?.version === expected ? set(key, value, options) : undefined,
      })),
      "kv: lets one of 50 writers win each version",
    ],
    [
      "that adds in two steps",
      withKv(({ get, set }) => ({
        async increment(key, amount) {
          const sum = Number((await get(key))?.value ?? 0) + amount
          await set(key, sum)
          return sum
        },
      })),
      "kv: adds in one step",
    ],
    [
      "that moves the end with each increment",
      withKv(({ increment, set }) => ({
        async increment(key, amount, options) {
          const sum = await increment(key, amount)
          await set(key, sum, options)
          return sum
        },
      })),
      "kv: counts until the end of the first increment",
    ],
    [
      "that never ends an entry",
      withKv(({ set }) => ({ set: async (key, value) => set(key, value) })),
      "kv: ends entries in time",
    ],
    [
      "that keeps values in an object",
      withKv(({ get, set }) => {
        const versions: Record<string, string> = {}
        return {
          get: async (key) =>
            versions[key] === undefined ? undefined : ((await get(key)) ?? { value: null, version: "" }),
          async set(key, value, options) {
            return (versions[key] = await set(key, value, options))
          },
        }
      }),
      "kv: tells any two keys apart",
    ],
    [
      "that uses the value as the version",
      withKv(({ get, set }) => ({
        get: async (key) => {
          const entry = await get(key)
          return entry && { ...entry, version: JSON.stringify(entry.value) }
        },
        set: async (key, value, options) => {
          await set(key, value, options)
          return JSON.stringify(value)
        },
      })),
      "kv: changes the version with every write",
    ],
    [
      "that hands out the value it keeps",
      withKv(({ set }) => {
        const kept = new Map<string, never>()
        return {
          get: async (key) => (kept.has(key) ? { value: kept.get(key) as never, version: "1" } : undefined),
          set: async (key, value) => {
            kept.set(key, value as never)
            return set(key, value)
          },
        }
      }),
      "kv: keeps a copy",
    ],
    [
      "that orders keys by UTF-16",
      withKv(({ keys }) => ({ keys: async (options) => (await keys(options)).toSorted() })),
      "kv: lists keys in ascending order",
    ],
    [
      "that repeats the last key of a page",
      withKv(({ keys }) => ({
        keys: async (options = {}) =>
          options.after === undefined
            ? keys(options)
            : [options.after, ...(await keys(options))].slice(0, options.limit),
      })),
      "kv: lists keys in ascending order",
    ],
    [
      "that pages by offset",
      withRecords(({ query }) => ({
        async query({ cursor, limit = 100, ...rest } = {}) {
          const all = (await query({ ...rest, limit: 1000 })).records
          const start = Number(cursor ?? 0)
          const end = start + limit
          return { records: all.slice(start, end), ...(end < all.length && { next: String(end) }) }
        },
      })),
      "records: shows each record once while others are added and deleted",
    ],
    [
      "that gives a cursor after the last page",
      withRecords(({ query }) => ({ query: async (options) => ({ next: "more", ...(await query(options)) }) })),
      "records: gives 100 records when it is not told how many",
    ],
    [
      "that compares fields as text",
      withRecords(({ put }) => ({
        put: async (record, options) =>
          put(
            {
              ...record,
              fields: Object.fromEntries(Object.entries(record.fields).map(([name, value]) => [name, String(value)])),
            },
            options,
          ),
      })),
      "records: finds by fields, each with its type",
    ],
    [
      "that keeps old fields of a replaced record",
      withRecords(({ get, put }) => ({
        async put(record, options) {
          const before = record.id === "a" ? await get(record.id) : undefined
          await put({ ...record, fields: { ...before?.fields, ...record.fields } }, options)
        },
      })),
      "records: replaces the record with the same id",
    ],
    [
      "that deletes records with one of the fields",
      withRecords(({ deleteWhere }) => ({
        deleteWhere: async (where) => deleteWhere(Object.fromEntries(Object.entries(where).slice(-1))),
      })),
      "records: deletes by id and by fields",
    ],
    [
      "that counts records past their end",
      withRecords(({ put, count }) => {
        let written = 0
        return {
          put: async (record, options) => {
            written++
            await put(record, options)
          },
          count: async (where) => (where === undefined ? written : count(where)),
        }
      }),
      "records: ends records in time",
    ],
    [
      "that gives the least similar first",
      withVectors(({ search }) => ({ search: async (...given) => (await search(...given)).toReversed() })),
      "vectors: gives the most similar first, with the cosine",
    ],
    [
      "that filters after the search",
      withVectors(({ search }) => ({
        async search(vector, { where = {}, ...options }) {
          return (await search(vector, options)).filter(({ fields }) =>
            Object.entries(where).every(([name, value]) => fields[name] === value),
          )
        },
      })),
      "vectors: finds the same as a comparison with every vector",
    ],
    [
      "that takes vectors of any width",
      changed(({ vectors }) => ({
        vectors: (name, options) => ({
          ...vectors(name, options),
          upsert: async (given, write) => {
            for (const one of given) await vectors(name, { dimensions: one.vector.length }).upsert([one], write)
          },
        }),
      })),
      "vectors: refuses what has no direction or another width",
    ],
    [
      "that writes the vectors before a bad one",
      withVectors(({ upsert }) => ({
        upsert: async (given, options) => {
          for (const one of given) await upsert([one], options)
        },
      })),
      "vectors: refuses what has no direction or another width",
    ],
    [
      "that gives a similarity above 1",
      withVectors(({ search }) => ({
        search: async (...given) =>
          (await search(...given)).map((match) => ({ ...match, similarity: match.similarity * 1.01 })),
      })),
      "vectors: gives the most similar first, with the cosine",
    ],
    [
      "that finds deleted vectors",
      withVectors(({ search }) => {
        let first: Awaited<ReturnType<VectorStore["search"]>> | undefined
        return { search: async (...given) => (first ??= await search(...given)) }
      }),
      "vectors: deletes by id and by fields",
    ],
  ])("%s", async (_, module, noticed) => expect(await failuresOf(storeContract(module))).toContain(noticed))
})

test("options and a clock are passed to setup", async () => {
  const seen: unknown[] = []
  const module = {
    ...memory,
    setup: (options: object, host: { clock: () => number }) => {
      seen.push(options, typeof host.clock())
      return memory.setup(options, host)
    },
  } as StoreModule
  await failuresOf(storeContract(module, { options: { max_entries: 5000 } }).slice(0, 2))
  expect(seen).toEqual([{ max_entries: 5000 }, "number"])
})
