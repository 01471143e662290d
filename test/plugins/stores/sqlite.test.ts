import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { OpenStore } from "rtr"
import { storeContract } from "rtr/testing"
import { afterAll, describe, expect, onTestFinished, test } from "vitest"
import sqlite from "../../../ts/plugins/stores/sqlite.ts"

const root = join(import.meta.dirname, "../../..")

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "rtr-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "store.db")
}

const setup = async (path: string): Promise<OpenStore> => sqlite.setup({ path }, { clock: Date.now })

async function open(
  path: string,
  options: { max_entries?: number; max_bytes?: number } = {},
  clock = Date.now,
): Promise<Required<OpenStore>> {
  const store = await sqlite.setup({ path, ...options }, { clock })
  onTestFinished(() => store.close())
  return store as Required<OpenStore>
}

/** Runs TypeScript with `path` and `open` in another process. */
function startProcess(path: string, script: string, before = "") {
  const source = `
    import sqlite from ${JSON.stringify(join(root, "ts/plugins/stores/sqlite.ts"))}
    const store = await sqlite.setup({ path: ${JSON.stringify(path)} }, { clock: Date.now })
    ${script}`
  const child = spawn(
    "sh",
    ["-c", `${before} exec "$0" "$@"`, process.execPath, "--input-type=module-typescript", "-e", source],
    {
      cwd: root,
    },
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  let [output, errors] = ["", ""]
  child.stdout.on("data", (piece: Buffer) => (output += piece.toString()))
  child.stderr.on("data", (piece: Buffer) => (errors += piece.toString()))
  const ended = once(child, "close")
  return {
    output: () => output,
    kill: () => child.kill("SIGKILL"),
    async end() {
      await ended
      return { output, errors }
    },
    async says(text: string) {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`The process ended: ${errors}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
}

describe("contract in memory", () => {
  for (const { name, run } of storeContract(sqlite, { options: { path: ":memory:" } })) test(name, run)
})

describe("contract in a file that holds data of others", () => {
  const folder = mkdtempSync(join(tmpdir(), "rtr-store-"))
  const cases = storeContract(sqlite, { options: { path: join(folder, "store.db"), max_entries: 2000 } })
  for (const { name, run } of cases) test(name, run)
  afterAll(() => rmSync(folder, { recursive: true }))
})

test("keeps everything over a restart", async () => {
  const path = temporaryFile()
  const first = await open(path)
  const version = await first.kv("a").set("k", { text: "x" })
  const record = { id: "r", createdAt: 1.5, fields: { f: "x" }, value: [1] }
  await first.records("a").put(record)
  await first.vectors("a", { dimensions: 2 }).upsert([{ ...record, vector: Float32Array.of(0, 2) }])
  await first.close()

  const second = await open(path)
  expect(await second.kv("a").get("k")).toEqual({ value: { text: "x" }, version })
  expect(await second.records("a").query({ where: { f: "x" } })).toEqual({ records: [record] })
  expect(await second.vectors("a", { dimensions: 2 }).search(Float32Array.of(0, 1), { limit: 1 })).toEqual([
    { id: "r", similarity: 1, fields: { f: "x" }, value: [1] },
  ])
  expect(await second.kv("a").compareAndSet("k", version, 1)).toBeDefined()
})

test("a file that it makes is for its owner alone, and a file that is there keeps its mode", async () => {
  const modesOf = (path: string) => ["", "-wal", "-shm"].map((end) => (statSync(path + end).mode & 0o777).toString(8))
  const path = temporaryFile()
  const umask = process.umask(0o022)
  onTestFinished(() => void process.umask(umask))
  await (await open(path)).kv("a").set("k", 1)
  expect(modesOf(path)).toEqual(["600", "600", "600"])
  const shared = temporaryFile()
  writeFileSync(shared, "")
  chmodSync(shared, 0o660)
  await (await open(shared)).kv("a").set("k", 1)
  expect(modesOf(shared)).toEqual(["660", "660", "660"])
})

test("evicts what was written longest ago, for each name alone", async () => {
  const store = await open(":memory:", { max_entries: 3 })
  for (const key of ["1", "2", "3", "1", "4"]) await store.kv("a").set(key, key)
  await store.kv("b").set("1", 1)
  expect(await store.kv("a").keys()).toEqual(["1", "3", "4"])
  for (const id of ["1", "2", "3", "1", "4"])
    await store.records("a").put({ id, createdAt: 1, fields: { id, all: true }, value: id })
  const { records } = await store.records("a").query({ order: "oldest", where: { all: true } })
  expect(records.map(({ id }) => id)).toEqual(["1", "3", "4"])
})

test("evicts what was written longest ago until the values fit, also those that the first schema wrote", async () => {
  const path = temporaryFile()
  const first = await open(path)
  for (const key of ["1", "2", "1"]) await first.kv("a").set(key, "äbc")
  await first.records("a").put({ id: "r", createdAt: 1, fields: {}, value: "abc" })
  await first.close()
  const database = new DatabaseSync(path)
  database.exec(`
    DROP TRIGGER items_added; DROP TRIGGER items_removed; ALTER TABLE collections DROP COLUMN bytes; PRAGMA user_version = 1;
    CREATE TRIGGER items_added AFTER INSERT ON items BEGIN
      UPDATE collections SET items = items + 1 WHERE id = new.collection; END;
    CREATE TRIGGER items_removed AFTER DELETE ON items BEGIN
      UPDATE collections SET items = items - 1 WHERE id = old.collection; END`)
  database.close()
  const store = await open(path, { max_bytes: 17 })
  await store.kv("a").set("3", "abc")
  expect(await store.kv("a").keys()).toEqual(["1", "2", "3"])
  await store.kv("a").set("4", "abc")
  expect(await store.kv("a").keys()).toEqual(["1", "3", "4"])
  await store.kv("a").set("5", "longer than the limit")
  expect(await store.kv("a").keys()).toEqual(["5"])
  expect(await store.records("a").get("r")).toMatchObject({ value: "abc" })
})

test("comes back to a limit that was lowered, and deletes what is past its end from the file", async () => {
  const path = temporaryFile()
  let now = 0
  const large = await open(path, {}, () => now)
  for (let key = 0; key < 200; key++) await large.kv("a").set(`${key}`, key)
  for (let key = 0; key < 50; key++) await large.kv("short").set(`${key}`, key, { ttlMs: 1 })
  await large.close()
  now = 1
  const small = await open(path, { max_entries: 10 }, () => now)
  for (let key = 200; key < 205; key++) await small.kv("a").set(`${key}`, key)
  expect((await small.kv("a").keys()).length).toBe(10)
  await small.close()
  const database = new DatabaseSync(path)
  expect(database.prepare("SELECT count(*) AS n FROM items").get()).toEqual({ n: 10 })
  expect(database.prepare("SELECT sum(items) AS n FROM collections").get()).toEqual({ n: 10 })
  database.close()
})

describe("refuses", () => {
  const refused = async (path: string): Promise<unknown> => {
    const outcome = await setup(path).then(
      () => undefined,
      (error: unknown) => error,
    )
    return outcome
  }
  const unavailable = (message: string) => expect.objectContaining({ name: "RtrError", code: "unavailable", message })

  test("a folder that is not there", async () => {
    const path = join(temporaryFile(), "store.db")
    expect(await refused(path)).toEqual(
      unavailable(
        `Cannot use the store ${path}: unable to open database file; the folder must exist, and this user must be able to write to it`,
      ),
    )
  })

  test("a path that is a folder", async () => {
    const path = temporaryFile()
    mkdirSync(path)
    expect(await refused(path)).toMatchObject({ code: "unavailable", message: expect.stringContaining(path) })
  })

  test("a file that is no database, and leaves it as it is", async () => {
    const path = temporaryFile()
    const text = "these are not the bytes of a database\n".repeat(500)
    writeFileSync(path, text)
    expect(await refused(path)).toEqual(
      unavailable(
        `Cannot use the store ${path}: file is not a database; the file is damaged or belongs to another program; move it away to start empty, or restore a copy`,
      ),
    )
    expect(readFileSync(path, "utf8")).toBe(text)
  })

  test("a database of another program, and leaves it as it is", async () => {
    const path = temporaryFile()
    const other = new DatabaseSync(path)
    other.exec("CREATE TABLE letters (text TEXT)")
    other.close()
    const before = readFileSync(path)
    expect(await refused(path)).toEqual(
      unavailable(`Cannot use the store ${path}: it is a database of another program; name another file`),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test("a newer schema", async () => {
    const path = temporaryFile()
    await (await open(path)).close()
    const database = new DatabaseSync(path)
    database.exec("PRAGMA user_version = 3")
    database.close()
    expect(await refused(path)).toEqual(
      unavailable(
        `Cannot use the store ${path}: it has schema 3, and this version of rtr knows 2; use the rtr that wrote it, or name another file`,
      ),
    )
  })
})

test("rejects what stands on damaged pages, and does not throw elsewhere", async () => {
  const path = temporaryFile()
  const store = await open(path)
  for (let key = 0; key < 500; key++) await store.kv("a").set(`${key}`, "x".repeat(1000))
  await store.close()
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
  const failure = await setup(path).then(
    async (damaged) => {
      try {
        for (let key = 0; key < 500; key++) await damaged.kv?.("a").get(`${key}`)
        return undefined
      } catch (error) {
        return error
      } finally {
        await damaged.close()
      }
    },
    (error: unknown) => error,
  )
  expect(failure).toMatchObject({ code: "unavailable", message: expect.stringMatching(/malformed.*move it away/) })
})

test("waits for another process without holding the event loop, and gives up in the end", async () => {
  const path = temporaryFile()
  const store = await open(path)
  await store.kv("a").set("k", 0)
  const other = new DatabaseSync(path)
  other.exec("BEGIN IMMEDIATE")
  const order: number[] = []
  const writes = [1, 2, 3].map(async (value) => {
    await store.kv("a").set("k", value)
    order.push(value)
  })
  let turns = 0
  for (const end = performance.now() + 200; performance.now() < end; turns++)
    await new Promise((resolve) => setTimeout(resolve, 1))
  expect(order).toEqual([])
  expect(turns).toBeGreaterThan(5)
  expect(await store.kv("a").get("k")).toMatchObject({ value: 0 })
  other.exec("COMMIT")
  await Promise.all(writes)
  expect(order).toEqual([1, 2, 3])
  expect(await store.kv("a").get("k")).toMatchObject({ value: 3 })

  other.exec("BEGIN IMMEDIATE")
  await expect(store.kv("a").set("k", 4)).rejects.toMatchObject({
    code: "unavailable",
    message: `Cannot use the store ${path}: database is locked; another process has held the file for 3 seconds; end it, or give each process a file of its own`,
  })
  other.exec("COMMIT")
  other.close()
  expect(await store.kv("a").get("k")).toMatchObject({ value: 3 })
})

test("two processes share one file", async () => {
  const path = temporaryFile()
  const store = await open(path)
  const here = store.vectors("a", { dimensions: 2 })
  await here.upsert([{ id: "here", vector: Float32Array.of(1, 0), fields: {}, value: 1 }])
  expect((await here.search(Float32Array.of(1, 0), { limit: 9 })).map(({ id }) => id)).toEqual(["here"])
  const script = `
    const kv = store.kv("a")
    console.log("started")
    for (let turn = 0; turn < 300; turn++) {
      await kv.increment("count", 1)
      for (;;) {
        const before = await kv.get("list")
        if (await kv.compareAndSet("list", before?.version, (before?.value ?? 0) + 1) !== undefined) break
      }
    }
    await store.vectors("a", { dimensions: 2 }).upsert([
      { id: "here", vector: Float32Array.of(0, 1), fields: {}, value: 2 },
      { id: "there", vector: Float32Array.of(1, 0), fields: {}, value: 3 },
    ])
    await store.close()`
  const others = [startProcess(path, script), startProcess(path, script)]
  await Promise.all(others.map((other) => other.says("started")))
  for (let turn = 0; turn < 100; turn++) {
    await store.kv("a").increment("count", 1)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  for (const other of others) expect(await other.end()).toEqual({ output: "started\n", errors: "" })
  expect(await store.kv("a").get("count")).toMatchObject({ value: 700 })
  expect(await store.kv("a").get("list")).toMatchObject({ value: 600 })
  expect((await here.search(Float32Array.of(1, 0), { limit: 9 })).map(({ id, value }) => [id, value])).toEqual([
    ["there", 3],
    ["here", 2],
  ])
})

test("what was written is there after kill -9", async () => {
  const path = temporaryFile()
  for (let round = 0; round < 3; round++) {
    const child = startProcess(
      path,
      `for (let turn = 0; ; turn++) {
        const id = "${round} " + turn
        await store.records("a").put({ id, createdAt: turn, fields: { even: turn % 2 === 0 }, value: "x".repeat(2000) })
        await store.vectors("a", { dimensions: 2 }).upsert([{ id, vector: Float32Array.of(1, turn), fields: {}, value: turn }])
        if (turn % 20 === 0) console.log("wrote", turn, "end")
      }`,
    )
    await child.says(`wrote ${100 + round * 60} end`)
    child.kill()
    const { output } = await child.end()
    const last = Number([...output.matchAll(/wrote (\d+) end/g)].at(-1)?.[1])
    const store = await open(path)
    const ids: (string | undefined)[] = []
    for (let turn = 0; turn <= last; turn++) ids.push((await store.records("a").get(`${round} ${turn}`))?.id)
    expect(ids).not.toContain(undefined)
    const even = await store.records("a").count({ even: true })
    const odd = await store.records("a").count({ even: false })
    expect(even + odd).toBe(await store.records("a").count())
    expect((await store.vectors("a", { dimensions: 2 }).get(`${round} ${last}`))?.value).toBe(last)
    await store.close()
  }
  const database = new DatabaseSync(path)
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
  database.close()
})

test("a full disk rejects the write and loses nothing that was there", async () => {
  const path = temporaryFile()
  const child = startProcess(
    path,
    `await store.kv("a").set("kept", 1)
    let turn = 0
    try {
      for (;; turn++) await store.kv("a").set("k" + turn, "x".repeat(10_000))
    } catch (error) {
      console.log(error.code, error.message)
    }
    console.log("kept", (await store.kv("a").get("kept")).value, (await store.kv("a").get("k" + (turn - 1))) !== undefined)`,
    // The shell counts in blocks of 512 or 1024 bytes; either way the log file soon meets its limit.
    "trap '' XFSZ; ulimit -f 1000;",
  )
  const { output, errors } = await child.end()
  expect(errors).toBe("")
  expect(output).toMatch(
    /^unavailable Cannot use the store .*(is full|I\/O error); the disk is full or fails; .*\nkept 1 true\n$/,
  )
  const store = await open(path)
  expect(await store.kv("a").get("kept")).toMatchObject({ value: 1 })
  await store.kv("a").set("more", 1)
})

test("a full disk takes what needs no more room than the file has", async () => {
  const child = startProcess(
    temporaryFile(),
    `const values = store.kv("a")
    for (let turn = 0; turn < 500; turn++) await values.set("same", turn + "x".repeat(10_000))
    console.log(await values.delete("same"), await values.get("same"))`,
    // The log file would take ten times as much.
    "trap '' XFSZ; ulimit -f 1000;",
  )
  expect(await child.end()).toEqual({ output: "true undefined\n", errors: "" })
})

test("forgets the vectors that others replaced again and again", async () => {
  const path = temporaryFile()
  const [one, other] = [await open(path), await open(path)]
  const [reader, writer] = [one.vectors("a", { dimensions: 2 }), other.vectors("a", { dimensions: 2 })]
  const vectors = (angle: number) =>
    Array.from({ length: 300 }, (_, index) => ({
      id: `v${index}`,
      vector: Float32Array.of(1, angle + index / 1000),
      fields: { angle },
      value: angle,
    }))
  for (let angle = 0; angle < 8; angle++) {
    await writer.upsert(vectors(angle))
    const matches = await reader.search(Float32Array.of(1, 0), { limit: 1000 })
    expect(matches.length).toBe(300)
    expect(new Set(matches.map(({ value }) => value))).toEqual(new Set([angle]))
    expect((await reader.search(Float32Array.of(1, 0), { limit: 1 }))[0]?.id).toBe("v0")
  }
  expect(await reader.search(Float32Array.of(1, 0), { limit: 1, where: { angle: 1 } })).toEqual([])
})

test("a search leaves time for others", async () => {
  const store = await open(":memory:")
  const vectors = store.vectors("a", { dimensions: 256 })
  const vector = (seed: number) => Float32Array.from({ length: 256 }, (_, index) => Math.sin(seed * (index + 1)))
  for (let start = 0; start < 20_000; start += 1000)
    await vectors.upsert(
      Array.from({ length: 1000 }, (_, index) => ({
        id: `${start + index}`,
        vector: vector(start + index + 1),
        fields: {},
        value: 1,
      })),
    )
  let turns = 0
  let searching = true
  const count = (): void => {
    turns++
    if (searching) setImmediate(count)
  }
  setImmediate(count)
  const [match] = await vectors.search(vector(4321), { limit: 1 })
  searching = false
  expect(match?.id).toBe("4320")
  expect(turns).toBeGreaterThan(3)
})

test("says why it is not healthy", async () => {
  const store = await open(temporaryFile())
  expect(await store.health()).toBeUndefined()
  await store.close()
  expect(await store.health()).toBe("The store is closed")
})
