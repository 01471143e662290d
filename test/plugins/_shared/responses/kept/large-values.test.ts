import { expect, test } from "vitest"
import { createLargeValues } from "../../../../../ts/plugins/_shared/responses/kept/large-values.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"

async function open() {
  const { kv } = await memory.setup({}, { clock: () => 0 })
  const values = kv?.("large")
  if (values === undefined) throw new Error("the store has no values")
  return { values, large: createLargeValues(values, { ttlMs: 1000 }) }
}
const measured = (value: object) => ({ value: value as never, text: JSON.stringify(value) })
/** Surrogates, lone ones too, stand on the borders of the pieces. */
const long = (first: string) => ({ first, text: "a\u{1f600}\ud800".repeat(100_000) })

test("a short value is one entry, a long one several, and both come back as they were", async () => {
  const { values, large } = await open()
  await large.set("short", measured({ a: 1 }))
  expect(await values.keys()).toEqual(["short"])
  await large.set("long", measured(long("x")))
  expect((await values.keys()).length).toBeGreaterThan(3)
  expect((await large.get("short"))?.value).toEqual({ a: 1 })
  expect((await large.get("long"))?.value).toEqual(long("x"))
  expect(await large.get("none")).toBeUndefined()
})

test("nothing is left of a value that was deleted or replaced, nor of one that came too late", async () => {
  const { values, large } = await open()
  const version = await large.set("key", measured(long("first")))
  const count = (await values.keys()).length
  expect(await large.compareAndSet("key", version, measured(long("second")))).toEqual(expect.any(String))
  expect((await values.keys()).length).toBe(count)
  expect(await large.compareAndSet("key", version, measured(long("third")))).toBeUndefined()
  expect((await large.get("key"))?.value).toEqual(long("second"))
  expect((await values.keys()).length).toBe(count)
  expect([await large.delete("key"), await large.delete("key")]).toEqual([true, false])
  expect(await values.keys()).toEqual([])
})

test("a value that has lost a piece is not there", async () => {
  const { values, large } = await open()
  await large.set("key", measured(long("x")))
  await values.delete((await values.keys({ prefix: "key." }))[0] ?? "")
  expect(await large.get("key")).toBeUndefined()
})

test("large values that many read at once are read in a turn of the event loop each", async () => {
  const { large } = await open()
  await large.set("key", measured(long("x")))
  let turn = 0
  const count = setInterval(() => (turn += 1), 1)
  const turns = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await large.get("key")
      // What is done with the value takes time in the same turn.
      for (const end = performance.now() + 5; performance.now() < end;);
      return turn
    }),
  )
  clearInterval(count)
  expect(new Set(turns).size).toBe(5)
})

test("the version of a value is known without its pieces", async () => {
  const { values, large } = await open()
  const version = await large.set("key", measured(long("x")))
  await values.delete((await values.keys({ prefix: "key." }))[0] ?? "")
  expect([await large.version("key"), await large.version("none")]).toEqual([version, undefined])
})
