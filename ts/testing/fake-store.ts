// Stores of a module under test: small, in memory, and as strict as the contract says.

import { type JsonValue, type KeyValueStore, type RecordStore, RtrError, type StoredRecord } from "../kernel/index.ts"

/** What `store.kv`, `store.workflows` and `store.records` grant. Equal objects see the same data. */
export interface FakeStores {
  readonly kv: KeyValueStore
  readonly workflows: KeyValueStore
  readonly records: RecordStore
}

/** Empty stores. `clock` ends entries with a time to live; it stands still when left out. */
export function createFakeStores(clock: () => number = () => 0): FakeStores {
  return { kv: createKeyValues(clock), workflows: createKeyValues(clock), records: createRecords(clock) }
}

const writing = new Set(["set", "compareAndSet", "increment", "delete", "put", "deleteWhere"])

/** Empty stores that tell of each write, by the names of store and method. */
export function createWatchedStores(onWrite: (what: string) => void): FakeStores {
  const watched = <Store extends object>(name: string, store: Store): Store =>
    Object.fromEntries(
      Object.entries(store).map(([method, run]: [string, (...given: readonly unknown[]) => unknown]) => [
        method,
        (...given: readonly unknown[]) => {
          if (writing.has(method)) onWrite(`${name}.${method}`)
          return run(...given)
        },
      ]),
    ) as Store
  const { kv, workflows, records } = createFakeStores()
  return { kv: watched("kv", kv), workflows: watched("workflows", workflows), records: watched("records", records) }
}

interface Entry<Value> {
  readonly value: Value
  readonly expires: number
}

const expiry = (clock: () => number, ttlMs: number | undefined): number =>
  ttlMs === undefined ? Infinity : clock() + ttlMs

function createKeyValues(clock: () => number): KeyValueStore {
  const entries = new Map<string, Entry<{ readonly json: string; readonly version: string }>>()
  let writes = 0
  const live = (key: string) => {
    const entry = entries.get(key)
    return entry !== undefined && entry.expires > clock() ? entry : undefined
  }
  const write = (key: string, value: JsonValue, expires: number): string => {
    const version = String(++writes)
    entries.set(key, { value: { json: JSON.stringify(value), version }, expires })
    return version
  }
  return {
    async get(key) {
      const entry = live(key)
      return entry && { value: JSON.parse(entry.value.json) as JsonValue, version: entry.value.version }
    },
    set: async (key, value, { ttlMs } = {}) => write(key, value, expiry(clock, ttlMs)),
    compareAndSet: async (key, expected, value, { ttlMs } = {}) =>
      live(key)?.value.version === expected ? write(key, value, expiry(clock, ttlMs)) : undefined,
    async increment(key, amount, { ttlMs } = {}) {
      const entry = live(key)
      const before: unknown = entry === undefined ? 0 : JSON.parse(entry.value.json)
      if (typeof before !== "number") throw new RtrError("invalid_input", `Cannot add to "${key}": it holds no number`)
      write(key, before + amount, entry?.expires ?? expiry(clock, ttlMs))
      return before + amount
    },
    async delete(key) {
      const there = live(key) !== undefined
      entries.delete(key)
      return there
    },
    keys: async ({ prefix = "", after, limit = 1000 } = {}) =>
      [...entries.keys()]
        .filter((key) => live(key) !== undefined && key.startsWith(prefix) && (after === undefined || key > after))
        .toSorted()
        .slice(0, limit),
  }
}

function createRecords(clock: () => number): RecordStore {
  const entries = new Map<string, Entry<StoredRecord>>()
  const matching = (where: StoredRecord["fields"] = {}): readonly StoredRecord[] =>
    [...entries.values()]
      .filter(({ expires }) => expires > clock())
      .map(({ value }) => value)
      .filter(({ fields }) => Object.entries(where).every(([name, value]) => fields[name] === value))
  return {
    async put(record, { ttlMs } = {}) {
      entries.set(record.id, { value: structuredClone(record), expires: expiry(clock, ttlMs) })
    },
    get: async (id) => matching().find((record) => record.id === id),
    delete: async (id) => entries.delete(id),
    async query({ where, order = "newest", limit = 100, cursor = "0" } = {}) {
      const sorted = matching(where).toSorted((a, b) =>
        order === "newest" ? b.createdAt - a.createdAt : a.createdAt - b.createdAt,
      )
      const start = Number(cursor)
      const next = start + limit
      return { records: sorted.slice(start, next), ...(next < sorted.length && { next: String(next) }) }
    },
    count: async (where) => matching(where).length,
    async deleteWhere(where) {
      const found = matching(where)
      for (const { id } of found) entries.delete(id)
      return found.length
    },
  }
}
