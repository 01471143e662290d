// `global.services.response_api.redis`: the keys of the v0.3 format as options of the store.

import { RtrError, section, type Static, Type } from "../../../../kernel/index.ts"

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

/** Options of the store `redis`. Throws `invalid_config` for an address that is said twice, or that is none. */
export function redisStore(given: Static<typeof redisSection>): Readonly<Record<string, unknown>> {
  const { url, address, db, tls_enabled: tls, username = "", password = "", key_prefix: prefix } = given
  const { dial_timeout: dial, read_timeout: read } = given
  const twice = Object.entries({ address, db, tls_enabled: tls }).find(([, value]) => value !== undefined)
  if (url !== undefined && twice !== undefined)
    throw new RtrError(
      "invalid_config",
      `Cannot keep responses: global.services.response_api.redis has "url" and "${twice[0]}"; say it in the url alone`,
    )
  // What is no host and port would end in the rest of a URL.
  if (address !== undefined && !/^[^\s/?#@]+$/.test(address))
    throw new RtrError(
      "invalid_config",
      'Cannot keep responses: "address" in global.services.response_api.redis must be host:port; a URL stands in "url"',
    )
  return {
    url: url ?? `${tls === true ? "rediss" : "redis"}://${address ?? "localhost:6379"}/${db ?? 0}`,
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(prefix !== undefined && { prefix }),
    ...(dial !== undefined && { connect_timeout_ms: dial * 1000 }),
    ...(read !== undefined && { command_timeout_ms: read * 1000 }),
  }
}
