import { describe, expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type PipelineHost, resolveModel, run } from "../../../ts/kernel/pipeline/run.ts"
import { createTracer } from "../../../ts/kernel/pipeline/trace.ts"
import type { Call, Outcome } from "../../../ts/kernel/types/call.ts"
import type { JsonReply, StreamReply } from "../../../ts/kernel/types/chat.ts"
import { nullMetrics } from "../../../ts/kernel/types/metrics.ts"
import type { PluginHooks } from "../../../ts/kernel/types/module.ts"
import type { Fact } from "../../../ts/kernel/types/fact.ts"
import type { Plan, RuleNode } from "../../../ts/kernel/types/plan.ts"
import { collect } from "../../fakes/batches.ts"
import { createCall } from "../../fakes/call.ts"
import {
  and,
  createCandidate,
  createDecision,
  createFamily,
  createPlan,
  createTarget,
  leaf,
  match,
  noMatch,
  or,
  unknown,
} from "../../fakes/plan.ts"
import { completion, createFakeTransport, type FakeTransport, jsonReply } from "../../fakes/transport.ts"

const models = new Map(["small", "large"].map((name) => [name, createTarget(name)]))

/** A plan with one decision on one signal; the fact decides what the signal says. */
function planWith(fact: ReturnType<typeof match>, changes: Partial<Plan> = {}, decision: object = {}): Plan {
  return createPlan({
    models,
    defaultModel: models.get("small"),
    signals: [createFamily("keyword", { read: () => [fact] })],
    slotCount: 1,
    decisions: [createDecision("rush", { rules: leaf(0), candidates: [createCandidate("large")], ...decision })],
    ...changes,
  })
}

interface Ran {
  readonly outcome: Outcome
  readonly transport: FakeTransport
}

async function route(plan: Plan, call: Call = createCall()): Promise<Ran> {
  const transport = createFakeTransport(jsonReply(completion("hi")))
  const host: PipelineHost = { plan, transport, inference: undefined, tracer: createTracer(nullMetrics, plan) }
  return { outcome: await run(host, call), transport }
}

const hostsOf = ({ transport }: Ran): readonly string[] => transport.requests.map(({ url }) => new URL(url).host)
const ms = expect.any(Number)

describe("a decision that matches", () => {
  test("is called with its candidate and told in the routing", async () => {
    const ran = await route(planWith(match(0.75)))
    expect(ran.outcome.routing).toEqual({
      path: "upstream",
      model: "large",
      decision: "rush",
      algorithm: "static",
      confidence: 0.75,
      appliedPolicies: [],
      signalMs: ms,
      familyMs: { keyword: ms },
      automatic: true,
    })
    expect(hostsOf(ran)).toEqual(["large.example"])
    const body = completion("hi")
    expect(ran.outcome.reply).toEqual({ kind: "json", status: 200, body, text: JSON.stringify(body), headers: {} })
  })

  test("tells the reasoning setting of its candidate", async () => {
    const reasoning = { enabled: true, effort: "low", family: { type: "reasoning_effort", parameter: "x" } } as const
    const ran = await route(planWith(match(), {}, { candidates: [createCandidate("large", { reasoning })] }))
    expect(ran.outcome.routing.reasoning).toEqual(reasoning)
  })

  test("asks its selector among several candidates", async () => {
    const candidates = [createCandidate("small"), createCandidate("large")]
    const ran = await route(
      planWith(
        match(),
        {},
        { algorithm: "dice", candidates, select: () => ({ candidate: 1, confidence: 1, reason: "x" }) },
      ),
    )
    expect([ran.outcome.routing.model, ran.outcome.routing.algorithm, hostsOf(ran)]).toEqual([
      "large",
      "dice",
      ["large.example"],
    ])
  })

  test("gives the upstream headers with model, confidence and request id", async () => {
    const call = createCall(
      "x",
      {},
      { header: (name) => ({ traceparent: "00-1", tracestate: "s", cookie: "c" })[name] },
    )
    const { transport } = await route(planWith(match(0.75)), call)
    expect(transport.requests[0]?.headers).toEqual({
      "x-request-id": "req-1",
      "x-cache-status": "miss",
      "x-selected-model": "large",
      "x-routing-confidence": "0.7500",
      traceparent: "00-1",
      tracestate: "s",
    })
  })

  test("sends names that are not ASCII in a form that headers can hold", async () => {
    const { transport } = await route(planWith(match(), {}, { candidates: [createCandidate("模型 ü")] }))
    expect(transport.requests[0]?.headers["x-selected-model"]).toBe(encodeURIComponent("模型 ü"))
  })

  test("whose candidates are none, and whose plugins do not answer, is an error", async () => {
    await expect(route(planWith(match(), {}, { candidates: [] }))).rejects.toMatchObject({
      code: "no_model_selected",
      message: 'Decision "rush" has no model, and none of its plugins answered',
    })
  })
})

describe("plugins of the decision", () => {
  const withPlugin = (hooks: PluginHooks, changes: object = {}) =>
    planWith(match(), {}, { plugins: [{ type: "fast_response", hooks }], ...changes })
  const answer: JsonReply = { kind: "json", status: 200, body: completion("no") as JsonReply["body"] }

  test("see the call", async () => {
    const seen: unknown[] = []
    await route(withPlugin({ before: (call) => void seen.push(call) }))
    expect(seen).toEqual([
      {
        id: "req-1",
        decision: "rush",
        model: "large",
        request: createCall().request,
        headers: expect.objectContaining({ "x-selected-model": "large" }),
      },
    ])
  })

  test("change what the upstream gets", async () => {
    const { transport } = await route(
      withPlugin({
        before: ({ request, headers }) => ({ request: { ...request, n: 2 }, headers: { ...headers, a: "1" } }),
      }),
    )
    expect(JSON.parse(transport.requests[0]?.body ?? "")).toMatchObject({ n: 2 })
    expect(transport.requests[0]?.headers).toMatchObject({ a: "1" })
  })

  test("may answer without a model, which the path tells", async () => {
    const ran = await route(withPlugin({ before: () => ({ answer }) }, { candidates: [] }))
    expect(ran.outcome.reply).toBe(answer)
    expect(ran.outcome.routing).toMatchObject({
      path: "fast_response",
      model: undefined,
      decision: "rush",
      confidence: 1,
    })
    expect(hostsOf(ran)).toEqual([])
  })

  test("need not know whether the client asked for a stream", async () => {
    const { outcome } = await route(withPlugin({ before: () => ({ answer }) }), createCall("x", { stream: true }))
    expect((await collect((outcome.reply as StreamReply).batches))[0]).toMatchObject({
      chunks: [{ object: "chat.completion.chunk", choices: [{ delta: { content: "no" } }] }],
      done: true,
    })
  })

  test("may answer with an error, which stays whole for a client that asked for a stream", async () => {
    const refusal = { kind: "json", status: 403, body: { error: { message: "no" } } } as const
    const { outcome } = await route(
      withPlugin({ before: () => ({ answer: refusal }) }),
      createCall("x", { stream: true }),
    )
    expect(outcome.reply).toBe(refusal)
  })

  test("may refuse", async () => {
    const refuse = new RtrError("model_not_allowed", "no")
    await expect(route(withPlugin({ before: () => ({ refuse }) }))).rejects.toBe(refuse)
  })
})

describe("no decision matches", () => {
  test("the default model is called", async () => {
    const ran = await route(planWith(noMatch()))
    expect(ran.outcome.routing).toEqual({
      path: "upstream",
      model: "small",
      decision: undefined,
      algorithm: undefined,
      confidence: undefined,
      appliedPolicies: [],
      signalMs: ms,
      familyMs: { keyword: ms },
      automatic: true,
    })
    expect(hostsOf(ran)).toEqual(["small.example"])
    expect(ran.transport.requests[0]?.headers).toEqual({
      "x-request-id": "req-1",
      "x-cache-status": "miss",
      "x-selected-model": "small",
    })
  })

  test("the routing has what the guards found all the same", async () => {
    const guard = createFamily("jailbreak", { read: () => [noMatch()] })
    const { outcome } = await route(planWith(noMatch(), { signals: [guard] }))
    expect(outcome.routing.securityChecks).toEqual({ jailbreak: false })
  })

  test("without a default model it is an error", async () => {
    await expect(route(planWith(noMatch(), { defaultModel: undefined }))).rejects.toMatchObject({
      code: "no_model_selected",
      message: "No decision matched the request, and providers.defaults.model names no model for that case",
    })
  })
})

describe("unknown facts", () => {
  test("with fail_request refuse the call", async () => {
    await expect(route(planWith(unknown(), {}, { onUnknown: "fail_request" }))).rejects.toMatchObject({
      code: "signal_unresolved",
      message: 'Decision "rush" hangs on signals that could not be read, and its policy is fail_request',
      retryAfterSeconds: 1,
    })
  })

  describe("of a text that is too long", () => {
    const tooLong = { ...unknown(), reason: "input_limit" } as const
    const planOf = (facts: readonly Fact[], rules: RuleNode) =>
      planWith(
        match(),
        {
          signals: [createFamily("keyword", { rules: facts.map((_, index) => `r${index}`), read: () => named(facts) })],
          slotCount: facts.length,
        },
        { onUnknown: "fail_request", rules },
      )
    const named = (facts: readonly Fact[]) => facts.map((fact, index) => ({ ...fact, rule: `r${index}` }))

    test("refuse the call for good", async () => {
      const error = await route(planOf([tooLong, noMatch()], or(leaf(0), leaf(1)))).catch((cause: unknown) => cause)
      expect(error).toMatchObject({
        code: "context_length_exceeded",
        status: 413,
        message:
          'The text is too long for the guards and other signals of decision "rush" to read it whole; send a shorter one',
        retryAfterSeconds: undefined,
      })
    })

    test("refuse the call for good where a predicate hangs on the part that was not read", async () => {
      const partly = { ...match(0.6), value: 0.6, atLeast: true, reason: "input_limit" } as const
      const rules = and(leaf(0, { predicate: { gte: 0.9 } }), leaf(1))
      await expect(route(planOf([partly, match()], rules))).rejects.toMatchObject({
        code: "context_length_exceeded",
        status: 413,
      })
    })

    test("or in words that no model knows refuse the call for good too", async () => {
      const unread = { ...unknown(), reason: "unread_words" } as const
      const error = await route(planOf([tooLong, unread], or(leaf(0), leaf(1)))).catch((cause: unknown) => cause)
      expect(error).toMatchObject({
        code: "unread_words",
        status: 400,
        message:
          'The text has words that the guards and other signals of decision "rush" cannot read; send it in a script and a language that their models know',
        retryAfterSeconds: undefined,
      })
    })

    test("are beside the point where another condition settles their part", async () => {
      const rules = and(or(leaf(0), leaf(2)), leaf(1))
      await expect(route(planOf([tooLong, unknown(), match()], rules))).rejects.toMatchObject({
        code: "signal_unresolved",
      })
    })

    test("leave a retry its sense while another fact may come", async () => {
      await expect(route(planOf([tooLong, unknown()], or(leaf(0), leaf(1))))).rejects.toMatchObject({
        code: "signal_unresolved",
        retryAfterSeconds: 1,
      })
    })
  })

  test.each(["match", "no_match"] as const)("with %s are told", async (policy) => {
    const ran = await route(planWith(unknown(), {}, { onUnknown: policy }))
    expect(ran.outcome.routing.appliedPolicies).toEqual([{ decision: "rush", policy }])
    expect(ran.outcome.routing.model).toBe(policy === "match" ? "large" : "small")
  })
})

describe("the model that a request names", () => {
  const plan = planWith(match())
  const resolve = (model: string, grants?: readonly string[]) =>
    resolveModel(plan, { request: { model, messages: [] }, grants: grants && new Set(grants) })

  test("is called as it is: no signals, no plugins", async () => {
    const untouched = planWith(match(), {
      signals: [createFamily("keyword", { read: () => expect.unreachable("a signal was read") })],
    })
    const ran = await route(untouched, createCall("x", { model: "small" }))
    expect(ran.outcome.routing).toEqual({
      path: "upstream",
      model: "small",
      decision: undefined,
      algorithm: undefined,
      confidence: undefined,
      appliedPolicies: [],
      signalMs: 0,
      familyMs: {},
      automatic: false,
    })
    expect(JSON.parse(ran.transport.requests[0]?.body ?? "")).toMatchObject({ model: "upstream-small" })
  })

  test.each(["MoM", "auto", "rtr/auto"])("is left to the router by %s", (model) =>
    expect(resolve(model)).toBeUndefined(),
  )

  test("is found among the configured ones", () => expect(resolve("large")).toBe(models.get("large")))

  test.each(["nobody", "mom", "MOM", "rtr/fusion", "constructor"])("is not found when it is %s", (model) => {
    expect(() => resolve(model)).toThrow(
      expect.objectContaining({
        code: "model_not_found",
        message: `Model "${model}" is not available; use "MoM" for automatic routing, or a model that GET /v1/models lists`,
      }),
    )
  })

  test("is quoted in a short form that cannot break a log", () => {
    expect(() => resolve(`a"\n${"b".repeat(500)}`)).toThrow(`Model "a\\"\\n${"b".repeat(97)}…" is not available`)
  })

  test.each([
    ["MoM", ["MoM"]],
    ["auto", ["MoM"]],
    ["MoM", ["rtr/auto"]],
    ["small", ["small"]],
  ])("is allowed when it is %s and the grants are %j", (model, grants) => {
    expect(resolve(model, grants)?.name).toBe(model === "small" ? "small" : undefined)
  })

  test.each([
    ["MoM", ["small"]],
    ["small", ["MoM"]],
    ["small", []],
  ])("is refused when it is %s and the grants are %j", (model, grants) => {
    expect(() => resolve(model, grants)).toThrow(
      expect.objectContaining({
        code: "model_not_allowed",
        message: `Model "${model}" is not allowed on this listener`,
      }),
    )
  })

  test("does not tell an unknown name from the grants", () => {
    expect(() => resolve("nobody", ["small"])).toThrow(expect.objectContaining({ code: "model_not_found" }))
  })
})
