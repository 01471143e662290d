import { createReplyCollector, type WireObject } from "rtr"
import { expect, test } from "vitest"
import { replayEvents } from "../../../../../ts/plugins/_shared/responses/kept/replay-events.ts"
import { createReader } from "../../../../../ts/plugins/_shared/responses/stream-reader.ts"

const response: WireObject & { readonly output: readonly WireObject[] } = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "incomplete",
  incomplete_details: { reason: "max_output_tokens" },
  error: null,
  output: [
    { id: "rs_1", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [
        { type: "output_text", annotations: [{ type: "url_citation", url: "u" }], text: "hi" },
        { type: "refusal", refusal: "no" },
      ],
    },
    { id: "fc_1", type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}', status: "completed" },
    { id: "ctc_1", type: "custom_tool_call", call_id: "c2", name: "g", input: "free", status: "completed" },
    { id: "ws_1", type: "web_search_call", status: "completed" },
  ],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
}
const dataOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; sequence_number: number; item?: object })

test("the events come to the response again", () => {
  const reader = createReader({ events: true })
  const collector = createReplyCollector()
  for (const event of reader.read(new TextEncoder().encode(replayEvents(response)))?.events ?? []) collector.add(event)
  expect(collector.reply()).toMatchObject({
    id: "resp_1",
    choices: [
      {
        stop: "length",
        blocks: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "hi", citations: [expect.objectContaining({ url: "u" })] },
          { type: "refusal", text: "no" },
          { type: "tool_call", id: "c1", name: "f", arguments: '{"a":1}' },
          { type: "tool_call", id: "c2", name: "g", arguments: "free", form: "custom" },
          { type: "opaque", value: response.output[4] },
        ],
      },
    ],
  })
})

test("they are numbered, begin empty and go on behind any of them", () => {
  const events = dataOf(replayEvents(response))
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index))
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["response.created", "response.incomplete"])
  expect(events[0]).toMatchObject({ response: { status: "in_progress", output: [], usage: null } })
  const begun = events.filter(({ type }) => type === "response.output_item.added").map(({ item }) => item)
  expect(begun).toMatchObject([
    { content: [] },
    { content: [], status: "in_progress" },
    { arguments: "" },
    { input: "" },
    { id: "ws_1" },
  ])
  expect(dataOf(replayEvents(response, 5))).toEqual(events.slice(6))
})
