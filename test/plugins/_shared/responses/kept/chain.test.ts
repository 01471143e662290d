import { expect, test } from "vitest"
import { readHistory } from "../../../../../ts/plugins/_shared/responses/kept/chain.ts"
import { createResponseStore } from "../../../../../ts/plugins/_shared/responses/kept/response-store.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"

const said = (text: string) => ({
  type: "message",
  id: `msg_${text}`,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations: [], logprobs: [{ token: text }], text }],
})
const asked = (text: string) => ({
  type: "message",
  id: "in_1",
  role: "user",
  content: [{ type: "input_text", text }],
})
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "n", arguments: "{}" }
const result = { type: "function_call_output", id: "out_1", call_id: "c1", status: "incomplete", output: "o" }
const thought = { type: "reasoning", id: "rs_1", summary: [] }

interface Turn {
  readonly input: readonly object[]
  readonly output: readonly object[]
  readonly status?: string
}

/** A store with a chain of these turns; their ids are their places. */
async function chainOf(turns: readonly Turn[]) {
  const { kv } = await memory.setup({}, { clock: () => 0 })
  const values = kv?.("responses")
  if (values === undefined) throw new Error("the store has no values")
  const store = createResponseStore(values, { ttlMs: 1000, maxBytes: 2 ** 24 })
  for (const [index, { input, output, status = "completed" }] of turns.entries()) {
    const previous = index === 0 ? null : `r${index - 1}`
    await store.add({
      owner: "ann",
      input: input as never,
      response: { id: `r${index}`, status, output: output as never, previous_response_id: previous },
    })
  }
  return (id: string, { owner = "ann", truncate = false, hold = (_bytes: number): void => {} } = {}) =>
    readHistory(store, id, { owner, truncate, hold })
}

test("inputs and outputs stand in their order, as a backend takes them that never saw them", async () => {
  const read = await chainOf([
    { input: [asked("one")], output: [thought, said("two"), call] },
    { input: [result], output: [said("three")], status: "incomplete" },
  ])
  expect(await read("r1")).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "one" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", annotations: [], text: "two" }] },
    { type: "function_call", call_id: "c1", name: "n", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", status: "incomplete", output: "o" },
    { type: "message", role: "assistant", content: [{ type: "output_text", annotations: [], text: "three" }] },
  ])
  expect(await read("r0")).toHaveLength(3)
})

test("a chain that is not whole, belongs to somebody else or has not ended is refused", async () => {
  const read = await chainOf([{ input: [], output: [], status: "queued" }])
  await expect(read("r9")).rejects.toMatchObject({ code: "not_found" })
  await expect(read("r0", { owner: "bob" })).rejects.toMatchObject({ code: "not_found" })
  await expect(read("r0")).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining('"queued"'),
  })
})

test("a chain that is too long is refused, or loses its oldest responses with the results of their calls", async () => {
  const long = "x".repeat(3 * 2 ** 20)
  const read = await chainOf([
    { input: [asked(long)], output: [said("old"), call] },
    { input: [result, asked(long)], output: [said("new")] },
    { input: [asked(long)], output: [said("newest")] },
  ])
  await expect(read("r2")).rejects.toMatchObject({ code: "context_length_exceeded" })
  const items = await read("r2", { truncate: true })
  expect(items.map(({ type, role }) => role ?? type)).toEqual(["user", "assistant", "user", "assistant"])
  expect(await read("r1")).toHaveLength(6)
})

test("a chain of more than a thousand responses is too long", async () => {
  const read = await chainOf(Array.from({ length: 1001 }, (_, index) => ({ input: [asked(`${index}`)], output: [] })))
  expect(await read("r999")).toHaveLength(1000)
  await expect(read("r1000")).rejects.toMatchObject({ code: "context_length_exceeded" })
  expect(await read("r1000", { truncate: true })).toHaveLength(1000)
})

test("no further response is read once there is no memory for them", async () => {
  const read = await chainOf([
    { input: [asked("one")], output: [said("two")], status: "queued" },
    { input: [asked("three")], output: [said("four")] },
  ])
  const refused = new Error("no room")
  const hold = (bytes: number): void => {
    expect(bytes).toBeGreaterThan(100)
    throw refused
  }
  await expect(read("r1", { hold })).rejects.toBe(refused)
})
