import { expect, test } from "vitest"
import { createReplyCollector } from "../../../ts/kernel/chat/collect-reply.ts"

test("an error of the stream is an error of the reply", () => {
  const collector = createReplyCollector()
  collector.add({ type: "start", id: "1", model: "m", created: 0 })
  collector.add({ type: "failed", message: "busy" })
  expect(() => collector.reply()).toThrow(expect.objectContaining({ code: "upstream_error", message: "busy" }))
})

test("numbers of choices and blocks may be anything: each is one more, in their order", () => {
  const collector = createReplyCollector()
  for (const [choice, index] of [
    [4e9, 1e12],
    [-1, 0],
    [0.5, -7],
  ] as const) {
    collector.add({ type: "block_start", choice, index, block: { type: "text" } })
    collector.add({ type: "block_delta", choice, index, text: String(choice) })
    collector.add({ type: "stop", choice, reason: "stop" })
  }
  expect(collector.reply().choices).toEqual(
    ["-1", "0.5", "4000000000"].map((text) => ({ blocks: [{ type: "text", text }], stop: "stop" })),
  )
})

test("parallel blocks are kept apart, and a block that was taken out leaves no hole", () => {
  const collector = createReplyCollector()
  const at = (index: number) => ({ choice: 0, index })
  collector.add({ type: "block_start", ...at(1), block: { type: "tool_call", id: "a", name: "f" } })
  collector.add({ type: "block_start", ...at(2), block: { type: "tool_call", id: "b", name: "g" } })
  for (const index of [1, 2, 1, 2, 7]) collector.add({ type: "block_delta", ...at(index), text: String(index) })
  collector.add({ type: "ping" })
  expect(collector.reply()).toEqual({
    id: "",
    model: "",
    created: 0,
    choices: [
      {
        blocks: [
          { type: "tool_call", id: "a", name: "f", arguments: "11" },
          { type: "tool_call", id: "b", name: "g", arguments: "22" },
        ],
        stop: "other",
      },
    ],
  })
})
