// Where a server is and who asks: `redis://`, `rediss://` for TLS, or `unix://` for a socket file.

import { RtrError } from "../../../kernel/index.ts"

export interface RedisOptions {
  readonly url: string
  readonly username?: string
  readonly password?: string
}

export interface RedisAddress {
  /** The address without credentials, for messages. */
  readonly shown: string
  readonly socket: { readonly path: string } | { readonly host: string; readonly port: number; readonly tls: boolean }
  readonly database: number
  readonly username?: string
  readonly password?: string
}

/** Throws `invalid_config`. The message never quotes the address, which may hold a password. */
export function readAddress({ url: text, username, password }: RedisOptions): RedisAddress {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw badAddress("it is no URL")
  }
  const { protocol, pathname } = url
  if (!["redis:", "rediss:", "unix:"].includes(protocol)) throw badAddress("it begins with something else")
  if (url.hash !== "") throw badAddress("it has a #; write %23 for one that is a part of the password")
  const isSocket = protocol === "unix:"
  if (isSocket && (url.hostname !== "" || pathname === "/"))
    throw badAddress("a socket file needs its whole path, as in unix:///run/valkey.sock")
  if (!isSocket && url.hostname === "") throw badAddress("it names no host")
  const unknown = [...url.searchParams.keys()].find((key) => !(isSocket && key === "db"))
  if (unknown !== undefined) throw badAddress("only unix:// takes a parameter, which is db")
  const database = isSocket ? (url.searchParams.get("db") ?? "") : pathname.slice(1)
  if (!/^\d{0,9}$/.test(database)) throw badAddress("the number of its database is none")
  const { host, port, tls, path } = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || 6379),
    tls: protocol === "rediss:",
    path: decoded(pathname),
  }
  const user = username ?? decoded(url.username)
  const word = password ?? decoded(url.password)
  return {
    shown: isSocket ? path : `${url.hostname}:${port}`,
    socket: isSocket ? { path } : { host, port, tls },
    database: Number(database),
    ...(user !== "" && { username: user }),
    ...(word !== "" && { password: word }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badAddress("it has a % that begins no escaped sign; write %25 for one")
  }
}

const badAddress = (why: string): RtrError =>
  new RtrError(
    "invalid_config",
    `Cannot read the address of the Redis server: ${why}; write redis://host:6379, rediss://host:6379 for TLS, or unix:///path`,
  )
