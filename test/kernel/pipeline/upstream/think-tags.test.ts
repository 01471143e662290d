import { describe, expect, test } from "vitest"
import { problemsOf, documentWith } from "../../../fakes/document.ts"
import { post } from "../../../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply, streamReply } from "../../../fakes/transport.ts"
import { chunk, hookPlugin, lastChunk, watchedKernel, type WatchedKernel } from "../../../fakes/watched-kernel.ts"

type Tags = "written" | "opened"

const over = (
  tags: Tags | undefined,
  transport: Parameters<typeof createFakeTransport>[0],
  more: object = {},
): Promise<WatchedKernel> =>
  watchedKernel({
    changes: { "providers.models.0.backend_refs.0.think_tags": tags, ...more },
    transport: createFakeTransport(transport),
  })

interface Case {
  readonly tags: Tags
  readonly text: string
  readonly reasoning: string
  readonly said: string
}

const cases: readonly Case[] = [
  { tags: "written", text: "<think>\nI add.\n</think>\n\nIt is 4.", reasoning: "I add.", said: "It is 4." },
  { tags: "written", text: "\n <think>a</think>b", reasoning: "a", said: "b" },
  { tags: "written", text: "It is <think>no tag</think>", reasoning: "", said: "It is <think>no tag</think>" },
  { tags: "written", text: "no tag</think> here", reasoning: "", said: "no tag</think> here" },
  { tags: "written", text: "<thin", reasoning: "", said: "<thin" },
  { tags: "written", text: " <b>bold</b>", reasoning: "", said: " <b>bold</b>" },
  { tags: "written", text: "<think>cut in the mid", reasoning: "cut in the mid", said: "" },
  {
    tags: "written",
    text: "<think>if a < b </thin then</think> a  < b ",
    reasoning: "if a < b </thin then",
    said: "a  < b ",
  },
  { tags: "written", text: "<think></think>4", reasoning: "", said: "4" },
  { tags: "written", text: "<think>a</think> b <think>c</think>", reasoning: "a", said: "b <think>c</think>" },
  { tags: "opened", text: "I add.\n</think>\n\nIt is 4.", reasoning: "I add.", said: "It is 4." },
  { tags: "opened", text: "<think>I add.</think>It is 4.", reasoning: "I add.", said: "It is 4." },
  { tags: "opened", text: "cut in the mid", reasoning: "cut in the mid", said: "" },
]

interface Delta {
  readonly content?: string
  readonly reasoning_content?: string
}

describe("text between tags", () => {
  test("of a whole reply is reasoning", async () => {
    for (const { tags, text, reasoning, said } of cases) {
      const { ask } = await over(tags, jsonReply(completion(text)))
      const { message } = (await ask("hi")).body.choices[0] as {
        message: { content: string | null; reasoning_content?: string }
      }
      expect([text, message.reasoning_content ?? "", message.content ?? ""]).toEqual([text, reasoning, said])
    }
  })

  test("of a stream is reasoning, however the text is cut", async () => {
    for (const { tags, text, reasoning, said } of cases)
      for (const size of [1, 2, 3, 5, 1000]) {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
        const { stream } = await over(tags, streamReply([...pieces.map((piece) => chunk(piece)), lastChunk()]))
        const { events } = await stream("hi")
        const deltas = events.flatMap((event) =>
          typeof event === "string" ? [] : (event as { choices: { delta: Delta }[] }).choices.map(({ delta }) => delta),
        )
        const joined = (name: keyof Delta): string => deltas.map((delta) => delta[name] ?? "").join("")
        expect([text, size, joined("reasoning_content"), joined("content")]).toEqual([text, size, reasoning, said])
        expect(events.at(-1)).toBe("[DONE]")
      }
  })

  test("is a block of its own for clients of Messages, and tool calls follow", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }
    const chunks = [
      chunk("<think>hm</think>"),
      chunk("so:"),
      chunk("", { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }),
      lastChunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    ]
    const { kernel } = await over("written", streamReply(chunks))
    const body = { model: "MoM", max_tokens: 9, stream: true, messages: [{ role: "user", content: "hi" }] }
    const text = await (await kernel.fetch(post("/v1/messages", body))).text()
    const starts = [...text.matchAll(/"index":(\d),"content_block":\{"type":"(\w+)"/g)].map(([, index, type]) => [
      index,
      type,
    ])
    expect(starts).toEqual([
      ["0", "thinking"],
      ["1", "text"],
      ["2", "tool_use"],
    ])
    expect(text).toContain('"stop_reason":"tool_use"')
  })

  test("is split in each choice", async () => {
    const at = (index: number, content: string): object =>
      chunk("", { choices: [{ index, delta: { content }, finish_reason: null }] })
    const { stream } = await over(
      "written",
      streamReply([at(0, "<think>a"), at(1, "b"), at(0, "</think>c"), lastChunk()]),
    )
    const { events } = await stream("hi")
    const said = events.flatMap((event) =>
      typeof event === "string"
        ? []
        : (event as { choices: { index: number; delta: Delta }[] }).choices.map(({ index, delta }) => [index, delta]),
    )
    expect(said).toEqual(
      expect.arrayContaining([
        [0, { reasoning_content: "a" }],
        [1, { content: "b" }],
        [0, { content: "c" }],
      ]),
    )
  })

  test("is no text for plugins", async () => {
    const seen: string[] = []
    const looks = hookPlugin<"event">(
      () => ({
        event: (event) => {
          if (event.type === "block_start") seen.push(event.block.type)
          return event
        },
      }),
      { hooks: ["event"] },
    )
    const { stream } = await watchedKernel({
      modules: { looks },
      changes: {
        "providers.models.1.backend_refs.0.think_tags": "written",
        "routing.decisions.0.plugins": [{ type: "looks", configuration: {} }],
      },
      transport: createFakeTransport(streamReply([chunk("<think>a</think>b"), lastChunk()])),
    })
    await stream("urgent")
    expect(seen).toEqual(["reasoning", "text"])
  })
})

describe("a reply goes on as it came", () => {
  const reasoned = completion("<think>a</think>b")

  test("where the document asks for nothing", async () => {
    const { ask } = await over(undefined, jsonReply(reasoned))
    expect((await ask("hi")).body.choices).toEqual((reasoned as { choices: unknown }).choices)
  })

  test("where it has no tags", async () => {
    const own = { ...completion("b"), own: 1 }
    expect((await (await over("written", jsonReply(own))).ask("hi")).body).toMatchObject(own)
    const chunks = [chunk("some longer text", { own: 1 }), chunk(" more", { own: 2 }), lastChunk()]
    const { text } = await (await over("written", streamReply(chunks))).stream("hi")
    expect(text).toBe([...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"].join(""))
  })

  test("where the backend tells reasoning apart itself", async () => {
    const apart = completion("<think>b", {
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "<think>b", reasoning_content: "a" },
          finish_reason: "stop",
        },
      ],
    })
    expect((await (await over("opened", jsonReply(apart))).ask("hi")).body).toMatchObject(apart)
  })

  test("where it is an error", async () => {
    const { ask } = await over("opened", jsonReply({ error: { message: "<think>no" } }, { status: 429 }))
    expect((await ask("hi")).body.error.message).toBe("<think>no")
  })
})

test("other words than the two are refused", () => {
  expect(problemsOf(documentWith({ "providers.models.0.backend_refs.0.think_tags": true }))).toEqual([
    expect.stringContaining('providers.models[0].backend_refs[0].think_tags: must be "written" or "opened"'),
  ])
})
