// `global.services.response_api.redis`: the keys of the v0.3 format as options of the store.

import { isRtrError, type Report, section, type Static, Type } from "../../../../kernel/index.ts"
import { readAddress } from "../../redis/address.ts"

const seconds = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 600, description }))

export const redisSection = section({
  url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "`redis://host:6379/0`, `rediss://` for TLS, or `unix:///path?db=0`; in place of the next three keys",
    }),
  ),
  address: Type.Optional(Type.String({ minLength: 1, description: "`host:port`; `localhost:6379` when left out" })),
  db: Type.Optional(Type.Integer({ minimum: 0, description: "Number of the database; 0 when left out" })),
  tls_enabled: Type.Optional(Type.Boolean({ description: "Whether the connection is encrypted; false when left out" })),
  username: Type.Optional(Type.String({ description: "In place of the one in `url`" })),
  password: Type.Optional(Type.String({ description: "In place of the one in `url`; best a `${VARIABLE}`" })),
  key_prefix: Type.Optional(Type.String({ description: "What every key begins with; `rtr:` when left out" })),
  dial_timeout: seconds("Seconds that a new connection may take; 5 when left out"),
  read_timeout: seconds("Seconds that the server may take for an answer; 3 when left out"),
})

type RedisSection = Static<typeof redisSection>

/** Reports an address that is said twice, or that is none. */
export function checkRedis(given: RedisSection, report: Report): void {
  const { url, address, db, tls_enabled: tls } = given
  const twice = Object.entries({ address, db, tls_enabled: tls }).find(([, value]) => value !== undefined)
  if (url !== undefined && twice !== undefined)
    return report([twice[0]], 'stands beside "url"; say it in the url alone')
  // What is no host and port would end in the rest of a URL.
  if (address !== undefined && !/^[^\s/?#@]+$/.test(address))
    return report(["address"], 'must be host:port; a URL stands in "url"')
  try {
    readAddress({ url: urlOf(given) })
  } catch (error) {
    if (!isRtrError(error)) throw error
    report([url === undefined ? "address" : "url"], error.message)
  }
}

/** Options of the store `redis`, from a section without a problem. */
export function redisStore(given: RedisSection): Readonly<Record<string, unknown>> {
  const { username = "", password = "", key_prefix: prefix } = given
  const { dial_timeout: dial, read_timeout: read } = given
  return {
    url: urlOf(given),
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(prefix !== undefined && { prefix }),
    ...(dial !== undefined && { connect_timeout_ms: dial * 1000 }),
    ...(read !== undefined && { command_timeout_ms: read * 1000 }),
  }
}

const urlOf = ({ url, address = "localhost:6379", db = 0, tls_enabled: tls }: RedisSection): string =>
  url ?? `${tls === true ? "rediss" : "redis"}://${address}/${db}`
