import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { chat } from "../../../../fakes/kernel.ts"
import { createScriptedTransport, inTestTime, type Script } from "../../../../fakes/scripted-backends.ts"
import { watchedKernel } from "../../../../fakes/watched-kernel.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Asked {
  readonly status: number
  readonly attempts: string
  readonly model: string | null
  readonly text: string
  readonly record: string | undefined
  readonly sent: readonly (string | undefined)[]
  readonly why: readonly (string | undefined)[]
}

/** Three models of one backend each; the decision's candidates are `a` and `b`. */
async function ask(
  routing: object,
  backends: Readonly<Record<string, readonly Script[]>>,
  { body = {}, times = 1, changes = {} }: { body?: object; times?: number; changes?: object } = {},
): Promise<readonly Asked[]> {
  const transport = createScriptedTransport(backends)
  const { kernel, records } = await watchedKernel({
    transport,
    changes: {
      "providers.defaults.model": "a",
      "providers.models": ["a", "b", "c"].map((name) => ({ name, backend_refs: [{ endpoint: `${name}.example` }] })),
      "routing.decisions.0.modelRefs": [{ model: "a" }, { model: "b" }],
      ...Object.fromEntries(Object.entries(routing).map(([key, value]) => [`routing.${key}`, value])),
      ...changes,
    },
  })
  const found: Asked[] = []
  for (let time = 0; time < times; time++) {
    const before = transport.requests.length
    const answering = Promise.resolve(kernel.fetch(chat("urgent", body))).then(async (response) => ({
      response,
      text: await response.text(),
    }))
    const { response, text } = await inTestTime(answering, transport)
    await vi.advanceTimersByTimeAsync(1000)
    found.push({
      status: response.status,
      attempts: (response.headers.get("x-rtr-attempts") ?? "").replaceAll("/primary", "").replaceAll(",", " "),
      model: response.headers.get("x-selected-model"),
      text,
      record: records.at(-1)?.model,
      why: (records.at(-1)?.attempts ?? []).map(({ why }) => why),
      sent: transport.requests.slice(before).map(({ headers }) => headers["x-selected-model"]),
    })
  }
  return found
}

const enabled = { fallback: { enabled: true } }
const one = async (...args: Parameters<typeof ask>): Promise<Asked> => (await ask(...args))[0] as Asked

test("the decision's next candidate answers, and everything names it", async () => {
  expect(await one(enabled, { a: ["503"], b: ["200"] })).toMatchObject({
    status: 200,
    attempts: "a=503 b=200",
    model: "b",
    record: "b",
    sent: ["a", "b"],
    text: expect.stringContaining("from b"),
  })
  expect((await one(enabled, { a: ["503"], b: ["200"] })).why).toEqual([undefined, "fallback"])
  const stream = await one(enabled, { a: ["cut"], b: ["200"] }, { body: { stream: true } })
  expect(stream).toMatchObject({ status: 200, attempts: "a=broken b=200", model: "b", record: "b" })
})

test("a stand-in that cannot take the request is passed over, and the failure stays that of the first", async () => {
  const models = ["a", "b", "c"].map((name) => ({
    name,
    backend_refs: [
      name === "b"
        ? { base_url: "https://b.example", provider: "anthropic", api_key: "k" }
        : { endpoint: `${name}.example` },
    ],
  }))
  const options = { body: { n: 2 }, changes: { "providers.models": models } }
  expect(await one(enabled, { a: ["503"] }, options)).toMatchObject({ status: 503, attempts: "a=503", record: "a" })
  const three = { fallback: { enabled: true, models: ["c"] } }
  expect(await one(three, { a: ["503"], c: ["200"] }, options)).toMatchObject({
    status: 200,
    attempts: "a=503 c=200",
    record: "c",
    why: [undefined, "fallback"],
  })
})

test("which failures another model is asked after, and how many models", async () => {
  const cases: readonly (readonly [object, Script, string])[] = [
    [{}, "502", "a=502 b=200"],
    [{}, "529", "a=529 b=200"],
    [{}, "refuse", "a=unavailable b=200"],
    [{}, "reset", "a=unavailable b=200"],
    [{}, "garbage", "a=broken b=200"],
    [{}, "400", "a=400"],
    [{}, "429", "a=429"],
    [{}, "500", "a=500"],
    [{}, "401", "a=401"],
    [{ retryable_status_codes: [429] }, "429", "a=429 b=200"],
    [{ retryable_status_codes: [429] }, "503", "a=503"],
    [{}, "hang", "a=timeout b=200"],
    [{}, "stall", "a=timeout b=200"],
    [{ total_timeout: "300s" }, "hang", "a=timeout"],
    [{ per_attempt_timeout: "200ms" }, "hang", "a=timeout b=200"],
    [{ max_attempts: 1 }, "503", "a=503"],
    [{ total_timeout: "300ms" }, "503+400", "a=503"],
  ]
  const found = []
  for (const [fallback, script, expected] of cases) {
    const { attempts } = await one({ fallback: { enabled: true, ...fallback } }, { a: [script], b: ["200"] })
    found.push([fallback, script, attempts === expected ? "as expected" : attempts])
  }
  expect(found).toEqual(cases.map(([fallback, script]) => [fallback, script, "as expected"]))
})

test("models that hang are followed too, whole replies and streams, for three times the listener's timeout", async () => {
  const names = ["a", "b", "c", "d"]
  const changes = {
    "providers.models": names.map((name) => ({ name, backend_refs: [{ endpoint: `${name}.example` }] })),
    "listeners.0.timeout": "20s",
  }
  const fallback = { enabled: true, models: ["c", "d"], max_attempts: 4 }
  const hanging = { a: ["hang"], b: ["stall"], c: ["hang"] }
  for (const stream of [false, true]) {
    const options = { body: { stream }, changes }
    expect(await one({ fallback }, { ...hanging, c: ["200"] }, options)).toMatchObject({
      status: 200,
      attempts: "a=timeout b=timeout c=200",
      text: expect.stringContaining("from c"),
    })
    expect(await one({ fallback }, hanging, options)).toMatchObject({
      status: 504,
      attempts: "a=timeout b=timeout c=timeout",
    })
  }
})

test("models of the list follow, and where all fail the first one's own failure is the answer", async () => {
  const fallback = { enabled: true, models: ["c"] }
  expect(await one({ fallback }, { a: ["503"], b: ["refuse"], c: ["200"] })).toMatchObject({
    status: 200,
    attempts: "a=503 b=unavailable c=200",
    model: "c",
  })
  expect(await one({ fallback }, { a: ["503"], b: ["502"], c: ["504"] })).toMatchObject({
    status: 503,
    attempts: "a=503 b=502 c=504",
    model: "a",
    record: "a",
    text: expect.stringContaining("a says 503"),
  })
})

test("a request that names its model gets that model, and one for the default model may get another", async () => {
  const fallback = { enabled: true, models: ["c"] }
  const backends = { a: ["503"], b: ["200"], c: ["200"] }
  expect((await one({ fallback }, backends, { body: { model: "a" } })).attempts).toBe("a=503")
  const calm = { messages: [{ role: "user", content: "calm" }] }
  expect((await one({ fallback }, backends, { body: calm })).attempts).toBe("a=503 c=200")
})

test("without the fallback nothing else is asked", async () => {
  expect((await one({ fallback: { enabled: false } }, { a: ["503"] })).attempts).toBe("")
  expect((await one({ candidate_requirements: { context: "known_limits" } }, { a: ["503"] })).attempts).toBe("a=503")
})

test("a model whose backends are out is passed over until its time is over, then tried again", async () => {
  const fallback = { enabled: true, circuit_breaker: { consecutive_failures: 2, cooldown_period: "4s" } }
  const found = await ask({ fallback }, { a: ["503", "503", "200"], b: ["200"] }, { times: 6 })
  expect(found.map(({ attempts }) => attempts)).toEqual([
    "a=503 b=200",
    "a=503 b=200",
    "a=skipped:ejected b=200",
    "a=skipped:ejected b=200",
    "a=skipped:ejected b=200",
    "a=200",
  ])
  const down = await ask({ fallback }, { a: ["503"], b: ["503"] }, { times: 3 })
  expect(down.map(({ attempts }) => attempts)).toEqual(["a=503 b=503", "a=503 b=503", "a=skipped:ejected b=503"])
})

test("a model that cannot take the request is passed over with the reason", async () => {
  const cards = [
    { name: "a", context_window_size: 100, capabilities: ["chat"] },
    { name: "b", context_window_size: 100_000, capabilities: ["Function-Calling", "vision"] },
  ]
  const changes = { "routing.modelCards": cards }
  const strict = { candidate_requirements: { capabilities: "declared", context: "known_limits" } }
  const tools = [{ type: "function", function: { name: "find", parameters: {} } }]
  const image = [
    {
      role: "user",
      content: [
        { type: "text", text: "urgent" },
        { type: "image_url", image_url: { url: "https://x.example/a.png" } },
      ],
    },
  ]
  const long = [{ role: "user", content: `urgent ${"word ".repeat(200)}` }]
  const attempts = async (body: object, routing: object = strict): Promise<string> =>
    (await one(routing, {}, { body, changes })).attempts
  expect([
    await attempts({}),
    await attempts({ tools }),
    await attempts({ messages: image }),
    await attempts({ messages: long }),
    await attempts({ max_tokens: 101 }),
    // Nobody asks for it.
    await attempts({ tools, max_tokens: 101 }, enabled),
    // None can: the chosen one says so.
    await attempts({ max_tokens: 200_000 }),
  ]).toEqual([
    "a=200",
    "a=skipped:tools b=200",
    "a=skipped:images b=200",
    "a=skipped:context_length b=200",
    "a=skipped:context_length b=200",
    "a=200",
    "a=skipped:context_length b=skipped:context_length a=200",
  ])
})

test("a decision has the fallback that it names, and the others that of the router", async () => {
  const backends = { a: ["503"], b: ["200"] } as const
  const decisionOf = (own: object) => ({ changes: { "routing.decisions.0.fallback": own } })
  expect((await one({}, backends, decisionOf({ enabled: true }))).attempts).toBe("a=503 b=200")
  expect((await one(enabled, backends, decisionOf({ enabled: false }))).attempts).toBe("a=503")
  const router = { "global.router.fallback": { enabled: true } }
  expect((await one({}, backends, { changes: router })).attempts).toBe("a=503 b=200")
  expect((await one({ fallback: { enabled: false } }, backends, { changes: router })).attempts).toBe("")
  // The default model belongs to no decision.
  const body = { messages: [{ role: "user", content: "calm" }] }
  const all = { a: ["503"], c: ["200"] } as const
  const changes = { "routing.decisions.0.fallback": { enabled: true, models: ["c"] } }
  expect((await one({}, all, { changes, body })).attempts).toBe("a=503")
})

test("a decision says what its models have to be able to", async () => {
  const changes = {
    "routing.modelCards": [{ name: "a", context_window_size: 10 }, { name: "b" }, { name: "c" }],
    "routing.decisions.0.candidate_requirements": { context: "known_limits" },
  }
  const body = { messages: [{ role: "user", content: "urgent ".repeat(10) }] }
  expect((await one({}, { b: ["200"] }, { changes, body })).attempts).toBe("a=skipped:context_length b=200")
})
