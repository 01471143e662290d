import { defineSignal, type Fact, guardSettings, loadGuardTexts, RtrError, section, Type } from "rtr"
import { createFakeInference, type FakeInference, type FakeInferenceOptions } from "rtr/testing"
import { describe, expect, test } from "vitest"
import responses from "../../../ts/plugins/dialects/responses.ts"
import { attack, chatPlaces, type Outcome, part, user } from "../../fakes/guard-places.ts"
import { messagesPlaces } from "../../fakes/guard-places-messages.ts"
import { responsesPlaces } from "../../fakes/guard-places-responses.ts"
import { post } from "../../fakes/kernel.ts"
import { type WatchedKernel, watchedKernel, type WatchedOptions } from "../../fakes/watched-kernel.ts"

const labels = ["benign", "jailbreak"]
const gone = new RtrError("unavailable", "gone")
const guard = { type: "jailbreak", name: "attack" }
const refused = { plugins: [{ type: "fast_response", configuration: { message: "No." } }] }

interface Guarded extends FakeInferenceOptions {
  /** Of the decision, around one condition on the guard. */
  readonly rules?: object
  readonly rule?: object
  readonly settings?: object
}

/** A kernel whose guard decision answers by itself, and whose other requests go to the default model. */
const guarded = ({ rules = guard, rule = {}, settings = {}, ...inference }: Guarded, options: WatchedOptions = {}) =>
  watchedKernel({
    inference: createFakeInference({ labels, classify: () => [0.9, 0.1], failWith: gone, ...inference }),
    changes: {
      "routing.signals.jailbreak": [{ name: "attack", ...rule }],
      "routing.decisions": [{ name: "guard", priority: 9, rules, ...refused }],
      "global.model_catalog.modules.prompt_guard": settings,
    },
    ...options,
  })

/** Who answered, and what the reply says of the guards. */
async function outcomeOf(given: Guarded) {
  const { ask, sent } = await guarded(given)
  const { status, headers } = await ask("hello")
  return [status, sent().length === 0 ? "refused" : "sent", headers.get("x-rtr-unscanned")]
}

describe("what a guard did not read", () => {
  const blocked = [200, "refused", "jailbreak=unavailable"]
  const passed = [200, "sent", "jailbreak=unavailable"]
  const failed = [503, "refused", "jailbreak=unavailable"]
  const allow = { rule: { on_unscanned: "allow" } } as const
  const low = { ...guard, predicate: { lt: 0.5 } }
  const high = { ...guard, predicate: { gte: 0.5 } }
  const not = (condition: object) => ({ operator: "NOT", conditions: [condition] })
  const cases: readonly (readonly [Guarded, readonly unknown[]])[] = [
    [{}, blocked],
    [{ rules: { ...guard, on_unknown: "no_match" } }, blocked],
    [{ rules: { ...guard, on_error: "no_match" } }, blocked],
    [{ rules: { ...guard, on_unknown: "match" } }, blocked],
    [{ rules: { ...guard, on_unknown: "fail_request" } }, failed],
    [{ rules: { ...guard, on_error: "no_match", on_unknown: "fail_request" } }, failed],
    [{ settings: { on_error: "allow" } }, blocked],
    // A number that nobody knows counts as the highest.
    [{ rules: high }, blocked],
    [{ rules: low }, passed],
    [{ rules: { ...low, on_error: "match" } }, passed],
    [{ rules: not(guard) }, passed],
    [{ rules: not(low) }, blocked],
    [allow, passed],
    [{ settings: { on_unscanned: "allow" } }, passed],
    [{ settings: { on_unscanned: "allow" }, rule: { on_unscanned: "block" } }, blocked],
    [{ settings: { on_unscanned: "block" }, ...allow }, passed],
    [{ ...allow, settings: { on_error: "block" } }, blocked],
    [{ ...allow, settings: { on_error: "block" }, rules: { ...guard, on_error: "no_match" } }, passed],
    [{ ...allow, rules: { ...guard, on_error: "match" } }, blocked],
    [{ ...allow, rules: { ...guard, on_unknown: "match" } }, blocked],
    [{ ...allow, rules: { ...guard, on_unknown: "fail_request" } }, failed],
    [{ ...allow, rules: not(guard) }, passed],
  ]

  test("counts as found, unless the rule or the guard's settings allow it", async () => {
    for (const [given, outcome] of cases) expect([given, await outcomeOf(given)]).toEqual([given, outcome])
  })

  test("is refused for every reason", async () => {
    const reasons: readonly (readonly [FakeInferenceOptions, reason: string])[] = [
      [{ failWith: new RtrError("scan_budget_exceeded", "x") }, "input_limit"],
      [{ failWith: new RtrError("deadline_exceeded", "x") }, "timeout"],
      [{ failWith: new RtrError("overloaded", "x") }, "overloaded"],
      [{ failWith: new RtrError("invalid_input", "x") }, "rejected"],
      [{ failWith: new RtrError("internal_error", "x") }, "failed"],
      [{ failWith: undefined as never, unknownTokens: () => 1 }, "unread_words"],
      [{ failWith: undefined as never, labels: ["cat", "dog"] }, "failed"],
    ]
    for (const [given, reason] of reasons)
      expect([reason, await outcomeOf(given)]).toEqual([reason, [200, "refused", `jailbreak=${reason}`]])
  })

  test("matches with full confidence, and is no finding of a check", async () => {
    const { ask, records } = await guarded({})
    const { headers } = await ask("hello")
    expect([headers.get("x-rtr-selected-decision"), headers.get("x-routing-confidence")]).toEqual(["guard", "1.0000"])
    expect(headers.get("x-security-checks")).toBeNull()
    expect(records.map(({ unscanned }) => unscanned)).toEqual([
      [{ guard: "jailbreak", rule: "attack", reason: "unavailable" }],
    ])
  })
})

test("a request that every guard has read says nothing of it", async () => {
  const { ask, records } = await guarded({ failWith: undefined as never })
  const { headers } = await ask("hello")
  expect([headers.get("x-rtr-unscanned"), records[0]?.unscanned]).toEqual([null, []])
})

test("a guard from outside is held to the same, and one that found nothing in a part has found nothing yet", async () => {
  const given: { facts: readonly Fact[] } = { facts: [] }
  const outside = defineSignal({
    about: "Says what the test wants",
    guard: true,
    rule: Type.Object({}),
    settings: { path: ["outside"], schema: section(guardSettings) },
    setup: () => ({ read: () => given.facts }),
  })
  const outcomes: unknown[] = []
  for (const [rule, facts, settings = {}] of [
    [{}, []],
    [{ on_unscanned: "allow" }, []],
    [{}, [], { on_unscanned: "allow" }],
    [{}, [], { on_unscanned: "allow", on_error: "block" }],
    [{}, [{ rule: "x", state: "no_match", confidence: 0, atLeast: true, reason: "input_limit" }]],
    [{}, [{ rule: "x", state: "no_match", confidence: 0 }]],
  ] as const) {
    given.facts = facts
    const { ask, sent } = await watchedKernel({
      modules: { outside },
      changes: {
        "routing.signals.outside": [{ name: "x", ...rule }],
        "global.outside": settings,
        "routing.decisions": [{ name: "guard", rules: { type: "outside", name: "x" }, ...refused }],
      },
    })
    const { headers } = await ask("hello")
    outcomes.push([sent().length, headers.get("x-rtr-unscanned")])
  }
  expect(outcomes).toEqual([
    [0, "outside=failed"],
    [1, "outside=failed"],
    [1, "outside=failed"],
    [0, "outside=failed"],
    [0, "outside=input_limit"],
    [1, null],
  ])
})

/** Reads what the kernel's normalizing leaves, and no more than a worker does. */
function judge(failWith?: RtrError): FakeInference {
  const tooLong = new RtrError("scan_budget_exceeded", "too long")
  const inference = createFakeInference({
    labels: ["benign", "jailbreak"],
    classify: (text) =>
      /ignore[\s_-]*all[\s_-]*previous[\s_-]*instructions/i.test(text.replaceAll(/\p{Cf}/gu, "")) ? [0, 1] : [1, 0],
    ...(failWith !== undefined && { failWith }),
  })
  return {
    ...inference,
    bundle: async (tasks) =>
      (await inference.bundle(tasks)).map((answer, index) =>
        (tasks[index]?.text.length ?? 0) > 200_000 ? { kind: "error", error: tooLong } : answer,
      ),
  }
}

const watched = (changes: object = {}, failWith?: RtrError): Promise<WatchedKernel> =>
  watchedKernel({
    inference: judge(failWith),
    changes: {
      // A backend that may keep responses: without one what refers to them is refused before guards read it.
      "providers.models.2": {
        name: "keeping",
        api_format: "responses",
        backend_refs: [{ base_url: "https://up.example/v1", provider: "openai", api_key: "key" }],
      },
      "routing.signals.jailbreak": [{ name: "attack", ...changes }],
      "routing.decisions": [
        {
          name: "guard",
          rules: { type: "jailbreak", name: "attack" },
          plugins: [{ type: "fast_response", configuration: { message: "No." } }],
        },
      ],
    },
  })

/** What became of a request. */
async function fateOf(
  { kernel, sent }: WatchedKernel,
  body: object | string,
  path = "/v1/chat/completions",
): Promise<Outcome> {
  const before = sent().length
  const request = typeof body === "string" ? body : { model: "MoM", ...body }
  const response = await kernel.fetch(post(path, request))
  const { status, headers } = response
  await response.text()
  if (sent().length > before)
    return JSON.stringify(sent().at(-1)).includes("previous") ? "sent with the attack" : "sent"
  if (headers.get("x-security-checks")?.includes("jailbreak:true") === true) return "read"
  if (headers.get("x-rtr-unscanned")?.startsWith("jailbreak=") === true) return "unscanned"
  if (status === 400) return "invalid"
  throw new Error(`A request came to nothing: ${status}`)
}

const protocols = [
  ["chat completions", "/v1/chat/completions", chatPlaces],
  ["Messages", "/v1/messages", messagesPlaces],
  ["Responses", "/v1/responses", responsesPlaces],
] as const

for (const [protocol, path, places] of protocols)
  describe(`an attack in a request of ${protocol} is read or refused, whether it stands in`, () => {
    for (const [group, rows] of Object.entries(places))
      test(`${group} (${rows.length} places)`, async () => {
        const kernel = await watched()
        expect(await fateOf(kernel, path === "/v1/responses" ? { input: "hello" } : user("hello"), path)).toBe("sent")
        const outcomes: unknown[] = []
        for (const [place, body] of rows) outcomes.push([place, await fateOf(kernel, body, path)])
        expect(outcomes).toEqual(rows.map(([place, , outcome]) => [place, outcome]))
      })
  })

test("a Responses request without an attack is sent, whatever its client leaves in it", async () => {
  const kernel = await watched()
  const call = { type: "function_call", call_id: "call_8f3a", name: "get_weather", arguments: "{}" }
  const input = [
    { role: "user", content: [{ type: "input_text", text: "hello" }] },
    {
      type: "message",
      id: "msg_1",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "a", annotations: [] }],
    },
    { ...call, id: "fc_1", status: "completed" },
    { type: "function_call_output", call_id: "call_8f3a", output: "sunny" },
  ]
  const body = { include: ["reasoning.encrypted_content"], truncation: "auto" }
  for (const given of ["hello", input])
    for (const stream of [false, true])
      expect(await fateOf(kernel, { ...body, input: given, stream }, "/v1/responses")).toBe("sent")
})

test("guards are asked about what is said in a Responses request, and about no words of its protocol", async () => {
  const request = responses.readRequest({
    model: "MoM",
    instructions: "Be kind",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "hi", annotations: [], logprobs: [] }],
      },
      { type: "custom_tool_call", call_id: "c1", name: "run", input: "ls" },
      { type: "custom_tool_call_output", call_id: "c1", output: "a.txt" },
    ],
    text: { format: { type: "text" }, verbosity: "low" },
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    truncation: "disabled",
    max_output_tokens: 5,
  })
  const guardTexts = await loadGuardTexts()
  expect(guardTexts(request, responses).textsFor({ name: "x" })).toEqual([
    "Be kind",
    "hello",
    "hi",
    "ls",
    "a.txt",
    "run",
    "msg_1 c1",
  ])
})

test("a request is refused while its guard cannot answer, whatever it says", async () => {
  for (const code of [
    "unavailable",
    "overloaded",
    "deadline_exceeded",
    "internal_error",
    "invalid_input",
    "not_ready",
  ] as const) {
    const kernel = await watched({}, new RtrError(code, "x"))
    for (const body of [user("hello"), { ...user("hello"), stream: true }])
      expect([code, await fateOf(kernel, body)]).toEqual([code, "unscanned"])
  }
})

test("what a rule may leave unread passes, and an attack beside it does not", async () => {
  const kernel = await watched({ allow_unread: ["image"] })
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
  expect(await fateOf(kernel, part(image))).toBe("sent")
  expect(await fateOf(kernel, part(image, { type: "text", text: attack }))).toBe("read")
  expect(await fateOf(kernel, part(image, { type: "file", file: { file_id: "f" } }))).toBe("unscanned")
})

test("headers that go on to a backend are those of a trace, and hold no sentences", async () => {
  const { ask, transport } = await watched()
  const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "one=t61rcWkgMzE,two=00f0:1" }
  const headersWith = async (headers: Readonly<Record<string, string>>) => {
    await ask("hello", {}, headers)
    return transport.requests.at(-1)?.headers
  }
  expect(await headersWith(trace)).toMatchObject(trace)
  const odd = { traceparent: attack, tracestate: `one=${attack}`, "x-note": attack }
  expect(JSON.stringify(await headersWith(odd))).not.toMatch(/previous/)
})
