import { expect, test } from "vitest"
import { createReplyCollector } from "../../../ts/kernel/chat/collect-reply.ts"
import { eventsOf } from "../../../ts/kernel/chat/reply-events.ts"
import type { Block, ChatReply } from "../../../ts/kernel/types/chat.ts"
import { randomReply } from "../../fakes/random-chat.ts"
import { createRandom } from "../../fakes/random.ts"

function collected(reply: ChatReply): ChatReply {
  const collector = createReplyCollector()
  for (const event of eventsOf(reply)) collector.add(event)
  return collector.reply()
}

test("the events of a reply make up the reply again", () => {
  const random = createRandom(5)
  for (let round = 0; round < 500; round++) {
    const reply = randomReply(random)
    expect(collected(reply)).toEqual(reply)
  }
})

test("blocks that no text makes up come whole, and proofs of reasoning come at its end", () => {
  const blocks: readonly Block[] = [
    { type: "reasoning", text: "one two", signature: "s" },
    { type: "reasoning", text: "", encrypted: "e" },
    { type: "text", text: "" },
    { type: "text", text: "a b" },
    { type: "text", text: "c" },
    { type: "audio", source: { kind: "id", id: "1" }, transcript: "t" },
    { type: "opaque", dialect: "x", value: { a: 1 } },
  ]
  const reply: ChatReply = { id: "1", model: "m", created: 0, choices: [{ blocks, stop: "stop" }] }
  expect(collected(reply)).toEqual(reply)
})

test.each(["word", " leading and trailing ", "a\n\nb\tc", "漢字かな", "👩‍👩‍👧 x", "  "])(
  "the words of %j add up to it",
  (text) => {
    const events = eventsOf({
      id: "",
      model: "",
      created: 0,
      choices: [{ blocks: [{ type: "text", text }], stop: "stop" }],
    })
    const deltas = events.flatMap((event) => (event.type === "block_delta" ? [event.text] : []))
    expect(deltas.join("")).toBe(text)
    expect(deltas.every((delta) => delta.trim().split(/\s+/).length === 1)).toBe(true)
  },
)
