import { expect, test } from "vitest"
import { itemsOf, pageOf } from "../../../../../ts/plugins/_shared/responses/kept/input-items.ts"
import { refusalOf } from "../../../../fakes/refusal.ts"

test("every item has an id, and every message a list of parts", () => {
  expect(itemsOf("hi")).toEqual([
    {
      type: "message",
      role: "user",
      id: expect.stringMatching(/^msg_[\da-f]{32}$/),
      status: "completed",
      content: [{ type: "input_text", text: "hi" }],
    },
  ])
  const call = { type: "function_call", id: "fc_own", call_id: "c", name: "n", arguments: "{}" }
  const result = { type: "function_call_output", call_id: "c", output: "o" }
  expect(itemsOf([{ role: "assistant", content: "said" }, call, result])).toEqual([
    {
      type: "message",
      role: "assistant",
      id: expect.stringMatching(/^msg_/),
      status: "completed",
      content: [{ type: "output_text", annotations: [], text: "said" }],
    },
    call,
    { ...result, id: expect.stringMatching(/^item_/) },
  ])
  expect(itemsOf(undefined)).toEqual([])
})

test("pages go on behind an item in either order, the last items first, the instructions before all", () => {
  const input = ["a", "b", "c"].map((id) => ({ id, type: "message" }))
  const kept = { owner: "", input, response: { id: "resp_1", instructions: "Be kind" } }
  const ids = (query: Parameters<typeof pageOf>[1]) => {
    const { data, first_id: first, last_id: last, has_more: more } = pageOf(kept, query)
    return [(data as { id: string }[]).map(({ id }) => id), first, last, more]
  }
  expect(ids({})).toEqual([["c", "b", "a", "msg_1"], "c", "msg_1", false])
  expect(ids({ order: "asc", limit: 2 })).toEqual([["msg_1", "a"], "msg_1", "a", true])
  expect(ids({ order: "asc", limit: 2, after: "a" })).toEqual([["b", "c"], "b", "c", false])
  expect(ids({ after: "b", limit: 1 })).toEqual([["a"], "a", "a", true])
  expect(ids({ after: "msg_1" })).toEqual([[], null, null, false])
  expect(refusalOf(() => pageOf(kept, { after: "d" }))).toMatch(/^invalid_request:/)
})
