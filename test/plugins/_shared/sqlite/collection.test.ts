import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import type { CollectionHost } from "../../../../ts/plugins/_shared/sqlite/collection.ts"
import {
  createConnection,
  type SqlDatabase,
  type SqlStatement,
  type SqlValue,
} from "../../../../ts/plugins/_shared/sqlite/connection.ts"
import { createSqliteKeyValues } from "../../../../ts/plugins/_shared/sqlite/key-values.ts"
import { createSqliteRecords } from "../../../../ts/plugins/_shared/sqlite/records.ts"
import { prepareSchema } from "../../../../ts/plugins/_shared/sqlite/schema.ts"

/** Binds as the driver of Node 22 does: bytes of a buffer without memory are NULL, what is read back too. */
function openLikeNode22(): SqlDatabase {
  const database = new DatabaseSync(":memory:")
  const bound = (value: SqlValue): SqlValue =>
    value instanceof Uint8Array && value.buffer.byteLength === 0 ? null : value
  const wrap = (statement: SqlStatement): SqlStatement => ({
    run: (...values) => statement.run(...values.map(bound)),
    get: (...values) => statement.get(...values.map(bound)),
    all: (...values) => statement.all(...values.map(bound)),
  })
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wrap(database.prepare(sql) as unknown as SqlStatement),
    close: () => database.close(),
  }
}

function openHost(): CollectionHost {
  const database = openLikeNode22()
  prepareSchema(database, ":memory:")
  return {
    connection: createConnection(database, ":memory:"),
    clock: Date.now,
    maxEntries: undefined,
    maxBytes: undefined,
  }
}

test("empty names, keys and prefixes are kept where the driver takes bytes without memory for NULL", async () => {
  const values = createSqliteKeyValues("", openHost())
  await values.set("a", "1")
  await values.set("", "2")
  expect(await values.keys()).toEqual(["", "a"])
  expect(await values.keys({ after: "" })).toEqual(["a"])
  expect((await values.get(""))?.value).toBe("2")
  expect(await values.delete("")).toBe(true)
  expect(await values.keys()).toEqual(["a"])
})

test("what comes after a record with an empty id is read there too", async () => {
  const records = createSqliteRecords("r", openHost())
  // 501 records are more than one look; the one with the empty id is the last of the first look.
  for (let place = 0; place < 500; place++)
    await records.put({ id: place === 499 ? "" : `r${place}`, createdAt: place, fields: {}, value: place })
  await records.put({ id: "last", createdAt: 500, fields: {}, value: 500 })
  expect(await records.count()).toBe(501)
})
