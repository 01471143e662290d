// What every key-value store must do.

import type { JsonValue, KeyValueStore } from "../kernel/index.ts"
import { type ContractCase, expectThat } from "./case.ts"
import { awkwardKeys, awkwardValues, casesOf, expectEqual, expectRejection, type WithStore } from "./store-case.ts"

export function keyValueCases(withStore: WithStore): readonly ContractCase[] {
  const kvCase = casesOf("kv", withStore, (store, name) => store.kv?.(name))
  const valueOf = async (kv: KeyValueStore, key: string): Promise<JsonValue | undefined> => (await kv.get(key))?.value

  return [
    kvCase("gives back any value", async (kv) => {
      for (const [index, value] of awkwardValues.entries()) {
        await kv.set(`key ${index}`, value)
        expectEqual((await kv.get(`key ${index}`))?.value, value, "the value")
      }
    }),
    kvCase("keeps a copy", async (kv) => {
      const value = { list: [1] }
      await kv.set("a", value)
      value.list.push(2)
      const first = (await valueOf(kv, "a")) as { list: number[] }
      expectEqual(first, { list: [1] }, "the value as it was written")
      first.list.push(3)
      expectEqual(await valueOf(kv, "a"), { list: [1] }, "the value as it was written")
    }),
    kvCase("tells any two keys apart", async (kv) => {
      for (const [index, key] of awkwardKeys.entries()) {
        expectEqual(await kv.get(key), undefined, "nothing under a key that was not written")
        await kv.set(key, index)
      }
      for (const [index, key] of awkwardKeys.entries()) expectEqual(await valueOf(kv, key), index, "the value")
      await expectRejection("invalid_input", () => kv.set("\ud800", 1))
    }),
    kvCase("refuses what JSON cannot hold", async (kv) => {
      const circle: unknown[] = []
      circle.push(circle)
      for (const value of [undefined, () => 1, 1n, Number.NaN, circle])
        await expectRejection("invalid_input", () => kv.set("a", value as never))
      expectEqual(await kv.get("a"), undefined, "nothing written")
    }),
    kvCase("changes the version with every write", async (kv) => {
      const versions = [await kv.set("a", 1), await kv.set("a", 1)]
      expectEqual((await kv.get("a"))?.version, versions[1], "the version that was returned")
      versions.push((await kv.compareAndSet("a", versions[1], 1)) ?? "")
      await kv.increment("a", 0)
      versions.push((await kv.get("a"))?.version ?? "")
      await kv.delete("a")
      versions.push(await kv.set("a", 1))
      expectEqual(new Set(versions).size, 5, "five different versions")
    }),
    kvCase("writes only over the version that was expected", async (kv) => {
      expectEqual(await kv.compareAndSet("a", "1", 1), undefined, "no write over a key that is not there")
      const first = await kv.compareAndSet("a", undefined, 1)
      expectThat(first !== undefined, "a write of a new key")
      expectEqual(await kv.compareAndSet("a", undefined, 2), undefined, "no write over a key that is there")
      const second = await kv.set("a", 3)
      expectEqual(await kv.compareAndSet("a", first, 4), undefined, "no write over another version")
      expectEqual(await valueOf(kv, "a"), 3, "the value of the last write")
      expectThat((await kv.compareAndSet("a", second, 5)) !== undefined, "a write over the expected version")
      expectEqual(await valueOf(kv, "a"), 5, "the value of the last write")
    }),
    kvCase("lets one of 50 writers win each version", async (kv) => {
      await kv.set("a", [])
      const add = async (writer: number): Promise<void> => {
        // In the worst order a writer loses to each of the others once.
        for (let tries = 0; tries < 1000; tries++) {
          const before = await kv.get("a")
          const list = before?.value as readonly number[]
          if ((await kv.compareAndSet("a", before?.version, [...list, writer])) !== undefined) return
        }
        throw new Error("Expected one of 50 writers to win each version, but one never did")
      }
      const writers = Array.from({ length: 50 }, (_, writer) => writer)
      await Promise.all(writers.map(add))
      const list = (await valueOf(kv, "a")) as readonly number[]
      expectEqual(
        list.toSorted((one, other) => one - other),
        writers,
        "every writer once",
      )
      const created = await Promise.all(writers.map((writer) => kv.compareAndSet("new", undefined, writer)))
      expectEqual(created.filter((version) => version !== undefined).length, 1, "one writer of a new key")
    }),
    kvCase("adds in one step", async (kv) => {
      expectEqual(await kv.increment("a", 2), 2, "a missing key to count as 0")
      await Promise.all(Array.from({ length: 50 }, () => kv.increment("a", 1)))
      expectEqual(await kv.increment("a", -0.5), 51.5, "the sum")
      expectEqual(await valueOf(kv, "a"), 51.5, "the sum")
      await kv.set("text", "1")
      await expectRejection("invalid_input", () => kv.increment("text", 1))
      await expectRejection("invalid_input", () => kv.increment("a", Number.NaN))
      await kv.set("large", Number.MAX_VALUE)
      await expectRejection("invalid_input", () => kv.increment("large", Number.MAX_VALUE))
      expectEqual([await valueOf(kv, "a"), await valueOf(kv, "text")], [51.5, "1"], "what was there before")
    }),
    kvCase("ends entries in time", async (kv, { advance }) => {
      const version = await kv.set("a", 1, { ttlMs: 1000 })
      await kv.set("stays", 1)
      advance(999)
      expectEqual(await valueOf(kv, "a"), 1, "the value before its end")
      advance(1)
      expectEqual(await kv.get("a"), undefined, "nothing after its end")
      expectEqual(await kv.keys(), ["stays"], "no key after its end")
      expectEqual(await kv.delete("a"), false, "nothing to delete after its end")
      expectEqual(await kv.compareAndSet("a", version, 2), undefined, "no write over a version after its end")
      expectThat((await kv.compareAndSet("a", undefined, 2, { ttlMs: 10 })) !== undefined, "a write of a new key")
      advance(10)
      expectEqual(await kv.get("a"), undefined, "nothing after its end")
      await kv.set("a", 1, { ttlMs: 10 })
      await kv.set("a", 2)
      advance(1e9)
      expectEqual([await valueOf(kv, "a"), await valueOf(kv, "stays")], [2, 1], "what has no end")
      for (const ttlMs of [0, -1, Number.NaN, Infinity])
        await expectRejection("invalid_input", () => kv.set("a", 3, { ttlMs }))
    }),
    kvCase("counts until the end of the first increment", async (kv, { advance }) => {
      await kv.increment("a", 1, { ttlMs: 1000 })
      advance(600)
      expectEqual(await kv.increment("a", 1, { ttlMs: 1000 }), 2, "the sum")
      advance(400)
      expectEqual(await kv.increment("a", 1, { ttlMs: 1000 }), 1, "a new count after the first one's end")
      await kv.set("stays", 1)
      await kv.increment("stays", 1, { ttlMs: 1 })
      advance(1000)
      expectEqual(await valueOf(kv, "stays"), 2, "a key without an end to stay")
    }),
    kvCase("says whether there was something to delete", async (kv) => {
      await kv.set("a", null)
      expectEqual([await kv.delete("a"), await kv.delete("a")], [true, false], "one deletion")
      expectEqual(await kv.get("a"), undefined, "nothing after the deletion")
    }),
    kvCase("lists keys in ascending order", async (kv) => {
      for (const key of awkwardKeys.toReversed()) await kv.set(key, 1)
      expectEqual(await kv.keys(), awkwardKeys, "all keys")
      expectEqual(await kv.keys({ prefix: "a" }), ["a", "a\0b", "a\0c"], "the keys with a prefix")
      expectEqual(await kv.keys({ prefix: "\u{10ffff}" }), ["\u{10ffff}"], "the keys with the last prefix")
      expectEqual(await kv.keys({ prefix: "a", after: "a", limit: 1 }), ["a\0b"], "the next key")
      expectEqual(await kv.keys({ prefix: "_", after: "z" }), [], "no key")
      const pages: string[] = []
      for (let after: string | undefined; pages.length < 100; after = pages.at(-1)) {
        const page = await kv.keys({ limit: 3, ...(after !== undefined && { after }) })
        pages.push(...page)
        if (page.length < 3) break
      }
      expectEqual(pages, awkwardKeys, "all keys, page by page")
      for (const limit of [0, -1, 1.5, Number.NaN, 1001])
        await expectRejection("invalid_input", () => kv.keys({ limit }))
    }),
    kvCase("keeps names apart", async (kv, { store, name }) => {
      const other = store.kv?.(`${name}2`)
      await kv.set("a", 1)
      await other?.set("a", 2)
      expectEqual([await valueOf(kv, "a"), (await other?.get("a"))?.value], [1, 2], "a value for each name")
      await other?.delete("a")
      expectEqual(await kv.keys(), ["a"], "the keys of one name")
      expectEqual((await store.kv?.(name).get("a"))?.value, 1, "the same data under an equal name")
    }),
  ]
}
