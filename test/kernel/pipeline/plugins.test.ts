import { pluginCall } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type CallModel, runPlugins } from "../../../ts/kernel/pipeline/plugins.ts"
import type { ChatRequest, JsonReply, Reply, StreamReply } from "../../../ts/kernel/types/chat.ts"
import type { PluginCall, PluginHooks } from "../../../ts/kernel/types/module.ts"
import { batchesOf, chunk, collect, watchedBatches } from "../../fakes/batches.ts"

const request: ChatRequest = { model: "MoM", messages: [{ role: "user", content: "hello" }] }
const call = pluginCall(request)
const json = (changes: Partial<JsonReply> = {}): JsonReply => ({
  kind: "json",
  status: 200,
  body: { text: "hi" },
  ...changes,
})
const stream = (changes: Partial<StreamReply> = {}): StreamReply => ({
  kind: "stream",
  status: 200,
  batches: watchedBatches(batchesOf(chunk("a"), chunk("b"))),
  ...changes,
})

/** Runs the plugins, which are named by their position, over a model that answers with this reply. */
async function run(plugins: readonly PluginHooks[], model: Reply | CallModel = json()) {
  const calls: PluginCall[] = []
  const outcome = await runPlugins(
    plugins.map((hooks, index) => ({ type: `plugin-${index}`, hooks })),
    call,
    async (inside) => {
      calls.push(inside)
      return typeof model === "function" ? model(inside) : model
    },
  )
  return { ...outcome, calls }
}

/** A plugin that writes down when its hooks run. */
function noisy(name: string, log: string[], hooks: PluginHooks = {}): PluginHooks {
  return {
    before: (given) => {
      log.push(`before ${name}`)
      return hooks.before?.(given)
    },
    around: async (given, next) => {
      log.push(`into ${name}`)
      const reply = await (hooks.around?.(given, next) ?? next(given))
      log.push(`out of ${name}`)
      return reply
    },
    after: (reply) => {
      log.push(`after ${name}`)
      return reply
    },
    onChunk: (each) => {
      log.push(`chunk ${name}`)
      return each
    },
  }
}

describe("order", () => {
  test("hooks unwind in the reverse order", async () => {
    const log: string[] = []
    const { reply, answeredBy } = await run([noisy("a", log), noisy("b", log)], async () => {
      log.push("model")
      return json()
    })
    expect(log).toEqual([
      "before a",
      "into a",
      "before b",
      "into b",
      "model",
      "out of b",
      "after b",
      "out of a",
      "after a",
    ])
    expect([reply, answeredBy]).toEqual([json(), undefined])
  })

  test("chunks pass the innermost plugin first", async () => {
    const log: string[] = []
    const { reply } = await run([noisy("a", log), noisy("b", log)], stream())
    log.length = 0
    await collect((reply as StreamReply).batches)
    expect(log).toEqual(["chunk b", "chunk a", "chunk b", "chunk a"])
  })

  test("no plugins leave the model alone", async () => {
    const reply = json()
    expect(await run([], reply)).toEqual({ reply, answeredBy: undefined, calls: [call] })
  })

  test("a plugin without hooks changes nothing", async () => {
    expect((await run([{}])).calls).toEqual([call])
  })
})

describe("before", () => {
  test("may change the request for those inside", async () => {
    const seen: ChatRequest[] = []
    const changed = { ...request, max_tokens: 5 }
    const { calls } = await run([
      { before: () => ({ request: changed }) },
      { before: ({ request: given }) => void seen.push(given) },
    ])
    expect([seen, calls]).toEqual([[changed], [{ ...call, request: changed }]])
  })

  test("may change the headers, and both", async () => {
    const headers = { "x-team": "law" }
    const changed = { ...request, n: 1 }
    expect((await run([{ before: () => ({ headers }) }])).calls).toEqual([{ ...call, headers }])
    expect((await run([{ before: async () => ({ headers, request: changed }) }])).calls).toEqual([
      { ...call, headers, request: changed },
    ])
  })

  test("changes nothing with an empty result", async () => {
    expect((await run([{ before: () => ({}) }, { before: () => undefined }])).calls).toEqual([call])
  })

  test.each([null, "x", request, { befor: 1 }])("that returns %j is refused, and nothing is sent", async (result) => {
    const sent: unknown[] = []
    const before = (() => result) as never
    await expect(run([{ before }], async (inside) => json({ body: { sent: sent.push(inside) } }))).rejects.toThrow(
      'Plugin "plugin-0" returned something else from before',
    )
    expect(sent).toEqual([])
  })

  test("may answer at once: nothing inside runs, and only the plugins outside see the answer", async () => {
    const log: string[] = []
    const answer = json({ body: { text: "no" } })
    const outcome = await run([noisy("a", log), noisy("b", log, { before: () => ({ answer }) }), noisy("c", log)])
    expect(log).toEqual(["before a", "into a", "before b", "out of a", "after a"])
    expect(outcome).toEqual({ reply: answer, answeredBy: "plugin-1", calls: [] })
  })

  test("may answer with a stream, which the plugins outside see", async () => {
    const { reply } = await run([
      { onChunk: (each) => ({ ...each, seen: true }) },
      { before: () => ({ answer: stream() }), onChunk: (each) => ({ ...each, wrong: true }) },
    ])
    expect((await collect((reply as StreamReply).batches))[0]?.chunks).toEqual([{ ...chunk("a"), seen: true }])
  })

  test("may refuse: the error is thrown and nothing else runs", async () => {
    const log: string[] = []
    const refuse = new RtrError("invalid_request", "no")
    const running = run([noisy("a", log), noisy("b", log, { before: () => ({ refuse }) }), noisy("c", log)])
    await expect(running).rejects.toBe(refuse)
    expect(log).toEqual(["before a", "into a", "before b"])
  })

  test.each<[string, () => never | Promise<never>]>([
    [
      "throws",
      () => {
        throw new Error("broken")
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("that %s ends the call", async (_, before) => {
    await expect(run([{ before }])).rejects.toThrow("broken")
  })
})

describe("around", () => {
  test("sees the call as its own before-hook left it, and may change it further", async () => {
    const { calls } = await run([
      {
        before: () => ({ headers: { a: "1" } }),
        around: (given, next) => next({ ...given, headers: { ...given.headers, b: "2" } }),
      },
    ])
    expect(calls).toEqual([{ ...call, headers: { a: "1", b: "2" } }])
  })

  test("may ask the model again", async () => {
    const statuses = [500, 200]
    const { reply, calls } = await run(
      [
        {
          around: async (given, next) => {
            const first = await next(given)
            return first.status === 500 ? next(given) : first
          },
        },
      ],
      async () => json({ status: statuses.shift() ?? 0 }),
    )
    expect([reply.status, calls.length]).toEqual([200, 2])
  })

  test("may answer without the model; its own after-hook sees that", async () => {
    const { reply, calls, answeredBy } = await run([
      { around: async () => json({ body: { text: "mine" } }), after: (body) => ({ ...body, seen: true }) },
    ])
    expect([reply, calls, answeredBy]).toEqual([json({ body: { text: "mine", seen: true } }), [], "plugin-0"])
  })

  test("sees errors of what is inside", async () => {
    const { reply } = await run([{ around: (given, next) => next(given).catch(() => json({ status: 203 })) }], () =>
      Promise.reject(new Error("down")),
    )
    expect(reply.status).toBe(203)
  })

  test("passes on who answered inside", async () => {
    const { answeredBy } = await run([{ around: (given, next) => next(given) }, { before: () => ({ answer: json() }) }])
    expect(answeredBy).toBe("plugin-1")
  })
})

describe("a stream that around was given", () => {
  const opened = () => {
    const left: string[] = []
    const make = (name: string): StreamReply => ({
      ...stream(),
      batches: {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ value: undefined, done: true }),
          return: async () => {
            left.push(name)
            return { value: undefined, done: true }
          },
        }),
      },
    })
    let count = 0
    return { left, model: async () => make(`stream ${++count}`) }
  }

  test("is closed when around throws", async () => {
    const { left, model } = opened()
    const around: PluginHooks["around"] = async (given, next) => {
      await next(given)
      throw new Error("broken")
    }
    await expect(run([{ around }], model)).rejects.toThrow("broken")
    expect(left).toEqual(["stream 1"])
  })

  test("is closed when around asks again or answers otherwise", async () => {
    const { left, model } = opened()
    await run([{ around: async (given, next) => (await next(given)) && next(given) }], model)
    expect(left).toEqual(["stream 1"])
    await run([{ around: async (given, next) => (await next(given)) && json() }], model)
    expect(left).toEqual(["stream 1", "stream 3"])
  })
})

describe("after", () => {
  test("may change a whole reply and keeps its status and headers, but not its text", async () => {
    const reply = json({ status: 201, headers: { a: "1" } })
    const withText = { ...reply, text: '{"text":"hi"}' }
    expect((await run([{ after: async (body, { id }) => ({ ...body, id }) }], withText)).reply).toEqual({
      ...reply,
      body: { text: "hi", id: "req-1" },
    })
  })

  test.each([400, 404, 500, 503])("does not see an error reply of status %i", async (status) => {
    const reply = json({ status })
    const seen: unknown[] = []
    const spy: PluginHooks = {
      after: (body) => {
        seen.push(body)
        return body
      },
      onChunk: (each) => {
        seen.push(each)
        return each
      },
    }
    expect((await run([spy], reply)).reply).toBe(reply)
    const streamed = stream({ status })
    expect((await run([spy], streamed)).reply).toBe(streamed)
    await collect(streamed.batches)
    expect(seen).toEqual([])
  })

  test("does not see a stream", async () => {
    const reply = stream()
    expect((await run([{ after: () => expect.unreachable() }], reply)).reply).toBe(reply)
  })

  test("that fails ends the call", async () => {
    await expect(run([{ after: () => Promise.reject(new Error("broken")) }])).rejects.toThrow("broken")
  })
})

describe("onChunk", () => {
  const bytes = new Uint8Array([1])
  const source = () =>
    watchedBatches([
      { chunks: [chunk("a"), chunk("b")], bytes, done: false },
      { chunks: [], bytes, done: true },
    ])
  const passed = async (onChunk: NonNullable<PluginHooks["onChunk"]>) => {
    const { reply } = await run([{ onChunk }], stream({ batches: source() }))
    return collect((reply as StreamReply).batches)
  }

  test("that changes nothing leaves the wire form", async () => {
    expect(await passed((each) => each)).toEqual([
      { chunks: [chunk("a"), chunk("b")], bytes, done: false },
      { chunks: [], bytes, done: true },
    ])
  })

  test("that changes a chunk makes the batch be written anew", async () => {
    expect(await passed((each) => ({ ...each, model: "x" }))).toEqual([
      { chunks: [chunk("a", { model: "x" }), chunk("b", { model: "x" })], done: false },
      { chunks: [], bytes, done: true },
    ])
  })

  test("may drop chunks, all of them too", async () => {
    expect(
      await passed((each) =>
        each["choices"] === undefined || JSON.stringify(each).includes('"a"') ? undefined : each,
      ),
    ).toEqual([
      { chunks: [chunk("b")], done: false },
      { chunks: [], bytes, done: true },
    ])
    expect((await passed(() => undefined))[0]).toEqual({ chunks: [], done: false })
  })

  test("knows the call", async () => {
    const ids: string[] = []
    await passed((each, { id }) => {
      ids.push(id)
      return each
    })
    expect(ids).toEqual(["req-1", "req-1"])
  })

  test("that throws ends the stream and closes its source", async () => {
    const batches = source()
    const { reply } = await run(
      [
        {
          onChunk: () => {
            throw new Error("broken")
          },
        },
      ],
      stream({ batches }),
    )
    await expect(collect((reply as StreamReply).batches)).rejects.toThrow("broken")
    expect(batches.left.count).toBe(1)
  })

  test("closes its source when the reader leaves before the first chunk", async () => {
    const batches = source()
    const { reply } = await run([{ onChunk: (each) => each }], stream({ batches }))
    await (reply as StreamReply).batches[Symbol.asyncIterator]().return?.()
    expect(batches.left.count).toBe(1)
  })
})
