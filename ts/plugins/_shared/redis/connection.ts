// The connection to a server: commands with a time-out, scripts, and a new connection whenever one is lost.

import type { RtrError } from "../../../kernel/index.ts"
import { closedError } from "../stores/input.ts"
import type { RedisAddress } from "./address.ts"
import { serverWord, toRedisError, unavailable } from "./errors.ts"
import { type ScriptName, scripts } from "./scripts.ts"

/** What is used of the client library, so that only the module names it. */
export interface RedisClient {
  on(event: "error", listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  sendCommand(command: readonly string[]): Promise<unknown>
  destroy(): void
}
export type CreateClient = (options: object) => RedisClient

export interface ConnectionOptions {
  readonly createClient: CreateClient
  readonly address: RedisAddress
  readonly connectTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly clock: () => number
}

export interface RedisConnection {
  /** Milliseconds since 1970 by the server's clock, so that all who share the server agree. */
  now(): number
  /** Rejects with `unavailable` at once while there is no connection, and when the time is over. */
  send(command: readonly string[]): Promise<unknown>
  run(script: ScriptName, base: string, values: readonly string[]): Promise<unknown>
  /** Throws `unavailable` after `close`. */
  checkOpen(): void
  close(): void
}

/** One connection of the library, which never comes back once it is lost. */
interface Session {
  readonly client: RedisClient
  /** What the server's clock is ahead of ours. */
  readonly aheadMs: number
  readonly hashes: ReadonlyMap<ScriptName, string>
  readonly waiting: Set<Waiting>
}

interface Waiting {
  readonly since: number
  readonly reject: (error: RtrError) => void
}

/** Commands that wait for an answer; more are refused. */
const maxWaiting = 10_000
const firstRetryMs = 50
const longestRetryMs = 1000
const secondLookMs = 100

/** Rejects with `unavailable` when there is no connection in time. */
export async function openConnection(options: ConnectionOptions): Promise<RedisConnection> {
  const { address, commandTimeoutMs, clock } = options
  const { shown } = address
  let session: Session | undefined
  let closed = false
  let why = unavailable(shown, "the connection ended")
  let retry: ReturnType<typeof setTimeout> | undefined
  let watch: ReturnType<typeof setTimeout> | undefined
  /** A command over its time that is looked at once more. */
  let late: Waiting | undefined

  const checkOpen = (): void => {
    if (closed) throw closedError()
  }
  const lose = (lost: Session, error: RtrError): void => {
    if (session !== lost) return
    session = undefined
    why = error
    end(lost.client)
    for (const { reject } of lost.waiting) reject(error)
    if (!closed) retryIn(firstRetryMs)
  }
  const connect = async (): Promise<void> => {
    let opened: Session | undefined
    opened = await openSession(options, (error) => {
      if (opened !== undefined) lose(opened, toRedisError(error, shown))
    })
    if (closed) end(opened.client)
    else session = opened
  }
  const retryIn = (ms: number): void => {
    retry = setTimeout(() => {
      connect().catch((error: unknown) => {
        why = toRedisError(error, shown)
        if (!closed) retryIn(Math.min(2 * ms, longestRetryMs))
      })
    }, ms)
  }
  /** One timer looks after every command: they are answered in order, so the first that waits has waited longest. */
  const watchOver = (watched: Session): void => {
    if (watch !== undefined) return
    const [oldest] = watched.waiting
    if (oldest === undefined || session !== watched) return
    watch = setTimeout(
      () => {
        watch = undefined
        const [first] = session?.waiting ?? []
        if (session === undefined || first === undefined) return
        // Where it was this process that stood still, the answer has come and is read before the second look.
        if (late === first) lose(session, unavailable(shown, `it does not answer within ${commandTimeoutMs} ms`))
        else {
          if (performance.now() - first.since >= commandTimeoutMs) late = first
          watchOver(session)
        }
      },
      Math.max(secondLookMs, oldest.since + commandTimeoutMs - performance.now()),
    )
  }
  const sendTo = (current: Session, command: readonly string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = { since: performance.now(), reject }
      current.waiting.add(waiting)
      watchOver(current)
      const settle = (act: () => void): void => {
        current.waiting.delete(waiting)
        act()
      }
      current.client.sendCommand(command).then(
        (reply) => settle(() => resolve(reply)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  const currentSession = (): Session => {
    checkOpen()
    if (session === undefined) throw why
    if (session.waiting.size >= maxWaiting) throw unavailable(shown, `${maxWaiting} commands wait for its answer`)
    return session
  }
  const checked = async (current: Session, work: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await work()
    } catch (error) {
      checkOpen()
      // The address may stand for another server by now.
      if (serverWord(error) === "READONLY") lose(current, toRedisError(error, shown))
      throw toRedisError(error, shown)
    }
  }

  await connect()
  return {
    now: () => clock() + currentSession().aheadMs,
    checkOpen,
    async send(command) {
      const current = currentSession()
      return checked(current, () => sendTo(current, command))
    },
    async run(name, base, values) {
      const current = currentSession()
      return checked(current, async () => {
        try {
          return await sendTo(current, ["EVALSHA", current.hashes.get(name) ?? "", "1", base, ...values])
        } catch (error) {
          // Somebody has made the server forget its scripts.
          if (serverWord(error) !== "NOSCRIPT") throw error
          return sendTo(current, ["EVAL", scripts[name], "1", base, ...values])
        }
      })
    },
    close() {
      if (closed) return
      closed = true
      clearTimeout(retry)
      clearTimeout(watch)
      if (session !== undefined) lose(session, closedError())
    },
  }
}

/** A connection that is ready: its user is known, its scripts are loaded. `onLost` is told once it is no more. */
async function openSession(
  { createClient, address, connectTimeoutMs, clock }: ConnectionOptions,
  onLost: (error: unknown) => void,
): Promise<Session> {
  const { socket, database, username, password } = address
  const client = createClient({
    RESP: 2,
    socket: {
      ...socket,
      ...("tls" in socket && socket.tls && { servername: socket.host }),
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: false,
    },
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
  })
  let failure: unknown
  client.on("error", (error) => {
    failure ??= error
    onLost(error)
  })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(unavailable(address.shown, `there is no connection within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
  )
  const ready = async (): Promise<Session> => {
    await client.connect()
    const [seconds, microseconds] = (await client.sendCommand(["TIME"])) as [string, string]
    const aheadMs = Math.floor(Number(seconds) * 1000 + Number(microseconds) / 1000 - clock())
    const loaded = Object.entries(scripts).map(
      async ([name, text]) => [name as ScriptName, String(await client.sendCommand(["SCRIPT", "LOAD", text]))] as const,
    )
    return { client, aheadMs, hashes: new Map(await Promise.all(loaded)), waiting: new Set() }
  }
  try {
    return await Promise.race([ready(), late.promise])
  } catch (error) {
    end(client)
    throw failure ?? error
  } finally {
    clearTimeout(timer)
  }
}

function end(client: RedisClient): void {
  try {
    client.destroy()
  } catch {
    // It has ended already.
  }
}
