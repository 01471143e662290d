import {
  defineLooper,
  type LooperCall,
  type LooperModule,
  type ModelCaller,
  moduleFaultText,
  RtrError,
  type TransportRequest,
} from "rtr"
import { expect, test } from "vitest"
import { textOfEvents } from "../../../fakes/event-stream.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../../fakes/transport.ts"
import { createRecordedMetrics } from "../../../fakes/metrics.ts"
import { chat } from "../../../fakes/kernel.ts"
import { chunk, hookPlugin, lastChunk, watchedKernel, type WatchedOptions } from "../../../fakes/watched-kernel.ts"
import { looperIntegration } from "../../../../ts/plugins/_shared/loopers/integration.ts"

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
  { changes, modules, ...options }: WatchedOptions & Pick<LooperModule, "settings"> = {},
) =>
  watchedKernel({
    modules: {
      turns: defineLooper({
        about: "Does what a test says",
        needs: ["models"],
        ...(options.settings !== undefined && { settings: options.settings }),
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

test("what a looper returns in another form is told with its name", async () => {
  const reply = {
    id: "x",
    model: "small",
    created: 1,
    choices: [{ blocks: [{ type: "text", text: "hi" }], stop: "stop" }],
  }
  const answer = { reply, candidate: 0, reason: "x" }
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, "it is no object"],
    [{ ...answer, reply: undefined }, "reply must be an object"],
    [{ ...answer, reason: 3 }, "reason must be a string"],
    [{ ...answer, candidate: 2 }, "candidate must be a model of providers.models or a whole number from 0 to 1"],
    [
      { ...answer, candidate: "said urgent" },
      "candidate must be a model of providers.models or a whole number from 0 to 1",
    ],
    [
      { ...answer, candidate: undefined },
      "candidate must be a model of providers.models or a whole number from 0 to 1",
    ],
    [{ ...answer, confidence: "high" }, "confidence must be a number"],
    [{ ...answer, extensions: { dialect: "chat_completions" } }, "extensions: fields must be an object"],
    [{ ...answer, responses: [{ model: "small", text: "hi" }] }, "responses[0]: reasoning must be a string"],
    [{ ...answer, reply: { ...reply, choices: "hi" } }, "reply: choices must be a list"],
    [
      { ...answer, reply: { ...reply, choices: [{ blocks: [{ type: "text" }], stop: "stop" }] } },
      "reply: choices[0]: blocks[0]: text must be a string (text)",
    ],
    [{ ...answer, reply: { next: () => {} } }, "reply must be a stream that one of the asked models gave"],
  ]
  for (const [returned, wrong] of cases) {
    const { ask, records } = await looping(
      async () => returned as never,
      () => says("unused"),
    )
    expect((await ask("urgent")).status).toBe(500)
    expect(records).toMatchObject([{ status: 500, decision: "rush", error: { code: "invalid_module" } }])
    expect(moduleFaultText(records[0]?.error)).toBe(
      `Looper "turns" returned something else than { reply, candidate, reason }: ${wrong}`,
    )
  }
  for (const model of ["model urgent", undefined]) {
    const { ask, records } = await looping(
      async (call) => ({ ...answer, reply: await call.ask(model as never) }),
      () => says("unused"),
    )
    expect(await ask("urgent")).toMatchObject({ status: 500, text: expect.not.stringContaining("urgent") })
    expect(moduleFaultText(records[0]?.error)).toBe('Looper "turns" asked a model that is not in providers.models')
  }
  const { ask, records, transport } = await looping(
    async (call) => ({ ...answer, reply: await call.ask(0, { ...call.request, turns: "hello" } as never) }),
    () => says("unused"),
  )
  expect((await ask("urgent")).status).toBe(500)
  expect(moduleFaultText(records[0]?.error)).toBe(
    'Looper "turns" asked with something else than a request: turns must be a list',
  )
  expect(transport.requests).toEqual([])
})

test("the error of a looper tells how it was routed, and whose error it is", async () => {
  const inTurn: Run = async (call) => {
    await call.ask(0).catch(() => {})
    return { reply: await call.ask(1), candidate: 1, reason: "the last" }
  }
  const firstOf: Run = async (call) => {
    const [first] = await Promise.allSettled([call.ask(0), call.ask(1)])
    throw first?.status === "rejected" ? first.reason : new Error("both should fail")
  }
  const failures = [
    [new RtrError("upstream_unavailable", "down"), 503],
    [jsonReply({ error: { message: "no" } }, { status: 500 }), 502],
  ] as const
  for (const [failure, expected] of failures)
    for (const [run, model] of [
      [inTurn, "large"],
      [firstOf, "small"],
    ] as const) {
      const metrics = createRecordedMetrics()
      const { ask } = await looping(run, () => failure, { metrics })
      const { status, headers, body } = await ask("urgent")
      expect([status, body.error.message]).toEqual([expected, expect.stringContaining(`"${model}"`)])
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "application/json",
        "x-rtr-response-path": "looper",
        "x-rtr-selected-decision": "rush",
        "x-rtr-selected-algorithm": "turns",
        "x-rtr-selected-model": model,
      })
      expect(metrics.values[`llm_request_errors_total{model=${model},reason=upstream_5xx}`]).toEqual([1])
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

// ── bounds ──

const budget = (bounds: object) => ({
  "routing.decisions.0.algorithm": { type: "turns", budget: bounds },
})
/** Answers nothing, until nobody waits any more. */
const hangs = ({ signal }: TransportRequest): Promise<FakeReply> =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new RtrError("client_closed_request", "the client left")))
  })
const hanging = () => createFakeTransport(hangs)
/** Asks the models one after the other for as long as it may, and keeps each answer. */
const greedy: Run = async (call) => {
  for (let candidate = 0; ; candidate = 1 - candidate)
    call.keep({ reply: await call.ask(candidate), candidate, reason: "asked on" })
}

test("a budget of calls ends the looper with the best answer so far", async () => {
  const { ask, records } = await looping(greedy, (host) => says(host), {
    changes: budget({ max_calls: 3 }),
  })
  const { status, body, headers } = await ask("urgent")
  expect([status, body.choices[0].message.content]).toEqual([200, "small.example"])
  expect([headers.get("x-rtr-looper-iterations"), headers.get("x-rtr-looper-budget")]).toEqual(["3", "max_calls"])
  expect(records).toMatchObject([
    { model: "small", selection: { reason: "asked on; the budget was used up" }, usage: { inputTokens: 30 } },
  ])
})

test("a budget of money begins no call once it is spent", async () => {
  // 10 and 5 tokens at 2 and 4 the million are 0.00004 a call; the second brings the sum to 0.00008.
  const { ask, records } = await looping(greedy, (host) => says(host), {
    changes: {
      ...budget({ max_cost: 0.000_08 }),
      "providers.models.0.pricing": { prompt_per_1m: 2, completion_per_1m: 4 },
      "providers.models.1.pricing": { prompt_per_1m: 2, completion_per_1m: 4 },
    },
  })
  const { status, headers } = await ask("urgent")
  expect([status, headers.get("x-rtr-looper-budget")]).toEqual([200, "max_cost"])
  expect(records[0]?.attempts).toHaveLength(2)
})

test("a budget of time ends what hangs, and without an answer the error names the bound", async () => {
  for (const run of [escalate, () => new Promise<never>(() => {})] satisfies Run[]) {
    const { ask, records } = await looping(run, () => says("x"), {
      changes: budget({ deadline: "20ms" }),
      transport: hanging(),
    })
    const { status, body, headers } = await ask("urgent")
    expect([status, body.error.message]).toEqual([
      504,
      'Decision "rush" has used up the deadline of 0.02 seconds of its budget',
    ])
    for (const { error } of records[0]?.attempts ?? []) expect(error?.code).toBe("deadline_exceeded")
    expect([headers.get("x-rtr-looper-budget"), headers.get("x-rtr-selected-decision")]).toEqual(["deadline", "rush"])
  }
})

test("what the deadline cuts short is no client that left, in headers and metrics", async () => {
  const metrics = createRecordedMetrics()
  const kept: Run = async (call) => {
    call.keep({ reply: await call.ask(0), candidate: 0, reason: "the first" })
    return { reply: await call.ask(1), candidate: 1, reason: "asked both" }
  }
  const { ask } = await looping(kept, () => says("x"), {
    changes: { ...budget({ deadline: "50ms" }), "providers.models.1.reliability": { retry_count: 1 } },
    metrics,
    transport: createFakeTransport((request) =>
      new URL(request.url).hostname === "small.example" ? says("early") : hangs(request),
    ),
  })
  const { status, body, headers } = await ask("urgent")
  expect([status, body.choices[0].message.content, headers.get("x-rtr-looper-budget")]).toEqual([
    200,
    "early",
    "deadline",
  ])
  expect(headers.get("x-rtr-attempts")).toBe("small/primary=200,large/primary=deadline")
  expect(metrics.values["llm_upstream_attempts_total{model=large,backend=primary,outcome=deadline}"]).toEqual([1])
})

// ── streams ──

const final: Run = async (call) => {
  await call.ask(0)
  return {
    reply: await call.stream(1),
    candidate: 1,
    reason: "asked both",
    extensions: { dialect: "chat_completions", fields: { turns: { asked: 2 } } },
  }
}

test("the last call of a client's stream goes through, with the sum of the usage", async () => {
  const { stream, sent, records } = await looping(final, (host) =>
    host === "small.example" ? says("first") : streamReply([chunk("sec"), chunk("ond"), lastChunk()]),
  )
  const { headers, events } = await stream("urgent", { stream_options: { include_usage: true } })
  expect([textOfEvents(events), events.at(-1)]).toEqual(["second", "[DONE]"])
  expect(sent().map(({ stream: asked }) => asked === true)).toEqual([false, true])
  const objects = events.filter((event) => event !== "[DONE]") as { turns?: unknown; usage?: object | null }[]
  expect(objects.flatMap(({ turns }) => turns ?? [])).toEqual([{ asked: 2 }])
  expect(objects.flatMap((event) => event.usage ?? [])).toMatchObject([{ prompt_tokens: 20, completion_tokens: 10 }])
  expect([headers.get("x-rtr-looper-models-used"), headers.get("x-rtr-looper-total-tokens")]).toEqual([
    "small,large",
    null,
  ])
  expect(records).toMatchObject([{ model: "large", status: 200, usage: { inputTokens: 20 } }])
})

test("a client without a stream gets the last call whole, with the fields that the looper adds", async () => {
  const { ask, sent } = await looping(final, (host) => says(host))
  const { body, headers } = await ask("urgent")
  expect([body.choices[0].message.content, body.turns, body.usage.total_tokens]).toEqual([
    "large.example",
    { asked: 2 },
    30,
  ])
  expect(sent().map(({ stream: asked }) => asked === true)).toEqual([false, false])
  expect(headers.get("x-rtr-looper-total-tokens")).toBe("30")
})

// ── the form of the answer ──

const contract = (spec: object, more: object = {}) => ({
  "routing.decisions.0.algorithm": { type: "turns" },
  "routing.decisions.0.output_contract_spec": spec,
  ...more,
})
const choice = { type: "choice", choice_set: { values: ["A", "B"] } }

test("the output contract is told to the models, and the answer gets its form", async () => {
  const { ask, sent } = await looping(escalate, () => says(" B\n"), {
    changes: contract(
      { ...choice, render: { mode: "template", template: "Answer: {choice}" } },
      { "routing.decisions.0.output_contract": "One letter." },
    ),
  })
  const { body } = await ask("urgent")
  expect(body.choices[0].message.content).toBe("Answer: B")
  for (const { messages } of sent())
    expect(JSON.stringify(messages)).toContain("Required output contract:\\nOne letter.")
})

test("an output contract that cannot work is refused, whoever made the looper", async () => {
  await expect(looping(escalate, () => says("A"), { changes: contract({ type: "choice" }) })).rejects.toThrow(
    "output_contract_spec.choice_set: is missing; type choice needs its values",
  )
})

test("an answer without the form is asked for again, replaced, or left as it is", async () => {
  const texts = ["no", "perhaps", "B"]
  const repaired = await looping(escalate, () => says(texts.shift() ?? ""), {
    changes: contract({ ...choice, on_violation: { repair: true, fallback: "A" } }),
  })
  expect((await repaired.ask("urgent")).body.choices[0].message.content).toBe("B")
  const replaced = await looping(escalate, () => says("no"), {
    changes: contract({ ...choice, on_violation: { repair: true, fallback: "A" } }),
  })
  expect((await replaced.ask("urgent")).body.choices[0].message.content).toBe("A")
  const left = await looping(escalate, () => says("no"), { changes: contract(choice) })
  expect((await left.ask("urgent")).body.choices[0].message.content).toBe("no")
})

test("a client that leaves ends every call", async () => {
  const { kernel, transport } = await looping(
    async (call) => {
      await Promise.all([call.ask(0), call.ask(1, call.request, { signal: new AbortController().signal })])
      return { reply: await call.ask(0), candidate: 0, reason: "x" }
    },
    () => says("x"),
    { transport: hanging() },
  )
  const leaving = new AbortController()
  const answering = kernel.fetch(new Request(chat("urgent"), { signal: leaving.signal }))
  while (transport.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  leaving.abort()
  expect((await answering).status).toBe(499)
  expect(transport.requests.map(({ signal }) => signal?.aborted)).toEqual([true, true])
})

// ── one call ──

test("a call ends by its own signal, its time or its size, and the record says which", async () => {
  const cases: readonly (readonly [Run, Readonly<Record<string, unknown>>, string, string | undefined])[] = [
    [
      async (call) => {
        const quorum = new AbortController()
        const other = call.ask(0, call.request, { signal: quorum.signal })
        quorum.abort()
        await other.catch(() => {})
        return { reply: await call.ask(1), candidate: 1, reason: "x" }
      },
      {},
      "",
      undefined,
    ],
    [
      async (call) => {
        await call.ask(0).catch(() => {})
        return { reply: await call.ask(1), candidate: 1, reason: "x" }
      },
      { "global.integrations.looper": { timeout_seconds: 1 } },
      'No reply from model "small" within 1 second',
      "upstream_timeout",
    ],
  ]
  for (const [run, changes, message, code] of cases) {
    const backends = createFakeTransport(({ url, signal }) =>
      new URL(url).hostname === "large.example"
        ? says("large")
        : new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(new RtrError("client_closed_request", "the client left")))
          }),
    )
    const { ask, records } = await looping(run, () => says("x"), {
      changes,
      transport: backends,
      settings: looperIntegration,
    })
    expect((await ask("urgent")).status).toBe(200)
    const [first] = records[0]?.attempts ?? []
    expect([first?.error?.message ?? "", first?.error?.code, first?.cancelled]).toEqual([
      message,
      code,
      code === undefined ? true : undefined,
    ])
  }
})

test("a reply that is larger than the looper allows is an error", async () => {
  const { ask, records } = await looping(
    async (call) => {
      await call.ask(0, call.request, { maxBytes: 10 }).catch(() => {})
      return { reply: await call.ask(1), candidate: 1, reason: "x" }
    },
    (host) => says(host),
  )
  expect((await ask("urgent")).status).toBe(200)
  expect(records[0]?.attempts[0]?.error?.message).toBe('No reply from model "small": the reply is larger than 10 bytes')
})

test("a looper that waits for nothing ends after the time that a backend has", async () => {
  const { ask, records } = await looping(
    async (call) => {
      await call.ask(0)
      return new Promise<never>(() => {})
    },
    () => says("hi"),
    { changes: { "listeners.0.timeout": "30ms" } },
  )
  expect(await ask("urgent")).toMatchObject({ status: 504 })
  expect(moduleFaultText(records[0]?.error)).toBe('Looper "turns" did not answer within 0.03 seconds')
})

test("the time that models take is none of the looper's", async () => {
  const slow = async () => (await new Promise((resolve) => setTimeout(resolve, 250)), says("hi"))
  const { ask } = await looping(escalate, () => says("unused"), {
    changes: { "listeners.0.timeout": "400ms" },
    transport: createFakeTransport(slow),
  })
  expect((await ask("urgent")).status).toBe(200)
})

test("a client that leaves ends the wait for a looper", async () => {
  const { kernel, records } = await looping(
    () => new Promise(() => {}),
    () => new Error("nothing is asked"),
  )
  const leaving = new AbortController()
  setTimeout(() => leaving.abort(), 20)
  await kernel.fetch(new Request(chat("urgent"), { signal: leaving.signal }))
  expect(records).toMatchObject([{ status: 499, error: { code: "client_closed_request" }, attempts: [] }])
})
