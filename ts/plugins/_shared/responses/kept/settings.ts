// `global.services.response_api`: whether the router keeps responses, where, and how many.

import { literals, type Report, type RouteHost, section, type Static, Type } from "../../../../kernel/index.ts"
import { checkRedis, redisSection, redisStore } from "./redis-section.ts"

const settingsSchema = section({
  enabled: Type.Optional(Type.Boolean({ description: "Whether responses are kept; true when left out" })),
  store_backend: Type.Optional(
    literals(["sqlite", "memory", "redis"], {
      description:
        "Where they are kept; `sqlite` when left out. `memory` forgets them when the process ends; `redis` is a server of Redis or Valkey for several routers",
    }),
  ),
  sqlite: Type.Optional(
    section({
      path: Type.String({
        minLength: 1,
        description: "The file; `responses.db` in the working directory when left out. Its folder must exist",
      }),
    }),
  ),
  redis: Type.Optional(redisSection),
  ttl_seconds: Type.Optional(
    Type.Integer({ minimum: 1, description: "How long a response is kept; 86400, a day, when left out" }),
  ),
  max_responses: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "How many are kept; 1000 when left out. One more evicts the one written longest ago. A large one counts once more for each 128 KiB",
    }),
  ),
  max_response_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Size of the largest that is kept; 4 MiB when left out, or less where all together have less",
    }),
  ),
  max_total_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Size of all that are kept; 1 GiB when left out, 128 MiB in memory. Those written longest ago are evicted",
    }),
  ),
})

export interface KeepingSettings {
  readonly store: { readonly type: string; readonly configuration: Readonly<Record<string, unknown>> }
  readonly ttlMs: number
  readonly maxBytes: number
}

const mebibyte = 2 ** 20

/** Reports what contradicts itself or would have no effect. */
export function checkSettings(settings: unknown, report: Report): void {
  const given = settings as Static<typeof settingsSchema>
  if (given.enabled === false) return
  const { type, maxTotal, maxBytes } = limitsOf(given)
  for (const other of ["sqlite", "redis"] as const)
    if (other !== type && other in given)
      report([other], `has no effect, because "store_backend" is "${type}"; leave out one of them`)
  if (maxBytes > maxTotal)
    report(
      ["max_response_bytes"],
      `is ${maxBytes}, but all together may have the ${maxTotal} of "max_total_bytes"; lower one or raise the other`,
    )
  if (type === "redis") checkRedis(given.redis ?? {}, (path, message) => report(["redis", ...path], message))
}

/** The section of the routes that keep responses. */
export const settingsSection = {
  path: ["services", "response_api"],
  schema: settingsSchema,
  check: checkSettings,
} as const

function limitsOf({
  store_backend: type = "sqlite",
  max_total_bytes: maxTotal = (type === "memory" ? 128 : 1024) * mebibyte,
  max_response_bytes: maxBytes = Math.min(4 * mebibyte, maxTotal),
}: Static<typeof settingsSchema>) {
  return { type, maxTotal, maxBytes }
}

/** What a checked section says; undefined where nothing is kept. */
export function readSettings(settings: RouteHost["settings"]): KeepingSettings | undefined {
  const given = settings as Static<typeof settingsSchema>
  const { enabled = true, sqlite: { path } = { path: "responses.db" }, redis = {} } = given
  const { ttl_seconds: ttlSeconds = 86_400, max_responses: maxEntries = 1000 } = given
  const { type, maxTotal, maxBytes } = limitsOf(given)
  if (!enabled) return undefined
  return {
    store: {
      type,
      configuration: {
        ...(type === "sqlite" && { path }),
        ...(type === "redis" && redisStore(redis)),
        max_entries: maxEntries,
        max_bytes: maxTotal,
      },
    },
    ttlMs: ttlSeconds * 1000,
    maxBytes,
  }
}
