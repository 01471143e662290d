import { defineLooper, type LooperCall, type ModelCaller, RtrError } from "rtr"
import { expect, test } from "vitest"
import { textOfEvents } from "../../fakes/event-stream.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"
import { hookPlugin, watchedKernel, type WatchedOptions } from "../../fakes/watched-kernel.ts"

type Run = (
  call: LooperCall,
  models: ModelCaller,
) => ReturnType<Awaited<ReturnType<ReturnType<typeof defineLooper>["setup"]>>["run"]>

const both = {
  "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
  "routing.decisions.0.algorithm": { type: "turns" },
}

/** A kernel whose decision `rush` is answered by this looper over the models small and large. */
const looping = (
  run: Run,
  answer: (url: string) => FakeReply | Error,
  { changes, modules, ...options }: WatchedOptions = {},
) =>
  watchedKernel({
    modules: {
      turns: defineLooper({
        about: "Does what a test says",
        needs: ["models"],
        setup: (_, { models }) => ({ run: (call) => run(call, models) }),
      }),
      ...modules,
    },
    changes: { ...both, ...changes },
    transport: createFakeTransport(({ url }) => answer(new URL(url).hostname)),
    ...options,
  })

const says = (text: string) => jsonReply(completion(text))
const escalate: Run = async (call) => {
  await call.ask(0)
  return { reply: await call.ask(1), candidate: 1, confidence: 0.9, reason: "asked both" }
}
const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }

test("each model that is asked is an attempt, their usage is summed, and the answering one is told", async () => {
  const { ask, records, transport } = await looping(escalate, (host) => says(host))
  const { status, body, headers } = await ask("urgent")
  expect([status, body.choices[0].message.content]).toEqual([200, "large.example"])
  expect(
    ["x-rtr-response-path", "x-selected-model", "x-rtr-selected-algorithm"].map((name) => headers.get(name)),
  ).toEqual(["looper", "large", "turns"])
  expect(records).toMatchObject([
    {
      path: "looper",
      decision: "rush",
      model: "large",
      algorithm: "turns",
      selection: { candidate: 1, algorithm: "turns", confidence: 0.9, reason: "asked both" },
      attempts: [
        { model: "small", status: 200, usage },
        { model: "large", status: 200, usage },
      ],
      usage: { inputTokens: 20, outputTokens: 10, cachedInputTokens: 0 },
    },
  ])
  expect(transport.requests.map(({ headers: sent }) => sent["x-selected-model"])).toEqual(["small", "large"])
})

test("a client that asked for a stream gets one, though the models are asked for whole replies", async () => {
  const { stream, sent } = await looping(escalate, (host) => says(host))
  const { headers, events } = await stream("urgent")
  expect([headers.get("content-type"), textOfEvents(events), events.at(-1)]).toEqual([
    "text/event-stream; charset=utf-8",
    "large.example",
    "[DONE]",
  ])
  expect(sent().map(({ stream: asked }) => asked === true)).toEqual([false, false])
})

test("a changed request goes to that candidate alone", async () => {
  const { ask, sent } = await looping(
    async (call) => {
      await call.ask(0, { ...call.request, generation: { temperature: 0 } })
      return { reply: await call.ask(1), candidate: 1, reason: "x" }
    },
    (host) => says(host),
  )
  await ask("urgent")
  expect(sent().map(({ temperature }) => temperature)).toEqual([0, undefined])
})

test("a candidate that fails rejects with its status, and another may answer", async () => {
  const failures: readonly (readonly [FakeReply | Error, string])[] = [
    [jsonReply({ error: { message: "busy" } }, { status: 503 }), 'Model "small" answered with status 503: busy'],
    [new RtrError("upstream_unavailable", "down"), 'No reply from model "small": down'],
    [streamReply([]), 'No reply from model "small": it answered with a stream, but the request asked for none'],
  ]
  for (const [reply, message] of failures) {
    const said: unknown[] = []
    const { ask, records } = await looping(
      async (call) => {
        await call.ask(0).catch((error: unknown) => said.push((error as Error).message))
        return { reply: await call.ask(1), candidate: 1, reason: "the first failed" }
      },
      (host) => (host === "small.example" ? reply : says("instead")),
    )
    const { status, body } = await ask("urgent")
    expect([said, status, body.choices[0].message.content]).toEqual([[message], 200, "instead"])
    expect(records[0]?.attempts.map(({ model }) => model)).toEqual(["small", "large"])
  }
})

test("a looper that fails is told to the client without its message, and counted with its decision", async () => {
  const down = new RtrError("upstream_unavailable", "down")
  const cases: readonly (readonly [Run, number, string])[] = [
    [escalate, down.status, "upstream_unavailable"],
    [() => Promise.reject(new TypeError("secret")), 500, "internal_error"],
    [async (call) => ({ reply: await call.ask(7), candidate: 7, reason: "x" }), 500, "invalid_module"],
  ]
  for (const [run, expected, code] of cases) {
    const { ask, records } = await looping(run, () => down)
    const { status, text } = await ask("urgent")
    expect([code, status, text.includes("secret")]).toEqual([code, expected, false])
    expect(records).toMatchObject([{ status: expected, decision: "rush", path: "looper", error: { code } }])
  }
})

test("plugins run around it", async () => {
  const { ask, sent, records } = await looping(escalate, (host) => says(host), {
    modules: {
      cold: hookPlugin(
        () => ({
          before: ({ request }) => ({ request: { ...request, generation: { temperature: 0 } } }),
          after: (reply) => ({ ...reply, model: "seen" }),
        }),
        { hooks: ["before", "after"], stream: "buffer" },
      ),
    },
    changes: { "routing.decisions.0.plugins": [{ type: "cold", configuration: {} }] },
  })
  const { body } = await ask("urgent")
  expect([body.model, sent().map(({ temperature }) => temperature), records[0]?.plugins]).toEqual([
    "seen",
    [0, 0],
    [{ type: "cold", outcome: "changed" }],
  ])
})

test("a model that is no candidate can be asked as well, and stands in the same record", async () => {
  const { ask, records } = await looping(
    async (call, models) => {
      const reply = await models.ask("large", call.request, { about: call })
      return { reply, candidate: 0, reason: "asked aside" }
    },
    (host) => says(host),
    { changes: { "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "small" }] } },
  )
  await ask("urgent")
  expect(records.map(({ attempts }) => attempts.map(({ model }) => model))).toEqual([["large"]])
})
