import { expect, test } from "vitest"
import { createReferences } from "../../../../../ts/plugins/_shared/responses/kept/references.ts"
import { createResponseStore } from "../../../../../ts/plugins/_shared/responses/kept/response-store.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"
import { post } from "../../../../fakes/kernel.ts"
import { watchedKernel } from "../../../../fakes/watched-kernel.ts"

type Body = Readonly<Record<string, unknown>>

async function setUp(output: readonly object[]) {
  const { kv } = await memory.setup({}, { clock: () => 0 })
  const values = kv?.("responses")
  const items = kv?.("items")
  if (values === undefined || items === undefined) throw new Error("the store has no values")
  const store = createResponseStore(values, { ttlMs: 1000, maxBytes: 2 ** 24 })
  const references = createReferences(items, { store, ttlMs: 1000 })
  const thoughtBy = { model: "m", dialect: "responses" }
  await store.add({ owner: "ann", input: [], response: { id: "r1", output: output as never }, thoughtBy })
  await references.add("ann", "r1", output as never)
  let held = 0
  const hold = (bytes: number): void => void (held += bytes)
  const find = async (owner: string, ...ids: readonly string[]) => references.find(owner, ids.map(referTo), hold)
  return { store, find, held: () => held }
}
const referTo = (id: string) => ({ type: "item_reference", id })
const message = (id: string, text: string) => ({ type: "message", id, role: "assistant", content: [{ text }] })

test("an item is found by its id, and a thought with who thought it", async () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [] }
  const { find } = await setUp([message("msg_1", "a"), thought])
  expect([...(await find("ann", "msg_1", "rs_1")).values()]).toEqual([
    message("msg_1", "a"),
    { ...thought, thought_by: { model: "m", dialect: "responses" } },
  ])
  expect(await find("ann")).toEqual(new Map())
})

test("an item of somebody else, of a deleted response, or with no id is not there", async () => {
  const { find, store } = await setUp([message("msg_1", "a"), message("not an id", "b")])
  const missing = { code: "not_found", message: expect.stringContaining("input[0]") }
  await expect(find("bob", "msg_1")).rejects.toMatchObject(missing)
  await expect(find("ann", "not an id")).rejects.toMatchObject(missing)
  await store.remove("r1", "ann")
  await expect(find("ann", "msg_1")).rejects.toMatchObject(missing)
})

test("one item cannot be repeated until it fills the memory", async () => {
  const { find } = await setUp([message("msg_1", "x".repeat(3 * 2 ** 20))])
  expect((await find("ann", "msg_1", "msg_1")).size).toBe(1)
  await expect(find("ann", "msg_1", "msg_1", "msg_1")).rejects.toMatchObject({ code: "context_length_exceeded" })
})

test("a response is read and counted once, however many of its items a request refers to", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `msg_${index}`)
  const { find, held } = await setUp([...ids.map((id) => message(id, "a")), message("large", "x".repeat(2 ** 20))])
  expect((await find("ann", ...ids)).size).toBe(50)
  expect(held() / 2 ** 20).toBeGreaterThan(2)
  expect(held() / 2 ** 20).toBeLessThan(3)
})

test("a request that refers to kept items is answered by any backend and can be continued", async () => {
  const { kernel, sent } = await watchedKernel({
    changes: { "global.services.response_api": { store_backend: "memory" } },
  })
  const ask = async (body: object): Promise<Response> => kernel.fetch(post("/v1/responses", { model: "MoM", ...body }))
  const answer = async (body: object): Promise<Body & { readonly output: readonly Body[] }> =>
    (await (await ask(body)).json()) as Body & { readonly output: readonly Body[] }
  const [item] = (await answer({ input: "one" })).output
  const question = { role: "user", content: "two" }
  const { id } = await answer({ input: [{ role: "user", content: "one" }, referTo(String(item?.["id"])), question] })
  await answer({ input: "three", previous_response_id: id })
  expect(sent().map(({ messages }) => (messages as readonly Body[]).map(({ role }) => role))).toEqual([
    ["user"],
    ["user", "assistant", "user"],
    ["user", "assistant", "user", "assistant", "user"],
  ])
  expect(JSON.stringify(sent().at(-1))).not.toContain("item_reference")
  const refused = await ask({ input: [referTo("msg_other"), question] })
  expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('\\"msg_other\\"')])
})
