// The entries of one shape and name: where their keys are, what every write says, and what is too large.

import type { StoreShape, WriteOptions } from "../../../kernel/index.ts"
import { checkText, expiryOf, invalidInput } from "../stores/input.ts"
import type { RedisConnection } from "./connection.ts"
import type { ScriptName } from "./scripts.ts"

export interface CollectionHost {
  readonly connection: RedisConnection
  readonly prefix: string
  readonly maxEntries: number | undefined
  readonly maxBytes: number | undefined
}

export interface Collection {
  /** Fields of the entry; undefined when there is none or it is past its end. */
  read(id: string, ...fields: readonly string[]): Promise<readonly (string | null)[] | undefined>
  /** Runs a script that writes `json` under `id`. */
  write(script: ScriptName, entry: NewEntry, ...more: readonly string[]): Promise<unknown>
  run(script: ScriptName, ...values: readonly string[]): Promise<unknown>
  /** Runs a script again until it has swept what is past its end. Returns the reply without its first word. */
  runSwept(script: ScriptName, ...values: readonly string[]): Promise<readonly unknown[]>
}

export interface NewEntry {
  readonly id: string
  readonly json: string
  readonly options: WriteOptions | undefined
}

/** The server holds up everybody else while it takes or gives one value. */
export const maxValueBytes = 16 * 2 ** 20
/** The server ends an entry so much later than the store, so that nobody sees one half ended. */
const graceMs = 1000
const longestTtlMs = 2 ** 52

const encoder = new TextEncoder()

export function createCollection(shape: StoreShape, name: string, host: CollectionHost): Collection {
  const { connection, prefix, maxEntries = -1, maxBytes = -1 } = host
  // The braces put all keys of a name on one node where the server has several.
  const base = `${prefix}{${shape}:${encodeURIComponent(name)}}`
  const now = (): string => String(connection.now())
  const run: Collection["run"] = async (script, ...values) => connection.run(script, base, [now(), ...values])
  return {
    run,
    async runSwept(script, ...values) {
      for (;;) {
        const [word, ...rest] = (await run(script, ...values)) as readonly unknown[]
        if (word !== "more") return [word, ...rest]
      }
    },
    async read(id, ...fields) {
      const reply = await connection.send(["HMGET", `${base}e:${checkText("id", id)}`, "version", "over", ...fields])
      const [version, over, ...values] = reply as readonly (string | null)[]
      if (typeof version !== "string" || (typeof over === "string" && Number(over) <= connection.now()))
        return undefined
      return [version, ...values]
    },
    async write(script, { id, json, options }, ...more) {
      checkText("id", id)
      checkSize(json)
      const time = connection.now()
      const over = expiryOf(options, time)
      const ttl = Math.min(Math.ceil(options?.ttlMs ?? 0) + graceMs, longestTtlMs)
      const entry = [id, json, String(over ?? ""), String(ttl), String(maxEntries), String(maxBytes)]
      return connection.run(script, base, [String(time), ...entry, ...more])
    },
  }
}

function checkSize(json: string): void {
  if (json.length * 3 <= maxValueBytes) return
  const bytes = encoder.encode(json).length
  if (bytes > maxValueBytes)
    throw invalidInput(`A value of ${bytes} bytes is too large for Redis; one may have ${maxValueBytes}`)
}
