// The items of one shape and name: written, found by key, by fields and by position, and cleaned up.

import { type StoreFields, type StoreShape } from "../../../kernel/index.ts"
import { startTurns } from "../stores/turns.ts"
import type { Connection, SqlValue } from "./connection.ts"

/** Items past their end that each write deletes, in any collection of the file. */
const sweptPerWrite = 16
/** Items that one write deletes at most to come back to `max_entries` and `max_bytes`. */
const evictedPerWrite = 64
const scannedPerLook = 500
const deletedPerWrite = 100

export interface CollectionHost {
  readonly connection: Connection
  readonly clock: () => number
  readonly maxEntries: number | undefined
  readonly maxBytes: number | undefined
}

export interface NewItem {
  readonly key: string
  readonly value: string
  readonly expires: number | null
  readonly position?: number
  readonly vector?: Uint8Array
  readonly fields?: string
  readonly tags?: readonly string[]
}

export interface ScanRow {
  readonly seq: number
  readonly position: number
  readonly key: Uint8Array
  /** 1 when it is not past its end and has every tag. */
  readonly matches: 0 | 1
}

export interface Scan {
  readonly tags: readonly string[]
  readonly order: "newest" | "oldest"
  readonly after: { readonly position: number; readonly key: Uint8Array } | undefined
  readonly limit: number
}

/** What the items of a collection are together. */
interface Held {
  readonly items: number
  readonly bytes: number
}

/** Everything but `count` and `deleteMatching` is synchronous and belongs inside `read` or `write` of the connection. */
export interface Collection {
  /** The number of the collection; undefined while nothing was ever written. */
  id(): number | undefined
  /** Writes an item in place of the one with its key. Returns its number, which no other write gets. Only inside `write`. */
  put(item: NewItem): number
  get(key: string): unknown
  /** Whether there was one. */
  remove(key: string): boolean
  /** The next items in order, those that do not match too, so that the caller can go on after the last one. */
  scan(scan: Scan): readonly ScanRow[]
  count(where: readonly string[]): Promise<number>
  deleteMatching(where: readonly string[]): Promise<number>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Node 22 binds bytes without memory of their own as NULL, so no bytes are a part of one. */
const noBytes = new Uint8Array(1).subarray(0, 0)
const toBindable = (bytes: Uint8Array): Uint8Array => (bytes.length === 0 ? noBytes : bytes)
/** Keys are kept as bytes: their order is the same on every host, and none is cut at a zero character. */
export const toBytes = (text: string): Uint8Array => toBindable(encoder.encode(text))
export const fromBytes = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Fields as they were written. */
export const readFields = (text: string): StoreFields => JSON.parse(text) as StoreFields

export function createCollection(
  shape: StoreShape,
  name: string,
  { connection, clock, maxEntries, maxBytes }: CollectionHost,
): Collection {
  const { sql, read, write } = connection
  const nameBytes = toBytes(name)
  /** It is not remembered: the transaction that made it may be undone. */
  const id = (): number | undefined =>
    (sql("SELECT id FROM collections WHERE shape = ? AND name = ?").get(shape, nameBytes) as { id: number } | undefined)
      ?.id
  const idForWriting = (): number => {
    const present = id()
    if (present !== undefined) return present
    return Number(sql("INSERT INTO collections (shape, name) VALUES (?, ?)").run(shape, nameBytes).lastInsertRowid)
  }
  const cleanUp = (collection: number, newest: number): void => {
    sql(
      `DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE expires IS NOT NULL AND expires <= ? LIMIT ${sweptPerWrite})`,
    ).run(clock())
    if (maxEntries === undefined && maxBytes === undefined) return
    const held = sql("SELECT items, bytes FROM collections WHERE id = ?").get(collection) as Held
    let items = held.items - (maxEntries ?? Infinity)
    let bytes = held.bytes - (maxBytes ?? Infinity)
    if (items <= 0 && bytes <= 0) return
    const oldest = sql(
      `SELECT seq, octet_length(value) AS size FROM items WHERE collection = ? AND seq < ? ORDER BY seq LIMIT ${evictedPerWrite}`,
    ).all(collection, newest) as { readonly seq: number; readonly size: number }[]
    for (const { seq, size } of oldest) {
      if (items <= 0 && bytes <= 0) return
      sql("DELETE FROM items WHERE seq = ?").run(seq)
      items -= 1
      bytes -= size
    }
  }
  const scan = ({ tags, order, after, limit }: Scan): readonly ScanRow[] => {
    const collection = id()
    if (collection === undefined) return []
    const [sign, direction] = order === "oldest" ? [">", "ASC"] : ["<", "DESC"]
    const [first, ...others] = tags
    const [table, seq] = first === undefined ? ["items", "seq"] : ["tags", "item AS seq"]
    const conditions = [
      "collection = ?",
      first === undefined ? "position IS NOT NULL" : "tag = ?",
      ...(after === undefined ? [] : [`(position, key) ${sign} (?, ?)`]),
    ]
    const values: SqlValue[] = [
      clock(),
      ...others,
      collection,
      ...(first === undefined ? [] : [first]),
      ...(after === undefined ? [] : [after.position, toBindable(after.key)]),
      limit,
    ]
    const expiry = first === undefined ? "expires" : "(SELECT expires FROM items WHERE items.seq = page.seq)"
    return sql(
      `SELECT seq, position, key,
        coalesce(${expiry}, 1e999) > ?${others.map(() => " AND EXISTS (SELECT 1 FROM tags WHERE item = page.seq AND tag = ?)").join("")} AS matches
      FROM (SELECT ${seq}, position, key${first === undefined ? ", expires" : ""} FROM ${table} WHERE ${conditions.join(" AND ")}
        ORDER BY position ${direction}, key ${direction} LIMIT ?) AS page`,
    ).all(...values) as ScanRow[]
  }
  /** Every matching item, a few at a time. Resolves with how many there were; `take` may run again for the same ones. */
  const eachMatching = async (
    tags: readonly string[],
    perLook: number,
    take: (rows: readonly ScanRow[]) => void,
    run: typeof read,
  ): Promise<number> => {
    const turns = startTurns()
    let count = 0
    for (let after: ScanRow | undefined; ;) {
      const [rows, matching] = await run(() => {
        const found = scan({ tags, order: "oldest", after, limit: perLook })
        const taken = found.filter(({ matches }) => matches === 1)
        take(taken)
        return [found, taken.length] as const
      })
      count += matching
      after = rows.at(-1)
      if (rows.length < perLook) return count
      if (turns.over()) await turns.next()
    }
  }
  return {
    id,
    put({ key, value, expires, position, vector, fields, tags = [] }) {
      const collection = idForWriting()
      const bytes = toBytes(key)
      sql("DELETE FROM items WHERE collection = ? AND key = ?").run(collection, bytes)
      const seq = Number(
        sql(
          "INSERT INTO items (collection, key, expires, position, vector, fields, value) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ).run(collection, bytes, expires, position ?? null, vector ?? null, fields ?? null, value).lastInsertRowid,
      )
      for (const tag of tags)
        sql("INSERT INTO tags (item, tag, collection, position, key) VALUES (?, ?, ?, ?, ?)").run(
          seq,
          tag,
          collection,
          position ?? 0,
          bytes,
        )
      cleanUp(collection, seq)
      return seq
    },
    get: (key) =>
      sql(
        "SELECT seq, expires, position, vector, fields, value FROM items WHERE collection = ? AND key = ? AND (expires IS NULL OR expires > ?)",
      ).get(id() ?? -1, toBytes(key), clock()),
    remove(key) {
      const row = sql("DELETE FROM items WHERE collection = ? AND key = ? RETURNING expires").get(
        id() ?? -1,
        toBytes(key),
      ) as { readonly expires: number | null } | undefined
      return row !== undefined && (row.expires === null || row.expires > clock())
    },
    scan,
    count: (where) => eachMatching(where, scannedPerLook, () => {}, read),
    deleteMatching(where) {
      const deleteAll = (rows: readonly ScanRow[]): void => {
        for (const { seq } of rows) sql("DELETE FROM items WHERE seq = ?").run(seq)
      }
      return eachMatching(where, deletedPerWrite, deleteAll, write)
    },
  }
}
