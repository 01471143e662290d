// One connection to an SQLite file: prepared statements, transactions, patience with other processes, and errors that say what to do.

import { isRtrError, RtrError } from "../../../kernel/index.ts"
import { closedError } from "../stores/input.ts"

export type SqlValue = null | number | string | Uint8Array

/** What is used of `DatabaseSync`, so that only the module names the driver. */
export interface SqlDatabase {
  exec(sql: string): void
  prepare(sql: string): SqlStatement
  close(): void
}

export interface SqlStatement {
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

export interface Connection {
  /** The statement, prepared once. */
  sql(text: string): SqlStatement
  /** Runs synchronous work outside a transaction. */
  read<Result>(work: () => Result): Promise<Result>
  /** Runs synchronous work in one transaction, which is undone when it throws; then it may run once more. Writes of one process keep their order. */
  write<Result>(work: () => Result): Promise<Result>
  /** Throws `unavailable` after `close`. */
  checkOpen(): void
  close(): void
}

/** Milliseconds that SQLite itself waits for another process. The event loop waits with it, so it is short and the rest is retries. */
export const busyTimeoutMs = 5
const retryEveryMs = 5
/** Milliseconds after which another process has held the file for too long. */
const patienceMs = 3000

export function createConnection(database: SqlDatabase, path: string): Connection {
  const statements = new Map<string, SqlStatement>()
  let open = true
  /** The write that waits for another process. Those that come after it wait for it. */
  const waiting = new Set<Promise<unknown>>()
  const checkOpen = (): void => {
    if (!open) throw closedError()
  }
  const sql = (text: string): SqlStatement => {
    let statement = statements.get(text)
    if (statement === undefined) statements.set(text, (statement = database.prepare(text)))
    return statement
  }
  const transaction = <Result>(work: () => Result): Result => {
    sql("BEGIN IMMEDIATE").run()
    try {
      const result = work()
      sql("COMMIT").run()
      return result
    } catch (error) {
      try {
        sql("ROLLBACK").run()
      } catch {
        // A full disk has undone the transaction already.
      }
      throw error
    }
  }
  const attempt = <Result>(work: () => Result): Result => {
    checkOpen()
    return work()
  }
  /**
   * Every write first takes room in the write-ahead log, also one that deletes. On a full disk a checkpoint moves the log into
   * the file, and the write uses the log's room again.
   */
  const writeWithCheckpoint = <Result>(work: () => Result): Result => {
    try {
      return transaction(work)
    } catch (error) {
      if (!isFull(error)) throw error
      sql("PRAGMA wal_checkpoint(PASSIVE)").get()
      return transaction(work)
    }
  }
  return {
    sql,
    checkOpen,
    async read(work) {
      try {
        return attempt(work)
      } catch (error) {
        if (!isBusy(error)) throw toStoreError(error, path)
        return untilFree(() => attempt(work), path)
      }
    },
    async write(work) {
      while (waiting.size > 0) await Promise.allSettled(waiting)
      try {
        return attempt(() => writeWithCheckpoint(work))
      } catch (error) {
        if (!isBusy(error)) throw toStoreError(error, path)
        const retried = untilFree(() => attempt(() => writeWithCheckpoint(work)), path)
        waiting.add(retried)
        try {
          return await retried
        } finally {
          waiting.delete(retried)
        }
      }
    },
    close() {
      if (!open) return
      open = false
      statements.clear()
      database.close()
    },
  }
}

/** Tries again until no other process holds the file, without holding the event loop. */
export async function untilFree<Result>(work: () => Result, path: string): Promise<Result> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw toStoreError(error, path)
    }
    await new Promise((resolve) => setTimeout(resolve, retryEveryMs))
  }
}

const fullDisk = /is full|I\/O error/

/** What SQLite says, and what to do about it. Deno gives no error numbers, so both hosts are read by the message. */
const remedies: readonly (readonly [says: RegExp, remedy: string])[] = [
  [/is locked/, "another process has held the file for 3 seconds; end it, or give each process a file of its own"],
  [
    /not a database|malformed/,
    "the file is damaged or belongs to another program; move it away to start empty, or restore a copy",
  ],
  [/unable to open/, "the folder must exist, and this user must be able to write to it"],
  [/readonly/, "this user must be able to write to the file and its folder"],
  [fullDisk, "the disk is full or fails; what was written before is kept"],
]

/** Any error as an `RtrError`; those of SQLite become `unavailable` with the path and what to do. */
export function toStoreError(error: unknown, path: string): RtrError {
  if (isRtrError(error)) return error
  const says = error instanceof Error ? error.message : String(error)
  const remedy = remedies.find(([pattern]) => pattern.test(says))?.[1]
  return new RtrError(
    "unavailable",
    `Cannot use the store ${path}: ${says}${remedy === undefined ? "" : `; ${remedy}`}`,
    {
      cause: error,
    },
  )
}

const isBusy = (error: unknown): boolean => saysOf(error, /is locked/)

const isFull = (error: unknown): boolean => saysOf(error, fullDisk)

/** Whether SQLite says so. */
const saysOf = (error: unknown, pattern: RegExp): boolean =>
  error instanceof Error && !isRtrError(error) && pattern.test(error.message)
