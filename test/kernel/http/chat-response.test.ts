import {
  type ChatEvent,
  type ChatStream,
  createHeldMemory,
  type DialectModule,
  type Outcome,
  type Reply,
  type ReplyFilter,
  RtrError,
  type StreamBatch,
} from "rtr"
import { describe, expect, test, vi } from "vitest"
import { askJson, chatOperation, fakeListener, fakeRecord } from "../../fakes/listener.ts"
import { lineDialect, lineReply } from "../../fakes/line-dialect.ts"

const encoder = new TextEncoder()
const delta = (text: string): ChatEvent => ({ type: "block_delta", choice: 0, index: 0, text })
/** A batch as it was read, and one that somebody changed. */
const read = (text: string, events: readonly ChatEvent[] = []): StreamBatch => ({
  events,
  bytes: encoder.encode(text),
  done: false,
})
const changed = (...texts: readonly string[]): StreamBatch => ({ events: texts.map(delta), done: false })

function streamOf(
  batches: readonly StreamBatch[],
  breaksWith?: unknown,
): ChatStream & { cancelled: number; asked: number } {
  const left = [...batches]
  return {
    cancelled: 0,
    asked: 0,
    async next() {
      this.asked += 1
      if (left.length === 0 && breaksWith !== undefined) throw breaksWith
      return left.shift()
    },
    cancel() {
      this.cancelled += 1
    },
  }
}

const answering = (reply: Reply, told: unknown[] = []) => {
  const outcome: Outcome = { record: fakeRecord({ id: "mine" }), reply }
  return fakeListener({
    operations: [chatOperation(() => ({ outcome }))],
    onInternalError: (error) => told.push(error),
  })
}
const askFor = (reply: Reply, told: unknown[] = []) =>
  askJson(answering(reply, told), "/chat", { model: "m", text: "x" }, { "x-request-id": "mine" })

describe("a whole reply", () => {
  test("is written by the client's dialect with the routing metadata, and keeps the upstream's headers but those of its own", async () => {
    const answer = await askFor({
      kind: "whole",
      status: 200,
      reply: lineReply("hi"),
      headers: { "x-upstream": "u", "x-request-id": "theirs", "content-type": "text/theirs" },
    })
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        text: "hi",
        routing_metadata: {
          selected_model: "large",
          confidence: 0.75678,
          processing_time_ms: expect.any(Number),
          cache_hit: false,
          decision: "rush",
        },
      },
    ])
    expect(answer.headers).toMatchObject({
      "content-type": "application/json",
      "x-request-id": "mine",
      "x-upstream": "u",
      "x-selected-model": "large",
      "x-rtr-config-version": "7",
    })
  })

  test("that is a failure of the upstream keeps status and routing headers", async () => {
    const answer = await askFor({
      kind: "failure",
      status: 418,
      message: "too hot",
      code: "teapot",
      headers: { "retry-after": "7" },
    })
    expect(answer).toMatchObject({
      status: 418,
      body: { problem: "too hot", code: "teapot", id: "mine" },
      headers: { "content-type": "application/json", "retry-after": "7", "x-selected-model": "large" },
    })
  })
})

describe("a stream", () => {
  const stream = (source: ChatStream, dialect: string | undefined = "lines"): Reply => ({
    kind: "stream",
    status: 200,
    stream: source,
    dialect,
  })

  test("that its writer keeps counts as memory, and ends where there is no room for more", async () => {
    const memory = createHeldMemory(2 ** 20)
    let kept = 0
    const keeping: DialectModule = {
      ...lineDialect,
      writer: () => ({
        write: () => encoder.encode(`${(kept += 50_000)}\n`),
        end: () => encoder.encode("end\n"),
        kept: () => kept,
      }),
    }
    const source = streamOf(Array.from({ length: 100 }, () => changed("x")))
    const outcome: Outcome = { record: fakeRecord(), reply: stream(source) }
    const operations = [chatOperation(() => ({ outcome }))]
    const app = fakeListener({ operations, memory, dialects: new Map([["lines", keeping]]) })
    const { text } = await askJson(app, "/chat", { model: "m", text: "x" })
    expect(text).toMatch(/^50000\n100000\n.*error request_too_large .*\n$/s)
    expect([source.cancelled, memory.held]).toEqual([1, 0])
  })

  test("of the client's dialect goes on as its bytes", async () => {
    const answer = await askFor(stream(streamOf([read("a\n"), read("b\n", [delta("b")])])))
    expect([answer.text, answer.headers]).toMatchObject([
      "a\nb\n",
      {
        "content-type": "text/lines; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
        "x-selected-model": "large",
      },
    ])
  })

  test("that was made here, or comes in another dialect, is written by the client's", async () => {
    for (const dialect of [undefined, "other"])
      expect(
        (
          await askFor({
            kind: "stream",
            status: 200,
            stream: streamOf([read("x", [delta("a")]), changed("b", "c")]),
            dialect,
          })
        ).text,
      ).toBe("m: a\nm: b\nm: c\nend\n")
  })

  test("is written from the first batch on that a plugin changed", async () => {
    const answer = await askFor(stream(streamOf([read("a\n", [delta("a")]), changed("B"), changed(), changed("C")])))
    expect(answer.text).toBe("a\nm: B\nm: C\nend\n")
  })

  test("that breaks ends with an error event of the client's dialect, and is asked for no more", async () => {
    const broken = streamOf([read("a\n")], new RtrError("upstream_timeout", "the reply paused"))
    expect((await askFor(stream(broken))).text).toBe("a\nerror upstream_timeout the reply paused mine\n")
    expect(broken.asked).toBe(2)
  })

  test("that breaks with a bug says nothing of it but in the log", async () => {
    const told: unknown[] = []
    const bug = new TypeError("secret")
    const { text } = await askFor(stream(streamOf([read("a\n")], bug)), told)
    expect([text.includes("internal_error"), text.includes("secret"), told]).toEqual([true, false, [bug]])
  })

  test("is read at the pace of the client, and closed upstream when the client leaves", async () => {
    for (const pieces of [0, 1]) {
      const source = streamOf(Array.from({ length: 100 }, () => read("a\n")))
      const response = await answering(stream(source)).fetch(
        new Request("http://h/chat", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"text":"x"}',
        }),
      )
      const reader = response.body?.getReader()
      for (let piece = 0; piece < pieces; piece++) await reader?.read()
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(source.asked).toBeLessThanOrEqual(pieces + 1)
      await reader?.cancel()
      await vi.waitFor(() => expect(source.cancelled).toBe(1))
    }
  })
})

test("an outcome of an operation without a dialect is a bug", async () => {
  const told: unknown[] = []
  const outcome: Outcome = { record: fakeRecord(), reply: { kind: "whole", status: 200, reply: lineReply("x") } }
  const { dialect: _, ...plain } = chatOperation(() => ({ outcome }))
  const app = fakeListener({ operations: [plain], onInternalError: (error) => told.push(error) })
  expect([(await askJson(app, "/chat", {})).status, told.map(String)]).toEqual([
    500,
    ["Error: operation thing.chat returns an outcome and names neither a dialect nor a form"],
  ])
})

describe("a filter", () => {
  const filter: ReplyFilter = {
    whole: async (text) => JSON.stringify({ was: JSON.parse(text) as object }),
    stream: (source) => ({
      async pull() {
        const bytes = await source.pull()
        return bytes && new TextEncoder().encode(new TextDecoder().decode(bytes).toUpperCase())
      },
      cancel: (reason) => source.cancel(reason),
    }),
  }
  const filtered = (reply: Reply) =>
    askJson(
      fakeListener({
        operations: [chatOperation(() => ({ outcome: { record: fakeRecord({ id: "mine" }), reply }, filter }))],
      }),
      "/chat",
      { model: "m", text: "x" },
    )

  test("sees a whole reply as it was written for the client", async () => {
    const { body } = await filtered({ kind: "whole", status: 200, reply: lineReply("hi") })
    expect(body).toMatchObject({ was: { text: "hi", routing_metadata: {} } })
  })

  test("sees a stream piece by piece", async () => {
    const stream = streamOf([read("a\n"), changed("b")])
    const { text } = await filtered({ kind: "stream", status: 200, stream, dialect: "lines" })
    expect(text).toContain("A\n")
    expect(text).toContain("B")
  })

  test("does not see a failure", async () => {
    const { status, body } = await filtered({ kind: "failure", status: 418, message: "no" })
    expect([status, body]).toEqual([418, expect.not.objectContaining({ was: expect.anything() })])
  })
})
