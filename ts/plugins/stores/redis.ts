// Keeps everything on a server of Redis or Valkey, which several routers share.

import { defineStore, isRtrError, type OpenStore, Type } from "../../kernel/index.ts"
import { readAddress } from "../_shared/redis/address.ts"
import { type CreateClient, openConnection } from "../_shared/redis/connection.ts"
import { toRedisError } from "../_shared/redis/errors.ts"
import { createRedisKeyValues } from "../_shared/redis/key-values.ts"
import { createRedisRecords } from "../_shared/redis/records.ts"
import { checkText } from "../_shared/stores/input.ts"

const driver: string = "@redis/client"
const limit = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${what} that each name may have in each shape, no limit when left out. Those written longest ago are evicted`,
    }),
  )
const timeout = (what: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000, description: what }))

export default defineStore({
  about: "Keeps data on a server of Redis or Valkey, also for several routers",
  runtimes: ["node", "deno"],
  shapes: ["kv", "records"],
  options: Type.Object(
    {
      url: Type.String({
        minLength: 1,
        description:
          "`redis://host:6379`, `rediss://` for TLS, or `unix:///path` of a socket file; with `/1` behind the host, or `?db=1` behind the path, for another database than 0",
      }),
      username: Type.Optional(Type.String({ minLength: 1, description: "In place of the one in `url`" })),
      password: Type.Optional(
        Type.String({ minLength: 1, description: "In place of the one in `url`; best a `${VARIABLE}`" }),
      ),
      prefix: Type.Optional(
        Type.String({
          description: "What every key begins with, `rtr:` when left out, so that others may use the server too",
        }),
      ),
      connect_timeout_ms: timeout("How long a new connection may take, 5000 when left out"),
      command_timeout_ms: timeout(
        "How long the server may take for an answer, 3000 when left out. The connection is then made anew",
      ),
      max_entries: limit("Entries"),
      max_bytes: limit("Bytes of values"),
    },
    { additionalProperties: false },
  ),
  check(options, report) {
    try {
      readAddress(options)
    } catch (error) {
      if (isRtrError(error)) report(["url"], error.message)
      else throw error
    }
  },
  async setup(options, { clock }): Promise<OpenStore> {
    const { prefix = "rtr:", connect_timeout_ms: connectTimeoutMs = 5000 } = options
    const { command_timeout_ms: commandTimeoutMs = 3000, max_entries: maxEntries, max_bytes: maxBytes } = options
    const address = readAddress(options)
    checkText("prefix", prefix)
    // Loaded here and by a variable, so that hosts without it can load this file and their bundlers do not look for it.
    const { createClient } = (await import(driver)) as { readonly createClient: CreateClient }
    const connection = await openConnection({ createClient, address, connectTimeoutMs, commandTimeoutMs, clock }).catch(
      (error: unknown) => {
        throw toRedisError(error, address.shown)
      },
    )
    const host = { connection, prefix, maxEntries, maxBytes }
    return {
      kv: (name) => createRedisKeyValues(checkText("name", name), host),
      records: (name) => createRedisRecords(checkText("name", name), host),
      async health() {
        try {
          await connection.send(["PING"])
          return undefined
        } catch (error) {
          return toRedisError(error, address.shown).message
        }
      },
      async close() {
        connection.close()
      },
    }
  },
})
