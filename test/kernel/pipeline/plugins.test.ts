import { type ChatEvent, errorCodes, type PluginCall, type PluginHooks, RtrError, textReply } from "rtr"
import { describe, expect, test } from "vitest"
import { dataOf, textOfEvents } from "../../fakes/event-stream.ts"
import { createFakeTransport, completion, jsonReply, streamReply } from "../../fakes/transport.ts"
import { chat } from "../../fakes/kernel.ts"
import { chunk, gatedReply, hookPlugin, kernelWithPlugins, lastChunk } from "../../fakes/watched-kernel.ts"

const streaming = () => createFakeTransport(streamReply([chunk("a"), chunk("b"), lastChunk()]))
const answer = (text: string) => textReply({ text, model: "none" })
const broken = (): never => {
  throw new Error("broken")
}

/** A plugin that writes down when its hooks run. */
const noisy = (name: string, log: string[], hooks: Partial<PluginHooks> = {}) =>
  hookPlugin(
    () => ({
      before: (call) => {
        log.push(`before ${name}`)
        return hooks.before?.(call)
      },
      around: async (call, next) => {
        log.push(`into ${name}`)
        const reply = await (hooks.around?.(call, next) ?? next(call))
        log.push(`out of ${name}`)
        return reply
      },
      event: (event) => {
        log.push(`event ${name}`)
        return event
      },
      after: (reply) => {
        log.push(`after ${name}`)
        return reply
      },
      end: (how) => void log.push(`end ${name} ${how}`),
    }),
    { hooks: ["before", "around", "event", "after", "end"] },
  )

describe("order", () => {
  test("hooks unwind in the reverse order", async () => {
    const log: string[] = []
    const { ask } = await kernelWithPlugins({ a: noisy("a", log), b: noisy("b", log) })
    await ask("urgent")
    expect(log).toEqual([
      "before a",
      "into a",
      "before b",
      "into b",
      "out of b",
      "after b",
      "out of a",
      "after a",
      "end b complete",
      "end a complete",
    ])
  })

  test("events pass the innermost plugin first", async () => {
    const log: string[] = []
    const { stream } = await kernelWithPlugins(
      { a: noisy("a", log), b: noisy("b", log) },
      { transport: createFakeTransport(streamReply([chunk("a")])) },
    )
    await stream("urgent")
    const events = log.filter((line) => line.startsWith("event"))
    expect(events.length).toBeGreaterThan(1)
    expect(events.join()).toMatch(/^(event b,)+(event a,?)+/)
  })

  test("a smaller number runs further outside than the listed order", async () => {
    const log: string[] = []
    const { ask } = await kernelWithPlugins({ late: noisy("late", log), early: { ...noisy("early", log), order: 5 } })
    await ask("urgent")
    expect(log.slice(0, 3)).toEqual(["before early", "into early", "before late"])
  })

  test("plugins run for the decisions that list them and for no others", async () => {
    const log: string[] = []
    const { ask, records } = await kernelWithPlugins({ a: noisy("a", log) })
    await ask("calm")
    await ask("urgent", { model: "small" })
    expect([log, records.map(({ plugins }) => plugins)]).toEqual([[], [[], []]])
  })
})

describe("before", () => {
  const before = (hook: PluginHooks["before"]) => hookPlugin(() => ({ before: hook }), { hooks: ["before"] })
  const limited = (maxOutputTokens: number) =>
    before(({ request }) => ({ request: { ...request, generation: { ...request.generation, maxOutputTokens } } }))

  test("sees the call", async () => {
    const seen: PluginCall[] = []
    const { ask } = await kernelWithPlugins({ a: before((call) => void seen.push(call)) })
    await ask("urgent", {}, { "x-request-id": "req-1", "x-own": "1" })
    const [call] = seen
    expect(call).toMatchObject({
      id: "req-1",
      decision: "rush",
      model: "large",
      text: "urgent",
      principal: { role: "client" },
      headers: { "x-selected-model": "large", "x-request-id": "req-1" },
    })
    expect([call?.header("x-own"), call?.signal.aborted]).toEqual(["1", false])
  })

  test("reads facts that its plugin says it comes after; without that their rules are not read, and it fails", async () => {
    const seen: unknown[] = []
    const reads = (after?: readonly string[]) =>
      hookPlugin(({ factsOf }) => ({ before: () => void seen.push(factsOf("language"), factsOf("domain")) }), {
        hooks: ["before"],
        ...(after !== undefined && { after: () => after }),
      })
    const changes = { "routing.signals.language": [{ name: "en" }] }
    const declared = await kernelWithPlugins({ a: reads(["language"]) }, { changes })
    expect((await declared.ask("urgent")).status).toBe(200)
    expect(seen).toEqual([[expect.objectContaining({ rule: "en" })], []])
    const { ask, transport, told } = await kernelWithPlugins({ a: reads() }, { changes })
    expect([(await ask("urgent")).status, transport.requests]).toEqual([500, []])
    expect(told).toEqual([
      [
        expect.objectContaining({
          message: 'Cannot tell facts of "language": nobody asks for its rules; name it in the "after" of the plugin',
        }),
        "plugin a",
      ],
    ])
  })

  test("reads no facts of a type that no signal has, unless its plugin names it, which the document is warned of", async () => {
    const reads = (after?: readonly string[]) =>
      hookPlugin(({ factsOf }) => ({ before: () => void factsOf("secret") }), {
        hooks: ["before"],
        ...(after !== undefined && { after: () => after }),
      })
    const { ask, transport, told } = await kernelWithPlugins({ a: reads() })
    expect([(await ask("urgent")).status, transport.requests]).toEqual([500, []])
    expect(String(told[0]?.[0])).toMatch(
      /The plugin asks for facts of a type that no signal has; there are .*jailbreak/,
    )
    expect(String(told[0]?.[0])).not.toContain("secret")
    expect((await (await kernelWithPlugins({ a: reads(["secret"]) })).ask("urgent")).status).toBe(200)
  })

  test("may change the request for those inside and for the backend, which the record tells", async () => {
    const seen: unknown[] = []
    const { ask, sent, records } = await kernelWithPlugins({
      a: limited(5),
      b: before(({ request }) => void seen.push(request.generation.maxOutputTokens)),
    })
    await ask("urgent")
    expect([seen, sent()[0]]).toEqual([[5], expect.objectContaining({ max_completion_tokens: 5 })])
    expect(records[0]?.plugins).toEqual([{ type: "a", outcome: "changed" }])
  })

  test("may change the headers, and both", async () => {
    const { ask, transport, sent } = await kernelWithPlugins({
      a: before(({ headers }) => ({ headers: { ...headers, "x-team": "law" } })),
      b: limited(7),
    })
    await ask("urgent")
    expect([transport.requests[0]?.headers["x-team"], sent()[0]?.["max_completion_tokens"]]).toEqual(["law", 7])
  })

  test("that returns something else is refused, and nothing is sent", async () => {
    for (const result of [null, "x", { befor: 1 }]) {
      const { ask, transport, told } = await kernelWithPlugins({ a: before((() => result) as never) })
      const { status, body } = await ask("urgent")
      expect([result, status, body.error.code, transport.requests]).toEqual([result, 500, expect.any(String), []])
      expect([...told.map(([error]) => String(error)), body.error.message].join()).toContain(
        'Plugin "a" returned something else from before',
      )
    }
  })

  test("may answer at once: nothing inside runs, and only the plugins outside see the answer", async () => {
    const log: string[] = []
    const { ask, transport, records } = await kernelWithPlugins({
      a: noisy("a", log),
      b: noisy("b", log, { before: () => ({ answer: answer("no") }) }),
      c: noisy("c", log),
    })
    const { body, headers } = await ask("urgent")
    expect([body.choices[0].message.content, headers.get("x-rtr-response-path")]).toEqual(["no", "b"])
    expect(log).toEqual(["before a", "into a", "before b", "out of a", "after a", "end b complete", "end a complete"])
    expect([transport.requests, records[0]]).toMatchObject([
      [],
      {
        path: "b",
        model: undefined,
        decision: "rush",
        confidence: 1,
        status: 200,
        plugins: [{ type: "b", outcome: "answered" }],
      },
    ])
  })

  test("need not know whether the client asked for a stream", async () => {
    const { stream } = await kernelWithPlugins({ a: before(() => ({ answer: answer("no") })) })
    const { events, headers } = await stream("urgent")
    expect([headers.get("content-type"), textOfEvents(events), events.at(-1)]).toEqual([
      expect.stringContaining("text/event-stream"),
      "no",
      "[DONE]",
    ])
  })

  test("may refuse: the client gets the error, nothing else runs, and the record tells who", async () => {
    const log: string[] = []
    const refuse = new RtrError("model_not_allowed", "not for you")
    const { ask, transport, records } = await kernelWithPlugins({
      a: noisy("a", log),
      b: noisy("b", log, { before: () => ({ refuse }) }),
      c: noisy("c", log),
    })
    const { status, body } = await ask("urgent")
    expect([status, body.error.message, transport.requests]).toEqual([403, "not for you", []])
    expect(log).toEqual(["before a", "into a", "before b", "end b failed", "end a failed"])
    expect(records).toMatchObject([{ status: 403, decision: "rush", plugins: [{ type: "b", outcome: "refused" }] }])
  })
})

test("a hook that throws ends the call, without a word of its message, and the record tells whose it was", async () => {
  const secret = (): never => {
    throw new Error("secret detail")
  }
  const hooks: readonly Partial<PluginHooks>[] = [
    { before: secret },
    { before: () => Promise.reject(new Error("secret detail")) },
    { around: secret },
    { after: secret },
  ]
  for (const hook of hooks) {
    const names = Object.keys(hook) as (keyof PluginHooks)[]
    const { ask, records, told } = await kernelWithPlugins({
      outer: hookPlugin(() => ({ around: (call, next) => next(call) }), { hooks: ["around"] }),
      a: hookPlugin(() => hook as PluginHooks, { hooks: names, ...("after" in hook && { stream: "buffer" as const }) }),
    })
    const { status, text } = await ask("urgent")
    expect([names, status, text.includes("secret"), told.length]).toEqual([names, 500, false, 1])
    expect(records).toMatchObject([
      { status: 500, error: { code: "internal_error" }, decision: "rush", plugins: [{ type: "a", outcome: "failed" }] },
    ])
  }
})

describe("a hook that never ends", () => {
  const never = (): Promise<never> => new Promise(() => {})
  const hanging: readonly (readonly [hook: string, hooks: Partial<PluginHooks>])[] = [
    ["before", { before: never }],
    ["around", { around: never }],
    ["around", { around: async (call, next) => (await next(call), never()) }],
    ["after", { after: never }],
  ]
  const hangingPlugin = (hooks: Partial<PluginHooks>) =>
    hookPlugin(() => hooks as PluginHooks, {
      hooks: Object.keys(hooks) as (keyof PluginHooks)[],
      ...("after" in hooks && { stream: "buffer" as const }),
    })

  test("has the time of the listener", async () => {
    for (const [hook, hooks] of hanging) {
      const { ask, records, told } = await kernelWithPlugins(
        { a: hangingPlugin(hooks) },
        { changes: { "listeners.0.timeout": "20ms" } },
      )
      const { status, body } = await ask("urgent")
      const message = `Plugin "a" did not end its hook ${hook} within 0.02 seconds`
      expect([status, body.error.code, body.error.message]).toEqual([504, "deadline_exceeded", message])
      expect(records).toMatchObject([{ status: 504, plugins: [{ type: "a", outcome: "failed" }] }])
      expect(told.map(([error, about]) => [(error as Error).message, about])).toEqual([[message, "plugin a"]])
    }
  })

  test("ends when the client leaves, which is no failure of the plugin", async () => {
    for (const [, hooks] of hanging) {
      const { kernel, records, told } = await kernelWithPlugins({ a: hangingPlugin(hooks) })
      const leaving = new AbortController()
      const replying = kernel.fetch(new Request(chat("urgent"), { signal: leaving.signal }))
      setTimeout(() => leaving.abort(), 20)
      await replying
      expect([records, told]).toMatchObject([
        [{ status: 499, error: { code: "client_closed_request" }, plugins: [] }],
        [],
      ])
    }
  })

  test("ends a stream, too", async () => {
    const { stream, records } = await kernelWithPlugins(
      { a: hookPlugin(() => ({ event: never }), { hooks: ["event"] }) },
      { transport: streaming(), changes: { "listeners.0.timeout": "20ms" } },
    )
    expect((await stream("urgent")).text).toContain("did not end its hook event")
    expect(records).toMatchObject([{ status: 504 }])
  })

  test("calls no model when its request has ended", async () => {
    let late: Promise<unknown> | undefined
    const { ask, transport } = await kernelWithPlugins(
      {
        a: hangingPlugin({
          around(call, next) {
            const callLate = async (): Promise<unknown> => {
              await new Promise((resolve) => setTimeout(resolve, 60))
              return next(call)
            }
            late = callLate().catch((error: unknown) => error)
            return never()
          },
        }),
      },
      { changes: { "listeners.0.timeout": "20ms" } },
    )
    await ask("urgent")
    expect([await late, transport.requests]).toMatchObject([{ code: "deadline_exceeded" }, []])
  })

  test("is no hook that waits for the model", async () => {
    const slow = async () => (await new Promise((resolve) => setTimeout(resolve, 60)), jsonReply(completion("hi")))
    const { ask } = await kernelWithPlugins(
      { a: hangingPlugin({ around: (call, next) => next(call) }) },
      { transport: createFakeTransport(slow), changes: { "listeners.0.timeout": "20ms" } },
    )
    expect((await ask("urgent")).status).toBe(200)
  })
})

describe("what a hook returns in another form", () => {
  const reply = answer("no")
  const form = "undefined, { request, headers }, { answer } or { refuse }"
  const text = { type: "text" }
  const cases: readonly (readonly [hook: keyof PluginHooks, hooks: object, wrong: string])[] = [
    ["before", { before: () => ({ answer: { hello: 1 } }) }, `${form}: answer: id must be a string`],
    ["before", { before: () => ({ answer: undefined }) }, `${form}: answer: it is no object`],
    ["before", { before: () => ({ refuse: "secret" }) }, `${form}: refuse must be an RtrError`],
    [
      "before",
      { before: () => ({ refuse: new RtrError("secret" as never, "secret") }) },
      `${form}: the code of refuse must be one of ${Object.keys(errorCodes).join(", ")}`,
    ],
    ...[{ a: 1 }, { a: "b\r\nc: d" }, { a: "☃" }, { "a b": "c" }].map(
      (headers): readonly ["before", object, string] => [
        "before",
        { before: () => ({ headers }) },
        `${form}: headers must be an object of names and values that HTTP allows`,
      ],
    ),
    ["before", { before: () => ({ request: { turns: 3 } }) }, `${form}: request: model must be a string`],
    [
      "before",
      { before: ({ request }: PluginCall) => ({ request: { ...request, turns: 3 } }) },
      `${form}: request: turns must be a list`,
    ],
    [
      "before",
      {
        before: ({ request }: PluginCall) => ({
          request: { ...request, turns: [...request.turns, { role: "user", blocks: [text] }] },
        }),
      },
      `${form}: request: turns[1]: blocks[0]: text must be a string (text)`,
    ],
    ["around", { around: async () => "secret" }, "a reply: it is no object"],
    [
      "around",
      { around: async () => ({ kind: "secret", status: 200 }) },
      "a reply: kind must be whole, stream or failure",
    ],
    ["around", { around: async () => ({ kind: "whole", status: 200, reply: 3 }) }, "a reply: reply: it is no object"],
    ["around", { around: async () => ({ kind: "stream", status: 200 }) }, "a reply: stream must be a stream"],
    ["after", { after: () => "hi" }, "a reply: it is no object"],
    ["after", { after: ({ id }: { readonly id: string }) => id }, "a reply: it is no object"],
    [
      "after",
      { after: async () => ({ ...reply, choices: [{ blocks: [] }] }) },
      "a reply: choices[0]: stop must be a string",
    ],
    [
      "after",
      { after: () => ({ ...reply, choices: [{ stop: "stop", blocks: [{ type: "secret" }] }] }) },
      "a reply: choices[0]: blocks[0]: type must be one of text, image, audio, file, tool_call, tool_result, reasoning, refusal, opaque",
    ],
  ]

  test("is refused with the plugin's name, and the record has the status that the client got", async () => {
    for (const [hook, hooks, wrong] of cases) {
      const { ask, records, told } = await kernelWithPlugins({
        a: hookPlugin(() => hooks as PluginHooks, {
          hooks: [hook],
          ...(hook === "after" && { stream: "buffer" as const }),
        }),
      })
      const { status, body } = await ask("urgent")
      expect([status, body.error.code, body.error.message]).toEqual([
        500,
        "invalid_module",
        "A module of the router does not work; the router's log says which",
      ])
      expect(told.map(([error, about]) => [(error as Error).message, about])).toEqual([
        [`Plugin "a" returned something else from ${hook} than ${wrong}`, "plugin a"],
      ])
      expect(records).toMatchObject([{ status: 500, plugins: [{ type: "a", outcome: "failed" }] }])
    }
  })

  test("ends a stream before half an event goes out", async () => {
    const events: readonly (readonly [event: unknown, wrong: string])[] = [
      [{ type: "block_delta" }, "choice must be a number (block_delta)"],
      [{ type: "block_delta", choice: 0, index: 0 }, "text must be a string (block_delta)"],
      [[{ type: "ping" }, { type: "stop", choice: 0 }], "reason must be a string (stop)"],
      [
        { type: "block_start", choice: 0, index: 0, block: { type: "tool_call" } },
        "block: id must be a string (tool_call)",
      ],
      [
        { type: "secret" },
        "type must be one of start, block_start, block_delta, block_end, stop, usage, ping, failed, opaque",
      ],
    ]
    for (const [event, wrong] of events) {
      const { stream, told } = await kernelWithPlugins(
        { a: hookPlugin(() => ({ event: () => event as ChatEvent }), { hooks: ["event"] }) },
        { transport: streaming() },
      )
      const { text: sent, events: got } = await stream("urgent")
      expect([textOfEvents(got), sent]).toEqual(["", expect.stringContaining("A module of the router does not work")])
      expect(told.map(([error]) => (error as Error).message)).toEqual([
        `Plugin "a" returned something else from event than events of a stream: ${wrong}`,
      ])
    }
  })
})

describe("around", () => {
  const around = (hook: PluginHooks["around"]) => hookPlugin(() => ({ around: hook }), { hooks: ["around"] })

  test("sees the call as its own before-hook left it, and may change it further", async () => {
    const { ask, transport } = await kernelWithPlugins({
      a: hookPlugin(
        () => ({
          before: ({ headers }) => ({ headers: { ...headers, a: "1" } }),
          around: (call, next) => next({ ...call, headers: { ...call.headers, b: "2" } }),
        }),
        { hooks: ["before", "around"] },
      ),
    })
    await ask("urgent")
    expect(transport.requests[0]?.headers).toMatchObject({ a: "1", b: "2" })
  })

  test("may ask the model again, and each is an attempt of the record", async () => {
    const replies = [jsonReply({}, { status: 503 }), jsonReply(completion("again"))]
    const { ask, records } = await kernelWithPlugins(
      { a: around(async (call, next) => ((await next(call)).status === 503 ? next(call) : broken())) },
      { transport: createFakeTransport(() => replies.shift() ?? new Error("a third call")) },
    )
    expect((await ask("urgent")).body.choices[0].message.content).toBe("again")
    expect(records[0]?.attempts.map(({ status }) => status)).toEqual([503, 200])
  })

  test("may answer without the model; its own after-hook sees that", async () => {
    const { ask, transport, records } = await kernelWithPlugins({
      a: hookPlugin(
        () => ({
          around: async () => ({ kind: "whole", status: 200, reply: answer("mine") }),
          after: (reply) => ({ ...reply, model: "seen" }),
        }),
        { hooks: ["around", "after"], stream: "buffer" },
      ),
    })
    const { body } = await ask("urgent")
    expect([body.model, body.choices[0].message.content, transport.requests]).toEqual(["seen", "mine", []])
    expect(records[0]).toMatchObject({ path: "a", model: undefined })
  })

  test("sees errors of what is inside, which are not its own", async () => {
    const { ask, records } = await kernelWithPlugins(
      {
        a: around((call, next) => next(call).catch(() => ({ kind: "whole", status: 203, reply: answer("instead") }))),
        b: around((call, next) => next(call)),
      },
      { transport: createFakeTransport(new RtrError("upstream_unavailable", "down")) },
    )
    expect((await ask("urgent")).status).toBe(203)
    expect(records[0]).toMatchObject({
      status: 203,
      plugins: [],
      attempts: [{ error: { code: "upstream_unavailable" } }],
    })
  })

  test("passes on who answered inside", async () => {
    const { ask } = await kernelWithPlugins({
      a: around((call, next) => next(call)),
      b: hookPlugin(() => ({ before: () => ({ answer: answer("b") }) }), { hooks: ["before"] }),
    })
    expect((await ask("urgent")).headers.get("x-rtr-response-path")).toBe("b")
  })

  test("that returns a stream for a client that asked for none is refused, and the stream is closed", async () => {
    const { ask, transport } = await kernelWithPlugins(
      { a: around((call, next) => next({ ...call, request: { ...call.request, stream: true } })) },
      { transport: streaming() },
    )
    expect((await ask("urgent")).status).toBe(500)
    expect(transport.cancelled.count).toBe(1)
  })

  test("closes the streams that it was given and does not return", async () => {
    const hooks: readonly (readonly [
      name: string,
      hook: PluginHooks["around"],
      closed: number,
      said: string | undefined,
    ])[] = [
      ["asks again and returns the second", async (call, next) => (await next(call)) && next(call), 1, "ab"],
      [
        "asks again and returns the first",
        async (call, next) => {
          const first = await next(call)
          await next(call)
          return first
        },
        1,
        "ab",
      ],
      ["throws", async (call, next) => (await next(call)) && broken(), 1, undefined],
      [
        "answers otherwise",
        async (call, next) => (await next(call)) && { kind: "whole", status: 200, reply: answer("mine") },
        1,
        "mine",
      ],
    ]
    for (const [name, hook, closed, said] of hooks) {
      const { stream, transport } = await kernelWithPlugins({ a: around(hook) }, { transport: streaming() })
      const { events } = await stream("urgent")
      expect([name, transport.cancelled.count, said === undefined ? undefined : textOfEvents(events)]).toEqual([
        name,
        closed,
        said,
      ])
    }
  })
})

describe("after", () => {
  test("may change a whole reply and keeps its status and headers", async () => {
    const { ask } = await kernelWithPlugins(
      {
        a: hookPlugin(({ id }) => ({ after: async (reply) => ({ ...reply, model: id }) }), {
          hooks: ["after"],
          stream: "buffer",
        }),
      },
      {
        transport: createFakeTransport(
          jsonReply(completion("hi"), { status: 201, headers: { "x-ratelimit-limit": "9" } }),
        ),
      },
    )
    const { status, headers, body } = await ask("urgent", {}, { "x-request-id": "req-1" })
    expect([status, headers.get("x-ratelimit-limit"), body.model]).toEqual([201, "9", "req-1"])
  })

  test("does not see an upstream's failure", async () => {
    for (const status of [400, 404, 500, 503]) {
      const { ask, records } = await kernelWithPlugins(
        { a: hookPlugin(() => ({ after: broken, event: broken }), { hooks: ["after", "event"] }) },
        { transport: createFakeTransport(jsonReply({ error: { message: "no" } }, { status })) },
      )
      expect([(await ask("urgent")).status, records[0]?.plugins]).toEqual([status, []])
    }
  })
})

describe("after of a stream that is held", () => {
  const held = (after: PluginHooks["after"]) => hookPlugin(() => ({ after }), { hooks: ["after"], stream: "buffer" })

  test("sees it whole, and the client gets nothing before", async () => {
    const { reply, send, end } = gatedReply()
    const seen: string[] = []
    const { kernel } = await kernelWithPlugins(
      { a: held((whole) => (seen.push(JSON.stringify(whole.choices)), whole)) },
      { transport: createFakeTransport(reply) },
    )
    const { body } = await kernel.fetch(chat("urgent", { stream: true }))
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    let first: string | undefined
    const reading = reader.read().then(({ value }) => (first = new TextDecoder().decode(value)))
    send(chunk("forbidden "))
    send(chunk("word"))
    await settled()
    expect([first, seen]).toEqual([undefined, []])
    send(lastChunk())
    send("data: [DONE]\n\n")
    end()
    await reading
    const rest = await restOf(reader)
    expect(seen).toEqual([expect.stringContaining("forbidden word")])
    expect(textOfEvents(dataOf(`${first}${rest}`))).toBe("forbidden word")
  })

  test("may change it", async () => {
    const { stream } = await kernelWithPlugins({ a: held(() => answer("kept clean")) }, { transport: streaming() })
    const { events } = await stream("urgent")
    expect([textOfEvents(events), events.at(-1)]).toEqual(["kept clean", "[DONE]"])
  })

  test("that throws ends the stream with the error event and not a byte of the reply", async () => {
    const refuse = new RtrError("model_not_allowed", "the reply was stopped")
    const { stream, records } = await kernelWithPlugins(
      { a: held(() => Promise.reject(refuse)) },
      { transport: streaming() },
    )
    const { events, text } = await stream("urgent")
    expect(events[0]).toMatchObject({ error: { message: "the reply was stopped" } })
    expect(textOfEvents(events.slice(1))).toBe("")
    expect(text).not.toContain('"content":"a"')
    expect(records).toMatchObject([
      { status: 403, error: { code: "model_not_allowed" }, plugins: [{ type: "a", outcome: "failed" }] },
    ])
  })

  test("runs inside of those that are listed before it, whose events see what it made", async () => {
    const texts: string[] = []
    const { stream } = await kernelWithPlugins(
      {
        outer: hookPlugin(
          () => ({
            event: (event) => {
              if (event.type === "block_delta") texts.push(event.text)
              return event
            },
          }),
          { hooks: ["event"] },
        ),
        inner: held(() => answer("checked")),
      },
      { transport: streaming() },
    )
    await stream("urgent")
    expect(texts.join("")).toBe("checked")
  })
})

describe("event", () => {
  const onEvent = (event: PluginHooks["event"]) => hookPlugin(() => ({ event }), { hooks: ["event"] })
  const said = async (event: PluginHooks["event"]) => {
    const { stream } = await kernelWithPlugins({ a: onEvent(event) }, { transport: streaming() })
    const { events, text } = await stream("urgent")
    return { said: textOfEvents(events), end: events.at(-1), text }
  }

  test("that changes nothing leaves the wire form, byte for byte", async () => {
    const { stream } = await kernelWithPlugins({ a: onEvent((event) => event) }, { transport: streaming() })
    const plain = await kernelWithPlugins({}, { transport: streaming() })
    expect((await stream("urgent")).text).toBe((await plain.stream("urgent")).text)
  })

  test("may answer later, with one event, several or none", async () => {
    const more = (event: ChatEvent, text: string): ChatEvent =>
      event.type === "block_delta" ? { ...event, text } : event
    const hooks: readonly (readonly [PluginHooks["event"], string])[] = [
      [async (event) => (await settled(), more(event, "x")), "xx"],
      [
        (event) => (event.type === "block_delta" ? [more(event, event.text.toUpperCase()), more(event, "-")] : event),
        "A-B-",
      ],
      [(event) => (event.type === "block_delta" && event.text === "a" ? undefined : event), "b"],
      [(event) => (event.type === "block_delta" ? [] : event), ""],
    ]
    for (const [hook, expected] of hooks) expect(await said(hook)).toMatchObject({ said: expected, end: "[DONE]" })
  })

  test("that throws ends the stream with the error event and closes its source", async () => {
    const { stream, transport, records } = await kernelWithPlugins(
      { a: onEvent((event) => (event.type === "block_delta" && event.text === "b" ? broken() : event)) },
      { transport: streaming() },
    )
    const { events, text } = await stream("urgent")
    expect(textOfEvents(events)).toBe("a")
    expect(text).toMatch(/internal_error/)
    expect(text).not.toContain("broken")
    expect(transport.cancelled.count).toBe(1)
    expect(records).toMatchObject([{ status: 500, plugins: [{ type: "a", outcome: "failed" }] }])
  })
})

describe("end runs exactly once, innermost first", () => {
  const counted = () => {
    const ends: string[] = []
    const plugin = (name: string) =>
      hookPlugin(() => ({ end: (how) => void ends.push(`${name} ${how}`) }), { hooks: ["end"] })
    return { ends, plugins: { a: plugin("a"), b: plugin("b") } }
  }

  test("for a whole reply, a stream, a failure status and no reply", async () => {
    const cases = [
      [jsonReply(completion("hi")), "complete"],
      [streamReply([chunk("a"), lastChunk()]), "complete"],
      [jsonReply({}, { status: 500 }), "complete"],
      [new RtrError("upstream_timeout", "late"), "failed"],
      [{ ...streamReply([]), body: ["data: {}\n\n"], breaksWith: new RtrError("upstream_error", "cut") }, "failed"],
    ] as const
    for (const [reply, how] of cases) {
      const { ends, plugins } = counted()
      const { stream } = await kernelWithPlugins(plugins, { transport: createFakeTransport(reply) })
      await stream("urgent")
      expect(ends).toEqual([`b ${how}`, `a ${how}`])
    }
  })

  test("for a client that leaves, before the record is closed", async () => {
    const { ends, plugins } = counted()
    const { reply, send } = gatedReply()
    const { kernel, records } = await kernelWithPlugins(plugins, { transport: createFakeTransport(reply) })
    const { body } = await kernel.fetch(chat("urgent", { stream: true }))
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    send(chunk("a"))
    await reader.read()
    await reader.cancel()
    await settled()
    expect([ends, records.map(({ status }) => status)]).toEqual([["b left", "a left"], [499]])
    expect(records[0]?.attempts[0]).toMatchObject({
      endMs: expect.any(Number),
      error: { code: "client_closed_request" },
    })
  })

  test("and one that throws neither harms the reply nor hides the others", async () => {
    for (const ask of ["ask", "stream"] as const) {
      const { ends, plugins } = counted()
      const kernel = await kernelWithPlugins(
        { ...plugins, c: hookPlugin(() => ({ end: (how) => (ends.push(`c ${how}`), broken()) }), { hooks: ["end"] }) },
        { transport: ask === "ask" ? createFakeTransport(jsonReply(completion("hi"))) : streaming() },
      )
      const { status, text } = await kernel[ask]("urgent")
      expect([status, ends, dataOf(text).length > 1 ? dataOf(text).at(-1) : "[DONE]"]).toEqual([
        200,
        ["c complete", "b complete", "a complete"],
        "[DONE]",
      ])
      expect(kernel.told.map(([error, about]) => [String(error), about])).toEqual([["Error: broken", "plugin c"]])
    }
  })
})

test("the state of a call is a closure: two calls at once do not see each other", async () => {
  let opened = 0
  const { ask } = await kernelWithPlugins({
    a: hookPlugin(
      () => {
        const number = ++opened
        return { after: async (reply) => (await settled(), { ...reply, model: `call ${number}` }) }
      },
      { hooks: ["after"], stream: "buffer" },
    ),
  })
  const answers = await Promise.all([ask("urgent"), ask("urgent")])
  expect(answers.map(({ body }) => body.model)).toEqual(["call 1", "call 2"])
})

test("a model that a plugin asks stands in the record of its request, also when another plugin has changed the call", async () => {
  const asking = hookPlugin(() => ({ before: () => undefined }), { hooks: ["before"] })
  const { ask, records } = await kernelWithPlugins({
    outer: hookPlugin(() => ({ before: ({ headers }) => ({ headers: { ...headers, a: "1" } }) }), {
      hooks: ["before"],
    }),
    judge: {
      ...asking,
      needs: ["models"],
      setup: ((_: object, { models }: { models: { ask: (...args: unknown[]) => Promise<unknown> } }) => ({
        open: (call: PluginCall) => ({
          before: async (given: PluginCall) => void (await models.ask("small", call.request, { about: given })),
        }),
      })) as never,
    },
  })
  await ask("urgent")
  expect(records.map(({ attempts }) => attempts.map(({ model }) => model))).toEqual([["small", "large"]])
})

async function restOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = ""
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    text += new TextDecoder().decode(piece.value)
  return text
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5))
