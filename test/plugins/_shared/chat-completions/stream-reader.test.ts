// Streams of chat completions whose tokens the router has to know, because their model has a price.

import { describe, expect, test } from "vitest"
import { createFakeTransport, streamReply } from "../../../fakes/transport.ts"
import { chunk, hookPlugin, kernelWithPlugins, watchedKernel } from "../../../fakes/watched-kernel.ts"

const spoken = [
  chunk("hi", { usage: null }),
  chunk("", { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: null }),
]
const counted = chunk("", { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })
const { body: pieces } = streamReply([...spoken, counted])
const whole = (pieces as readonly string[]).join("")
const withoutCount = (streamReply(spoken).body as readonly string[]).join("")
const cut = (length: number): readonly string[] => whole.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) as string[]

const replying = (body: readonly string[]) => ({ transport: createFakeTransport(streamReply([], { body })) })
const streamed = (body: readonly string[]) => ({
  ...replying(body),
  changes: { "providers.models.1.pricing": { prompt_per_1m: 1, completion_per_1m: 10 } },
})

describe("a stream of a model with a price", () => {
  test.each([
    ["one piece", [whole]],
    ["an event a piece", pieces as readonly string[]],
    ["pieces of 7 characters", cut(7)],
    ["pieces of 150 characters", cut(150)],
  ])("is counted by its backend, and reaches a client that did not ask as it would have, in %s", async (_, body) => {
    const { stream, sent, records } = await watchedKernel(streamed(body))
    expect((await stream("urgent")).text).toBe(withoutCount)
    expect(sent()[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(records[0]?.costs).toMatchObject([{ currency: "USD", amount: 0.0002 }])
  })

  test("keeps the client's other options, and its count where the client asked for it", async () => {
    const { stream, sent } = await watchedKernel(streamed([whole]))
    await stream("urgent", { stream_options: { include_obfuscation: false, include_usage: false } })
    expect(sent()[0]).toMatchObject({ stream_options: { include_obfuscation: false, include_usage: true } })
    expect((await stream("urgent", { stream_options: { include_usage: true } })).text).toBe(whole)
  })

  test("does the same where a plugin reads its events", async () => {
    const seen: string[] = []
    const reads = hookPlugin(() => ({ event: (event) => (seen.push(event.type), event) }), { hooks: ["event"] })
    const { stream } = await kernelWithPlugins({ reads }, streamed(cut(150)))
    expect([(await stream("urgent")).text, seen.includes("usage")]).toEqual([withoutCount, true])
  })
})

test("a stream of a model without a price is asked for as it came, and goes on as it is", async () => {
  const { stream, sent } = await watchedKernel(replying([whole]))
  expect((await stream("urgent")).text).toBe(whole)
  expect(sent()[0]).not.toHaveProperty("stream_options")
})
