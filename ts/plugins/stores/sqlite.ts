// Keeps everything in one SQLite file, which several processes may share.

import { defineStore, type OpenStore, Type } from "../../kernel/index.ts"
import {
  busyTimeoutMs,
  type Connection,
  createConnection,
  type SqlDatabase,
  toStoreError,
  untilFree,
} from "../_shared/sqlite/connection.ts"
import { createSqliteKeyValues } from "../_shared/sqlite/key-values.ts"
import { createSqliteRecords } from "../_shared/sqlite/records.ts"
import { prepareSchema } from "../_shared/sqlite/schema.ts"
import { createSqliteVectors } from "../_shared/sqlite/vectors.ts"
import { checkDimensions, checkText } from "../_shared/stores/input.ts"

const driver: string = "node:sqlite"
const fileSystem: string = "node:fs/promises"
/** Bytes of vectors that one process keeps in memory; a search reads the others from the file. */
const vectorBytes = 512 * 1024 * 1024

export default defineStore({
  about: "Keeps data in one SQLite file, also for several processes of one machine",
  runtimes: ["node", "deno"],
  shapes: ["kv", "records", "vectors"],
  options: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        description: "The file, made when it is not there; its folder must exist. `:memory:` keeps nothing",
      }),
      max_entries: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "Entries that each name may have in each shape, no limit when left out. One more evicts the one written longest ago",
        }),
      ),
      max_bytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "Bytes of values that each name may have in each shape, no limit when left out. Those written longest ago are evicted",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  async setup({ path, max_entries: maxEntries, max_bytes: maxBytes }, { clock }): Promise<OpenStore> {
    const connection = await openFile(path)
    const host = { connection, clock, maxEntries, maxBytes }
    const opened = new Map<string, unknown>()
    const budget = { bytes: vectorBytes }
    const byName = <Shape>(shape: string, name: string, open: () => Shape): Shape => {
      const key = `${shape}:${checkText("name", name)}`
      if (!opened.has(key)) opened.set(key, open())
      return opened.get(key) as Shape
    }
    return {
      kv: (name) => byName("kv", name, () => createSqliteKeyValues(name, host)),
      records: (name) => byName("records", name, () => createSqliteRecords(name, host)),
      vectors: (name, { dimensions }) =>
        byName(`vectors ${checkDimensions(dimensions)}`, name, () =>
          createSqliteVectors(name, dimensions, { ...host, budget }),
        ),
      async health() {
        try {
          await connection.read(() => connection.sql("SELECT count(*) FROM collections").get())
          return undefined
        } catch (error) {
          return toStoreError(error, path).message
        }
      },
      async close() {
        opened.clear()
        connection.close()
      },
    }
  },
})

async function openFile(path: string): Promise<Connection> {
  let database: SqlDatabase | undefined
  try {
    // Loaded here and by a variable, so that hosts without it can load this file and their bundlers do not look for it.
    const { DatabaseSync } = (await import(driver)) as { readonly DatabaseSync: new (path: string) => SqlDatabase }
    await makeOwnFile(path)
    const opened = new DatabaseSync(path)
    database = opened
    opened.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    await untilFree(() => prepareSchema(opened, path), path)
    return createConnection(opened, path)
  } catch (error) {
    database?.close()
    throw toStoreError(error, path)
  }
}

interface FileSystem {
  writeFile(path: string, text: string, options: { readonly flag: string; readonly mode: number }): Promise<void>
}

/**
 * Values are prompts and answers, so a new file is for its owner alone. SQLite gives the files beside it the same mode, and makes a
 * database of an empty file. What else stands in the way of the file is for SQLite to tell.
 */
async function makeOwnFile(path: string): Promise<void> {
  if (/^(:memory:|file:)/.test(path)) return
  const { writeFile } = (await import(fileSystem)) as FileSystem
  await writeFile(path, "", { flag: "wx", mode: 0o600 }).catch(() => undefined)
}
