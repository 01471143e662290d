import type { Block, Fact, Turn } from "rtr"
import { chatRequest, signalContract, signalInput } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import signal from "../../../ts/plugins/signals/input-modality.ts"

const rules = (["text", "image", "audio", "video"] as const).map((modality) => ({ name: modality, modality }))

async function counts(turns: readonly Turn[]): Promise<readonly (number | undefined)[]> {
  const reader = await signal.setup(rules, { settings: {} })
  const facts: readonly Fact[] = await reader.read({ ...signalInput("x"), request: chatRequest(turns) }, {})
  for (const { state, confidence, value } of facts) {
    expect(state).toBe(value === 0 ? "no_match" : "match")
    expect(confidence).toBe(value === 0 ? 0 : 1)
  }
  return facts.map(({ value }) => value)
}

describe("contract", () => {
  for (const { name, run } of signalContract(signal, { rules })) test(name, run)
})

const text: Block = { type: "text", text: "hi" }
const image: Block = { type: "image", source: { kind: "url", url: "https://a.example/b.png" } }
const audio: Block = { type: "audio", source: { kind: "base64", data: "AAAA" } }

test("all of the user's messages count, and nobody else's", async () => {
  expect(
    await counts([
      { role: "system", blocks: [text, image] },
      { role: "user", blocks: [text, image, image] },
      { role: "assistant", blocks: [text, audio] },
      { role: "user", blocks: [audio] },
    ]),
  ).toEqual([1, 2, 1, 0])
})

test("a blank text is none", async () => {
  expect(await counts([{ role: "user", blocks: [{ type: "text", text: " \n" }] }])).toEqual([0, 0, 0, 0])
})

test("parts that only some backends know count by their type", async () => {
  const content = [
    { type: "video_url", video_url: { url: "https://a.example/v.mp4" } },
    { type: "audio_url", audio_url: { url: "https://a.example/a.mp3" } },
    { type: "something_else" },
  ]
  const { turns } = chatCompletions.readRequest({ model: "MoM", messages: [{ role: "user", content }] })
  expect(await counts(turns)).toEqual([0, 0, 1, 1])
})

test.each([
  [{ modality: "video" }, true],
  [{ modality: "smell" }, false],
  [{}, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
