import { createServer, type Socket } from "node:net"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { KeyValueStore, OpenStore, RecordStore } from "rtr"
import { storeContract } from "rtr/testing"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import redis from "../../../ts/plugins/stores/redis.ts"
import { noRedis, redisProgram, type RedisServer, startRedisServer } from "../../_redis-server.ts"

type Store = OpenStore & {
  kv: (name: string) => KeyValueStore
  records: (name: string) => RecordStore
  health: () => Promise<string | undefined>
}
type Options = Parameters<typeof redis.setup>[0]

async function open(options: Options, clock = Date.now): Promise<Store> {
  const store = await redis.setup(options, { clock })
  onTestFinished(() => store.close())
  return store as Store
}

const failureOf = async (work: () => unknown): Promise<{ code: string; message: string }> => {
  try {
    await work()
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error("Expected a failure")
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await condition()) return
    await sleep(20)
  }
  throw new Error("Expected it to come true within 10 seconds")
}

test("an address that is none is refused without a word of it", async () => {
  for (const [url, says] of [
    ["hidden", "it is no URL"],
    ["redis://user:hid/den@host:1", "it is no URL"],
    ["http://user:hidden@host", "it begins with something else"],
    ["redis://user:hidden@host/nine", "the number of its database is none"],
    ["redis://user:hidden@host?db=1", "only unix:// takes a parameter"],
    ["redis://user:hidden%@host", "it has a % that begins no escaped sign"],
    ["redis://user:hidden@host#1", "it has a #"],
    ["redis:///0", "it names no host"],
    ["unix://hidden/path", "a socket file needs its whole path"],
    ["unix:///path?database=1", "only unix:// takes a parameter"],
  ] as const) {
    const { code, message } = await failureOf(() => redis.setup({ url }, { clock: Date.now }))
    expect([code, message.includes(says), /hid/.test(message)], `${url}: ${message}`).toEqual([
      "invalid_config",
      true,
      false,
    ])
    const reports: unknown[] = []
    redis.check?.({ url }, (path, text) => reports.push([path, text]))
    expect(reports).toEqual([[["url"], message]])
  }
})

test("a server that is not there is refused with its address and never with the password", async () => {
  for (const [options, says] of [
    [{ url: "redis://user:hidden@127.0.0.1:1" }, "127.0.0.1:1: ECONNREFUSED; nobody listens there"],
    [{ url: "unix:///nowhere/redis.sock", password: "hidden" }, "/nowhere/redis.sock: ENOENT; there is no such"],
  ] as const) {
    const { code, message } = await failureOf(() => redis.setup(options, { clock: Date.now }))
    expect([code, message]).toEqual(["unavailable", expect.stringContaining(`Cannot use the Redis server ${says}`)])
    expect(message).not.toContain("hidden")
  }
})

test("one that takes the connection and says nothing is given up in time", async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1")
  await once(silent, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as { port: number }
  const { code, message } = await failureOf(() =>
    redis.setup({ url: `redis://127.0.0.1:${port}`, connect_timeout_ms: 50 }, { clock: Date.now }),
  )
  expect([code, message]).toEqual([
    "unavailable",
    `Cannot use the Redis server 127.0.0.1:${port}: there is no connection within 50 ms`,
  ])
})

test.skipIf(redisProgram !== undefined)(`what needs a server is not tested: ${noRedis}`, ({ skip }) => skip(noRedis))

describe.skipIf(redisProgram === undefined)("with a server", () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(async () => server.remove())

  /** Keys of all databases whose names begin so. */
  const keysOf = async (prefix: string): Promise<number> =>
    Number(/\*(\d+)/.exec(await server.ask(`KEYS ${prefix}*`))?.[1] ?? 0)

  describe("contract", () => {
    for (const name of contractNames())
      test(name, async () => runContract(name, { url: server.url, max_entries: 2000 }))
  })

  test("contract over TCP, in another database, with a user, with limits and a prefix of signs", async () => {
    await server.ask("ACL SETUSER ann on >s%cret/#@: ~glob* +@all -@dangerous")
    const options = {
      url: `redis://ann:${encodeURIComponent("s%cret/#@:")}@${server.address}/3`,
      prefix: "glob*{?[^a]",
      max_bytes: 2 ** 30,
    }
    for (const name of contractNames()) await runContract(name, options)
    const elsewhere = await open({ ...options, prefix: "other" })
    const { message } = await failureOf(() => elsewhere.kv("a").set("hidden", "hidden"))
    expect(message).toBe(
      `Cannot use the Redis server ${server.address}: it answers NOPERM; this user may not run these commands on keys with this prefix`,
    )
  })

  test("keeps everything for others and for later, apart by prefix", async () => {
    const first = await open({ url: server.url, prefix: "p1:" })
    const version = await first.kv("a").set("k", { text: "x" })
    const record = { id: "r", createdAt: 1.5, fields: { f: "x" }, value: [1] }
    await first.records("a").put(record)
    await first.close()
    const second = await open({ url: server.url, prefix: "p1:" })
    const other = await open({ url: server.url, prefix: "p1:a" })
    expect(await second.kv("a").get("k")).toEqual({ value: { text: "x" }, version })
    expect(await second.records("a").query({ where: { f: "x" } })).toEqual({ records: [record] })
    expect([await other.kv("a").keys(), await other.records("a").count()]).toEqual([[], 0])
    expect(await second.kv("a").compareAndSet("k", version, 1)).toBeDefined()
  })

  test("evicts what was written longest ago, by number and by bytes, for each name alone", async () => {
    const few = await open({ url: server.url, prefix: "few:", max_entries: 3 })
    for (const key of ["1", "2", "3", "1", "4"]) await few.kv("a").set(key, key)
    await few.kv("b").set("1", 1)
    expect(await few.kv("a").keys()).toEqual(["1", "3", "4"])
    for (const id of ["1", "2", "3", "1", "4"])
      await few.records("a").put({ id, createdAt: 1, fields: { id, all: true }, value: id })
    const { records } = await few.records("a").query({ order: "oldest", where: { all: true } })
    expect(records.map(({ id }) => id)).toEqual(["1", "3", "4"])
    expect([await few.records("a").count({ id: "2" }), await few.records("a").get("2")]).toEqual([0, undefined])

    const small = await open({ url: server.url, prefix: "small:", max_bytes: 17 })
    for (const key of ["1", "2", "1"]) await small.kv("a").set(key, "äbc")
    await small.kv("a").set("3", "abc")
    expect(await small.kv("a").keys()).toEqual(["1", "2", "3"])
    await small.kv("a").set("4", "abc")
    expect(await small.kv("a").keys()).toEqual(["1", "3", "4"])
    await small.kv("a").set("5", "longer than the limit")
    expect(await small.kv("a").keys()).toEqual(["5"])
  })

  test("what ended leaves nothing on the server, whether somebody looks or nobody does", async () => {
    let now = 1_000_000
    const store = await open({ url: server.url, prefix: "ends:" }, () => now)
    for (let key = 0; key < 40; key++) await store.kv("a").set(`${key}`, key, { ttlMs: 1000 })
    for (let id = 0; id < 40; id++)
      await store.records("a").put({ id: `${id}`, createdAt: id, fields: { id }, value: id }, { ttlMs: 1000 })
    expect(await keysOf("ends:")).toBeGreaterThan(80)
    now += 1000
    await store.kv("a").set("new", 1)
    for (let writes = 0; writes < 3; writes++) await store.kv("a").set("new", 1)
    expect(await store.records("a").count()).toBe(0)
    expect(await keysOf("ends:{kv:a}e:")).toBe(1)
    // Its numbers of writes and bytes are all that is left of a name.
    expect(await keysOf("ends:{records:a}")).toBe(1)

    await store.kv("b").set("a", 1, { ttlMs: 1 })
    // By the server's own clock, which no test moves.
    await until(async () => (await keysOf("ends:{kv:b}e:")) === 0)
    expect(await store.kv("b").get("a")).toBeUndefined()
  })

  test("a version never comes again, also after the server has lost everything", async () => {
    const store = await open({ url: server.url, prefix: "lost:" })
    const before = await store.kv("a").set("k", 1)
    await server.ask("FLUSHALL")
    await server.ask("SCRIPT FLUSH")
    const after = await store.kv("a").set("k", 1)
    expect(Number(after)).toBeGreaterThan(Number(before))
    expect(await store.kv("a").compareAndSet("k", before, 2)).toBeUndefined()
  })

  test("two connections share counts and versions", async () => {
    const stores = await Promise.all([1, 2].map(() => open({ url: server.url, prefix: "two:" })))
    await Promise.all(stores.flatMap((store) => Array.from({ length: 200 }, () => store.kv("a").increment("n", 1))))
    expect(await stores[0]?.kv("a").increment("n", 0)).toBe(400)
  })

  test("the server's clock says what has ended, whatever the clocks of those who ask", async () => {
    const early = await open({ url: server.url, prefix: "clock:" }, () => Date.now() - 3_600_000)
    const late = await open({ url: server.url, prefix: "clock:" }, () => Date.now() + 3_600_000)
    await early.kv("a").set("k", 1, { ttlMs: 60_000 })
    expect(await late.kv("a").get("k")).toMatchObject({ value: 1 })
    expect(await late.kv("a").keys()).toEqual(["k"])
  })

  test("a value has a bound, and so has what one page reads", async () => {
    const store = await open({ url: server.url, prefix: "large:" })
    const large = "ä".repeat(8 * 2 ** 20)
    expect(await failureOf(() => store.kv("a").set("k", large))).toMatchObject({
      code: "invalid_input",
      message: "A value of 16777218 bytes is too large for Redis; one may have 16777216",
    })
    const value = "x".repeat(5 * 2 ** 20)
    for (let id = 0; id < 5; id++) await store.records("a").put({ id: `${id}`, createdAt: id, fields: {}, value })
    const { records } = await store.records("a").query({ order: "oldest" })
    expect(records.map(({ id, value: each }) => [id, String(each).length])).toEqual(
      [0, 1, 2, 3, 4].map((id) => [`${id}`, value.length]),
    )
    await store.records("a").deleteWhere({})
  })

  test("many equal ages and several fields are read, counted and deleted in small steps", async () => {
    const store = await open({ url: server.url, prefix: "many:" })
    const records = store.records("a")
    for (let start = 0; start < 1500; start += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, index) => {
          const id = `${start + index}`
          return records.put({ id, createdAt: 7, fields: { all: true, tenth: (start + index) % 10 === 0 }, value: 1 })
        }),
      )
    const page = await records.query({ where: { all: true, tenth: true }, limit: 149 })
    expect([page.records.length, page.next !== undefined]).toEqual([149, true])
    expect(await records.count({ all: true, tenth: true })).toBe(150)
    expect(await records.deleteWhere({ all: true, tenth: true })).toBe(150)
    expect([await records.count({ all: true }), await records.count()]).toEqual([1350, 1350])
    expect((await records.query({ limit: 1000 })).records).toHaveLength(1000)
    expect(await records.deleteWhere({})).toBe(1350)
  })
})

describe.skipIf(redisProgram === undefined)("with a server that fails", () => {
  test("a server that is away fails every call at once, and is used again when it is back", async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.remove())
    const store = await open({ url: server.url })
    const values = store.kv("a")
    await values.set("k", 1)
    await server.stop()
    await until(async () => (await store.health()) !== undefined)
    for (let calls = 0; calls < 100; calls++)
      expect(await failureOf(() => values.get("hidden"))).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /^Cannot use the Redis server \/.*redis\.sock: (the connection ended|ENOENT.*)$/,
        ),
      })
    await server.start()
    await until(async () => (await store.health()) === undefined)
    expect(await values.get("k")).toBeUndefined()
    await values.set("k", 2)
    expect(await values.get("k")).toMatchObject({ value: 2 })
  })

  test("a server that hangs fails the calls that wait, and the connection is made anew", async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.remove())
    const store = await open({ url: `redis://${server.address}`, command_timeout_ms: 200, connect_timeout_ms: 200 })
    const values = store.kv("a")
    await values.set("k", 1)
    server.freeze(true)
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(() => values.set("k", 2))))
    for (const { code, message } of failures)
      expect([code, message]).toEqual([
        "unavailable",
        `Cannot use the Redis server ${server.address}: it does not answer within 200 ms`,
      ])
    expect(await failureOf(() => values.get("k"))).toMatchObject({ code: "unavailable" })
    server.freeze(false)
    await until(async () => (await store.health()) === undefined)
    await values.set("k", 3)
    expect(await values.get("k")).toMatchObject({ value: 3 })
  })

  test("the server is not blamed when it is this process that stood still", async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.remove())
    const store = await open({ url: server.url, command_timeout_ms: 50 })
    const written = store.kv("a").set("k", 1)
    for (const end = performance.now() + 150; performance.now() < end;);
    await written
    expect(await store.kv("a").get("k")).toMatchObject({ value: 1 })
  })

  test("a server that evicts on its own leaves nothing that could not be deleted or replaced", async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.remove())
    const store = await open({ url: server.url, max_entries: 3 })
    const values = store.kv("a")
    for (const lost of ["held", "order", "index", "ends", "meta"]) {
      for (const key of ["1", "2", "3"]) await values.set(key, key, { ttlMs: 60_000 })
      await server.ask(`DEL rtr:{kv:a}${lost}`)
      expect([await values.delete("1"), await values.get("1"), await values.delete("1")], lost).toEqual([
        true,
        undefined,
        false,
      ])
      await values.set("2", "new")
      expect(await values.get("2"), lost).toMatchObject({ value: "new" })
      for (const key of ["4", "5", "6"]) await values.set(key, key)
      expect(await values.keys(), lost).toEqual(expect.arrayContaining(["4", "5", "6"]))
    }
  })

  test("passwords that are missing or wrong, full memory and replicas are told by name", async () => {
    const server = await startRedisServer(["--requirepass", "right"])
    onTestFinished(() => server.remove())
    const says = async (options: Partial<Options>) =>
      (await failureOf(() => redis.setup({ url: server.url, ...options }, { clock: Date.now }))).message
    expect(await says({})).toContain("it answers NOAUTH; it asks for a password")
    expect(await says({ password: "wrong" })).toContain("it answers WRONGPASS; username or password is wrong")
    const store = await open({ url: server.url, password: "right" })
    await store.kv("a").set("k", 1)
    const admin = (command: string) => server.ask("AUTH right", command)
    await admin("CONFIG SET maxmemory 1")
    expect(await failureOf(() => store.kv("a").set("hidden", "hidden"))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("it answers OOM; its memory is full"),
    })
    await failureOf(() => store.kv("a").set("k", 2))
    expect(await store.kv("a").get("k")).toMatchObject({ value: 1 })
    await admin("CONFIG SET maxmemory 0")
    await admin("REPLICAOF 127.0.0.1 1")
    expect((await failureOf(() => store.kv("a").set("k", 1))).message).toContain("READONLY; it is a replica")
    await admin("REPLICAOF NO ONE")
    await until(async () =>
      store
        .kv("a")
        .set("k", 2)
        .then(
          () => true,
          () => false,
        ),
    )
  })
})

function contractNames(): readonly string[] {
  return storeContract(redis).map(({ name }) => name)
}

async function runContract(name: string, options: Options): Promise<void> {
  await storeContract(redis, { options: { ...options } })
    .find((each) => each.name === name)
    ?.run()
}
