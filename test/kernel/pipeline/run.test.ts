import { defineSelector, defineSignal, type Fact, type RuleOf, Type } from "rtr"
import { describe, expect, test } from "vitest"
import { resolveModel } from "../../../ts/kernel/pipeline/run.ts"
import { createCall } from "../../fakes/call.ts"
import { chat } from "../../fakes/kernel.ts"
import { createPlan, createTarget } from "../../fakes/plan.ts"
import { completion, createFakeTransport, jsonReply } from "../../fakes/transport.ts"
import { type WatchedKernel, type WatchedOptions, watchedKernel } from "../../fakes/watched-kernel.ts"

type Said = Omit<Fact, "rule">

const match: Said = { state: "match", confidence: 1 }
const noMatch: Said = { state: "no_match", confidence: 0 }
const unknown: Said = { state: "unknown", confidence: 0, reason: "failed" }
const tooLong: Said = { ...unknown, reason: "input_limit" }

/** A signal whose rules have the facts that the test gives. */
const sayingSignal = (facts: Readonly<Record<string, Said>>, guard = false) =>
  defineSignal({
    about: "Says what a test says",
    rule: Type.Object({}),
    guard,
    setup: (rules: readonly RuleOf<ReturnType<typeof Type.Object>>[]) => ({
      read: () => rules.map(({ name }) => ({ rule: name, ...(facts[name] ?? noMatch) })),
    }),
  })

/** A kernel whose decision `rush` depends on rules with these facts. */
function kernelOn(
  facts: Readonly<Record<string, Said>>,
  { changes = {}, ...options }: WatchedOptions = {},
  guard = false,
): Promise<WatchedKernel> {
  const names = Object.keys(facts)
  return watchedKernel({
    modules: { saying: sayingSignal(facts, guard) },
    changes: {
      "routing.signals": { saying: names.map((name) => ({ name })) },
      "routing.decisions.0.rules": {
        operator: "OR",
        conditions: names.map((name) => ({ type: "saying", name })),
      },
      ...changes,
    },
    ...options,
  })
}

const hostsOf = ({ transport }: WatchedKernel) => transport.requests.map(({ url }) => new URL(url).hostname)

describe("a decision that matches", () => {
  test("is called with its candidate and told in the record", async () => {
    const kernel = await kernelOn({ a: { ...match, confidence: 0.75 } })
    const { status, body } = await kernel.ask("hello")
    expect([status, body.choices[0].message.content, hostsOf(kernel)]).toEqual([200, "hi", ["large.example"]])
    expect(kernel.records).toMatchObject([
      {
        path: "upstream",
        model: "large",
        decision: "rush",
        algorithm: "static",
        confidence: 0.75,
        appliedPolicies: [],
        automatic: true,
        requestedModel: "MoM",
        endpoint: "/v1/chat/completions",
        listener: "main",
        generation: 1,
        status: 200,
        error: undefined,
        readings: { typeMs: { saying: expect.any(Number) }, totalMs: expect.any(Number) },
        selection: { candidate: 0, algorithm: "static", confidence: 1, reason: "the only candidate" },
      },
    ])
  })

  test("asks its selector among several candidates", async () => {
    const dice = defineSelector({
      about: "Takes the last",
      setup: (_, { candidates }) => ({
        select: () => ({ candidate: candidates.length - 1, confidence: 0.5, reason: "last" }),
      }),
    })
    const changes = {
      "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
      "routing.decisions.0.algorithm": { type: "dice" },
    }
    const kernel = await watchedKernel({ modules: { dice }, changes })
    await kernel.ask("urgent")
    expect([hostsOf(kernel), kernel.records[0]?.selection]).toEqual([
      ["large.example"],
      { candidate: 1, algorithm: "dice", confidence: 0.5, reason: "last" },
    ])
  })

  test("gives the upstream headers with model, confidence and request id, and passes on those of tracing alone", async () => {
    const { ask, transport } = await kernelOn({ a: { ...match, confidence: 0.75 } })
    const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "vendor=state" }
    await ask("x", {}, { "x-request-id": "req-1", ...trace, "x-own": "c", cookie: "c" })
    expect(transport.requests[0]?.headers).toMatchObject({
      "x-request-id": "req-1",
      "x-cache-status": "miss",
      "x-rtr-hops": "1",
      "x-selected-model": "large",
      "x-routing-confidence": "0.7500",
      ...trace,
    })
    expect(Object.keys(transport.requests[0]?.headers ?? {})).not.toContain("x-own")
    expect(JSON.stringify(transport.requests[0]?.headers)).not.toContain("cookie")
  })

  test("counts the routers on the way, and refuses a request that goes around", async () => {
    const { ask, transport } = await kernelOn({ a: match })
    await ask("x", {}, { "x-rtr-hops": "4" })
    await ask("x", {}, { "x-rtr-hops": "many" })
    expect(transport.requests.map(({ headers }) => headers["x-rtr-hops"])).toEqual(["5", "1"])
    const { status, body } = await ask("x", {}, { "x-rtr-hops": "5" })
    expect([status, body]).toMatchObject([508, { error: { code: "loop_detected" } }])
    expect(transport.requests).toHaveLength(2)
  })

  test("sends names that are not ASCII in a form that headers can hold", async () => {
    const { ask, transport } = await watchedKernel({
      changes: { "providers.models.1.name": "模型 ü", "routing.decisions.0.modelRefs": [{ model: "模型 ü" }] },
    })
    const { headers } = await ask("urgent")
    expect([transport.requests[0]?.headers["x-selected-model"], headers.get("x-selected-model")]).toEqual([
      encodeURIComponent("模型 ü"),
      encodeURIComponent("模型 ü"),
    ])
  })

  test("tells the reasoning setting of its candidate", async () => {
    const { ask, records } = await watchedKernel({
      changes: {
        "providers.models.1.reasoning_family": "thinker",
        "providers.defaults.reasoning_families": {
          thinker: { type: "reasoning_effort", parameter: "reasoning_effort" },
        },
        "routing.decisions.0.modelRefs": [{ model: "large", use_reasoning: true, reasoning_effort: "low" }],
      },
    })
    await ask("urgent")
    expect(records[0]?.reasoning).toMatchObject({ enabled: true, effort: "low" })
  })
})

describe("no decision matches", () => {
  test("the default model is called, and the record has what the guards found all the same", async () => {
    const kernel = await kernelOn({ a: noMatch }, {}, true)
    await kernel.ask("hello")
    expect(hostsOf(kernel)).toEqual(["small.example"])
    expect(kernel.records).toMatchObject([
      {
        path: "upstream",
        model: "small",
        decision: undefined,
        algorithm: undefined,
        confidence: undefined,
        automatic: true,
        securityChecks: { saying: false },
      },
    ])
    expect(kernel.transport.requests[0]?.headers).not.toHaveProperty("x-routing-confidence")
  })

  test("without a default model it is an error", async () => {
    const { ask } = await kernelOn({ a: noMatch }, { changes: { "providers.defaults": undefined } })
    const { status, body } = await ask("hello")
    expect([status, body.error]).toEqual([
      expect.any(Number),
      expect.objectContaining({
        code: "no_model_selected",
        message:
          "No decision matched the request, and there is no default model for that case (providers.defaults.model)",
      }),
    ])
  })
})

test("unknown facts with fail_request refuse the call, for good where only another text could help", async () => {
  const message = (rest: string) => expect.stringContaining(rest)
  const unread: Said = { ...unknown, reason: "unread_words" }
  const abstained: Said = { ...unknown, reason: "abstained" }
  const image: Said = { ...unknown, reason: "unreadable_content" }
  const partly: Said = { ...match, confidence: 0.6, value: 0.6, atLeast: true, reason: "input_limit" }
  const onTwo = (predicate: object) => ({
    "routing.decisions.0.rules": {
      operator: "AND",
      conditions: [
        { type: "saying", name: "a", predicate },
        { type: "saying", name: "b" },
      ],
    },
  })
  const settledElsewhere = {
    "routing.decisions.0.rules": {
      operator: "AND",
      conditions: [
        {
          operator: "OR",
          conditions: [
            { type: "saying", name: "a" },
            { type: "saying", name: "c" },
          ],
        },
        { type: "saying", name: "b" },
      ],
    },
  }
  const cases: readonly (readonly [string, Readonly<Record<string, Said>>, object, readonly unknown[]])[] = [
    ["a failure", { a: unknown }, {}, [503, "signal_unresolved", message('Decision "rush" depends on signals'), "1"]],
    ["too long", { a: tooLong, b: noMatch }, {}, [413, "context_length_exceeded", message("send a shorter one"), null]],
    [
      "a predicate on the unread part",
      { a: partly, b: match },
      onTwo({ gte: 0.9 }),
      [413, "context_length_exceeded", message("too long"), null],
    ],
    ["unread words", { a: tooLong, b: unread }, {}, [400, "unread_words", message("that their models know"), null]],
    ["an image", { a: image, b: noMatch }, {}, [400, "unreadable_content", message("allow_unread"), null]],
    ["an image and more", { a: image, b: unread }, {}, [400, "unreadable_content", message("such as an image"), null]],
    ["an abstention", { a: abstained, b: noMatch }, {}, [503, "signal_unresolved", message("abstained from"), null]],
    [
      "an abstention beside a failure",
      { a: abstained, b: unknown },
      {},
      [503, "signal_unresolved", message("read"), "1"],
    ],
    ["an image beside a failure", { a: image, b: unknown }, {}, [503, "signal_unresolved", message("depends"), "1"]],
    [
      "settled elsewhere",
      { a: tooLong, b: unknown, c: match },
      settledElsewhere,
      [503, "signal_unresolved", message("depends"), "1"],
    ],
    ["another fact may come", { a: tooLong, b: unknown }, {}, [503, "signal_unresolved", message("depends"), "1"]],
  ]
  for (const [name, facts, changes, expected] of cases) {
    const { ask, transport, records } = await kernelOn(facts, {
      changes: { ...changes, "routing.decisions.0.rules.on_unknown": "fail_request" },
    })
    const { status, body, headers } = await ask("a secret text")
    expect([name, status, body.error.code, body.error.message, headers.get("retry-after")]).toEqual([name, ...expected])
    expect([transport.requests, body.error.message.includes("secret"), records[0]?.error?.code]).toEqual([
      [],
      false,
      expected[1],
    ])
  }
})

test("unknown facts that a policy settles are told", async () => {
  for (const [policy, model] of [
    ["match", "large"],
    ["no_match", "small"],
  ] as const) {
    const { ask, records } = await kernelOn(
      { a: unknown },
      { changes: { "routing.decisions.0.rules.on_unknown": policy } },
    )
    const { headers } = await ask("hello")
    expect([records[0]?.model, records[0]?.appliedPolicies, headers.get("x-rtr-applied-unknown-policy")]).toEqual([
      model,
      [{ decision: "rush", policy }],
      `rush=${policy}`,
    ])
  }
})

describe("the model that a request names", () => {
  test("is called as it is: no signals, no plugins, no confidence", async () => {
    const untouched = defineSignal({
      about: "x",
      rule: Type.Object({}),
      setup: () => ({ read: () => expect.unreachable("a signal was read") }),
    })
    const { ask, records, sent } = await kernelOn({ a: match }, { modules: { saying: untouched } })
    const { headers } = await ask("hello", { model: "small" })
    expect([sent()[0]?.["model"], headers.get("x-selected-model")]).toEqual(["small", "small"])
    expect(records).toMatchObject([
      {
        path: "upstream",
        model: "small",
        automatic: false,
        decision: undefined,
        readings: undefined,
        confidence: undefined,
      },
    ])
  })

  const models = new Map(["small", "large"].map((name) => [name, createTarget(name)]))
  const resolve = (model: string, grants?: readonly string[]) => {
    const { request } = createCall("x", { model })
    try {
      return (
        resolveModel(createPlan({ models }), { request, grants: grants && new Set(grants) })?.name ??
        "the router's choice"
      )
    } catch (error) {
      return (error as { readonly code: string }).code
    }
  }

  test("is found by its exact name, within the listener's grants", () => {
    const auto = "the router's choice"
    const cases: readonly (readonly [model: string, grants: readonly string[] | undefined, result: string])[] = [
      ["MoM", undefined, auto],
      ["auto", undefined, auto],
      ["rtr/auto", undefined, auto],
      ["large", undefined, "large"],
      ...["nobody", "mom", "MOM", "rtr/fusion", "constructor"].map(
        (name) => [name, undefined, "model_not_found"] as const,
      ),
      ["MoM", ["MoM"], auto],
      ["auto", ["MoM"], auto],
      ["MoM", ["rtr/auto"], auto],
      ["small", ["small"], "small"],
      ["MoM", ["small"], "model_not_allowed"],
      ["small", ["MoM"], "model_not_allowed"],
      ["small", [], "model_not_allowed"],
      // An unknown name does not tell what the grants are.
      ["nobody", ["small"], "model_not_found"],
    ]
    for (const [model, grants, result] of cases)
      expect([model, grants, resolve(model, grants)]).toEqual([model, grants, result])
  })

  test("is suggested for a mistyped one, where the client may use it", () => {
    const messageFor = (model: string, grants?: readonly string[]): unknown => {
      try {
        const { request } = createCall("x", { model })
        return resolveModel(createPlan({ models }), { request, grants: grants && new Set(grants) })?.name
      } catch (cause) {
        return (cause as Error).message
      }
    }
    expect(messageFor("smal")).toContain('Model "smal" is not available (did you mean "small"?); use "')
    expect(messageFor("smal", ["large"])).toContain('Model "smal" is not available; use "')
    expect(messageFor("small", ["acme/support", "large"])).toBe(
      'Model "small" is not allowed on this listener, which allows "acme/support", "large"',
    )
    expect(messageFor("small", [])).toMatch(/, which allows none$/)
    expect(messageFor("small".repeat(30))).toContain('…" is not available; use "')
  })

  test("is quoted in a short form that cannot break a log", async () => {
    const { ask, records } = await watchedKernel()
    const { status, body } = await ask("x", { model: `a"\n${"b".repeat(500)}` })
    expect([status, body.error.message]).toEqual([
      404,
      expect.stringContaining(`Model "a\\"\\n${"b".repeat(97)}…" is not available`),
    ])
    expect(records).toMatchObject([{ status: 404, path: "error", error: { code: "model_not_found" } }])
  })
})

test("a client that leaves while signals are read costs no backend call", async () => {
  const leaving = new AbortController()
  const slow = defineSignal({
    about: "Lets the client leave",
    rule: Type.Object({}),
    setup: (rules: readonly RuleOf<ReturnType<typeof Type.Object>>[]) => ({
      read: async () => {
        leaving.abort()
        return rules.map(({ name }) => ({ rule: name, ...match }))
      },
    }),
  })
  const { kernel, transport, records } = await kernelOn({ a: match }, { modules: { saying: slow } })
  await Promise.resolve(kernel.fetch(new Request(chat("hello"), { signal: leaving.signal }))).catch(() => {})
  expect([transport.requests, records.map(({ status, error }) => [status, error?.code])]).toEqual([
    [],
    [[499, "client_closed_request"]],
  ])
})

test("a whole reply for a client that asked for a stream becomes one", async () => {
  const { stream } = await watchedKernel({
    transport: createFakeTransport(jsonReply(completion("hi"), { headers: { "x-ratelimit-limit": "9" } })),
  })
  const { headers, events } = await stream("urgent", { stream_options: { include_usage: true } })
  expect([headers.get("content-type"), headers.get("x-ratelimit-limit"), events.at(-1)]).toEqual([
    "text/event-stream; charset=utf-8",
    "9",
    "[DONE]",
  ])
  expect(JSON.stringify(events)).toContain('"content":"hi"')
  expect(JSON.stringify(events)).toContain('"finish_reason":"stop"')
  expect(JSON.stringify(events)).toContain('"prompt_tokens":10')
})
