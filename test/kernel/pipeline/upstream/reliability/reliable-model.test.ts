import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { chat } from "../../../../fakes/kernel.ts"
import { createScriptedTransport, inTestTime, type Script } from "../../../../fakes/scripted-backends.ts"
import { watchedKernel } from "../../../../fakes/watched-kernel.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] })
  vi.spyOn(Math, "random").mockReturnValue(0.48)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

interface Scenario {
  readonly name: string
  readonly reliability?: object
  /** What each backend does, in the order of the document. */
  readonly backends: Readonly<Record<string, readonly Script[]>>
  readonly refs?: Readonly<Record<string, object>>
  readonly stream?: boolean
  readonly status: number
  readonly attempts: string
  readonly says?: string
  /** How long it takes. */
  readonly ms?: number
}

/** The clock of the test counts whole milliseconds. */
const near = (found: number, expected: number): number => (Math.abs(found - expected) < 5 ? expected : found)

const twice = { retry_count: 1 }

const scenarios: readonly Scenario[] = [
  // Which failures are tried again.
  {
    name: "a good reply",
    reliability: twice,
    backends: { a: ["200"] },
    status: 200,
    attempts: "a=200",
    says: "from a",
    ms: 0,
  },
  {
    name: "refused once",
    reliability: twice,
    backends: { a: ["refuse", "200"] },
    status: 200,
    attempts: "a=unavailable a=200",
  },
  {
    name: "reset once",
    reliability: twice,
    backends: { a: ["reset", "200"] },
    status: 200,
    attempts: "a=unavailable a=200",
  },
  ...[408, 425, 429, 500, 502, 503, 504, 529].map((status) => ({
    name: `${status} once`,
    reliability: twice,
    backends: { a: [String(status), "200"] },
    status: 200,
    attempts: `a=${status} a=200`,
    // Full jitter below 25 ms; with the test's random number that is 12.
    ms: 12,
  })),
  ...[400, 402, 404, 409, 413, 422, 501].map((status) => ({
    name: `${status} is not tried again`,
    reliability: twice,
    backends: { a: [String(status), "200"] },
    status,
    attempts: `a=${status}`,
  })),
  { name: "refused credentials", reliability: twice, backends: { a: ["401", "200"] }, status: 502, attempts: "a=401" },
  {
    name: "a reply that cannot be read",
    reliability: twice,
    backends: { a: ["garbage", "200"] },
    status: 502,
    attempts: "a=broken",
  },
  {
    name: "a whole reply that breaks",
    reliability: twice,
    backends: { a: ["cut", "200"] },
    status: 200,
    attempts: "a=broken a=200",
  },
  // How often.
  {
    name: "no retries without the key",
    reliability: { lb_policy: "least_request" },
    backends: { a: ["503", "200"] },
    status: 503,
    attempts: "a=503",
  },
  {
    name: "three retries and no more",
    reliability: { retry_count: 3 },
    backends: { a: ["503"] },
    status: 503,
    attempts: "a=503 a=503 a=503 a=503",
    ms: 12 + 24 + 48,
  },
  {
    name: "three are the smallest budget",
    reliability: { retry_count: 5 },
    backends: { a: ["503"] },
    status: 503,
    attempts: "a=503 a=503 a=503 a=503",
  },
  {
    name: "no budget at all",
    reliability: { retry_count: 5, retry_budget_percent: 0 },
    backends: { a: ["503"] },
    status: 503,
    attempts: "a=503",
  },
  // What is tried again is up to the document.
  {
    name: "only what is listed",
    reliability: { retry_on: "429" },
    backends: { a: ["503", "200"] },
    status: 503,
    attempts: "a=503",
  },
  {
    name: "a listed status",
    reliability: { retry_on: "connect-failure, 418" },
    backends: { a: ["418", "200"] },
    status: 200,
    attempts: "a=418 a=200",
  },
  {
    name: "connections alone, where the request went out",
    reliability: { retry_on: "connect-failure" },
    backends: { a: ["reset", "200"] },
    status: 503,
    attempts: "a=unavailable",
  },
  {
    name: "connections alone",
    reliability: { retry_on: "connect-failure,refused-stream" },
    backends: { a: ["refuse", "200"] },
    status: 200,
    attempts: "a=unavailable a=200",
  },
  {
    name: "5xx is everything of that kind",
    reliability: { retry_on: "5xx" },
    backends: { a: ["501", "200"] },
    status: 200,
    attempts: "a=501 a=200",
  },
  {
    name: "gateway errors alone",
    reliability: { retry_on: "gateway-error" },
    backends: { a: ["500", "200"] },
    status: 500,
    attempts: "a=500",
  },
  {
    name: "conflicts",
    reliability: { retry_on: "retriable-4xx" },
    backends: { a: ["409", "200"] },
    status: 200,
    attempts: "a=409 a=200",
  },
  // Retry-After.
  {
    name: "Retry-After is waited for",
    reliability: twice,
    backends: { a: ["429 after 2", "200"] },
    status: 200,
    attempts: "a=429 a=200",
    ms: 2012,
  },
  {
    name: "a date is one too",
    reliability: twice,
    backends: { a: ["503 after Thu, 01 Jan 2026 00:00:03 GMT", "200"] },
    status: 200,
    attempts: "a=503 a=200",
    ms: 3012,
  },
  {
    name: "a text that is none",
    reliability: twice,
    backends: { a: ["429 after soon", "200"] },
    status: 200,
    attempts: "a=429 a=200",
    ms: 12,
  },
  {
    name: "longer than the time that is left",
    reliability: { retry_count: 1, total_timeout: "5s" },
    backends: { a: ["429 after 9", "200"] },
    status: 429,
    attempts: "a=429",
    ms: 0,
  },
  {
    name: "longer than the listener's timeout",
    reliability: twice,
    backends: { a: ["429 after 301", "200"] },
    status: 429,
    attempts: "a=429",
    ms: 0,
  },
  {
    name: "another backend need not wait",
    reliability: twice,
    backends: { a: ["429 after 60"], b: ["200"] },
    status: 200,
    attempts: "a=429 b=200",
    ms: 12,
  },
  {
    name: "both backends want to rest",
    reliability: { retry_count: 2 },
    backends: { a: ["429 after 60", "200"], b: ["429 after 1", "200"] },
    status: 200,
    attempts: "a=429 b=429 b=200",
    ms: 12 + 1024,
  },
  {
    name: "the wait is for a backend that is not left out",
    reliability: { retry_count: 2, consecutive_5xx: 1 },
    backends: { a: ["500"], b: ["429 after 2", "200"] },
    status: 200,
    attempts: "a=500 b=429 b=200",
    ms: 12 + 2024,
  },
  // Time-outs.
  {
    name: "no first byte in time",
    reliability: { retry_count: 1, first_byte_timeout: "2s" },
    backends: { a: ["hang", "200"] },
    status: 200,
    attempts: "a=timeout a=200",
    ms: 2012,
  },
  {
    name: "the listener's timeout leaves no time",
    reliability: twice,
    backends: { a: ["hang", "200"] },
    status: 504,
    attempts: "a=timeout",
    ms: 300_000,
  },
  {
    name: "a head and no body",
    reliability: { retry_count: 1, first_byte_timeout: "2s" },
    backends: { a: ["stall", "200"] },
    status: 200,
    attempts: "a=timeout a=200",
    ms: 2012,
  },
  {
    name: "total_timeout ends all attempts",
    reliability: { retry_count: 5, first_byte_timeout: "2s", total_timeout: "5s" },
    backends: { a: ["hang"] },
    status: 504,
    attempts: "a=timeout a=timeout a=timeout",
    ms: 5000,
  },
  // Streams.
  {
    name: "a stream",
    stream: true,
    reliability: twice,
    backends: { a: ["200"] },
    status: 200,
    attempts: "a=200",
    says: "from a",
  },
  {
    name: "a stream cut before its first event",
    stream: true,
    reliability: twice,
    backends: { a: ["cut"], b: ["200"] },
    status: 200,
    attempts: "a=broken b=200",
    says: "from b",
  },
  {
    name: "a stream cut within its first event",
    stream: true,
    reliability: twice,
    backends: { a: ["cut-in-event"], b: ["200"] },
    status: 200,
    attempts: "a=broken b=200",
    says: "from b",
  },
  {
    name: "a stream that is empty",
    stream: true,
    reliability: twice,
    backends: { a: ["empty"], b: ["200"] },
    status: 200,
    attempts: "a=broken b=200",
    says: "from b",
  },
  {
    name: "a stream that begins with an error",
    stream: true,
    reliability: twice,
    backends: { a: ["error-event"], b: ["200"] },
    status: 200,
    attempts: "a=broken b=200",
    says: "from b",
  },
  {
    name: "a stream cut after its first event",
    stream: true,
    reliability: twice,
    backends: { a: ["cut-after-one"], b: ["200"] },
    status: 200,
    attempts: "a=200",
    says: "the connection broke",
  },
  {
    name: "a stream without a first event in time",
    stream: true,
    reliability: { retry_count: 1, first_byte_timeout: "1s" },
    backends: { a: ["stall"], b: ["200"] },
    status: 200,
    attempts: "a=timeout b=200",
    says: "from b",
    ms: 1012,
  },
  {
    name: "a stream that falls silent",
    stream: true,
    reliability: { retry_count: 1, idle_timeout: "3s" },
    backends: { a: ["stall-after-one"], b: ["200"] },
    status: 200,
    attempts: "a=200",
    says: "the reply paused",
    ms: 3000,
  },
  {
    name: "a stream that trickles",
    stream: true,
    reliability: { retry_count: 1, first_byte_timeout: "1s", idle_timeout: "1s" },
    backends: { a: ["trickle"] },
    status: 200,
    attempts: "a=200",
    says: "[DONE]",
    ms: 4000,
  },
  {
    name: "a stream that trickles past the total",
    stream: true,
    reliability: { total_timeout: "2s" },
    backends: { a: ["trickle"] },
    status: 200,
    attempts: "a=200",
    says: "no whole reply within 2 seconds",
    ms: 2000,
  },
  {
    name: "a stream that nobody answers",
    stream: true,
    reliability: twice,
    backends: { a: ["503"], b: ["refuse"] },
    status: 503,
    attempts: "a=503 b=unavailable",
  },
  // Choice of the backend.
  {
    name: "a retry goes elsewhere",
    reliability: { retry_count: 2 },
    backends: { a: ["500"], b: ["500"], c: ["200"] },
    status: 200,
    attempts: "a=500 b=500 c=200",
  },
  {
    name: "by priority",
    backends: { a: ["200"], b: ["200"] },
    refs: { a: { priority: 1 }, b: { priority: 0 } },
    status: 200,
    attempts: "b=200",
  },
  {
    name: "the next group stands in",
    reliability: { retry_count: 2 },
    backends: { a: ["503"], b: ["503"], c: ["200"] },
    refs: { c: { priority: 1 } },
    status: 200,
    attempts: "a=503 b=503 c=200",
  },
  // Hedging.
  {
    name: "a slow backend gets company",
    reliability: { hedge_delay: "500ms" },
    backends: { a: ["200+2000"], b: ["200+100"] },
    status: 200,
    attempts: "a=cancelled b=200",
    says: "from b",
    ms: 600,
  },
  {
    name: "the slow one wins all the same",
    reliability: { hedge_delay: "500ms" },
    backends: { a: ["200+700"], b: ["200+900"] },
    status: 200,
    attempts: "a=200 b=cancelled",
    says: "from a",
    ms: 700,
  },
  {
    name: "a failed company is none",
    reliability: { hedge_delay: "500ms", retry_count: 1 },
    backends: { a: ["200+900"], b: ["503"] },
    status: 200,
    attempts: "a=200 b=503",
    says: "from a",
    ms: 900,
  },
  {
    name: "both fail and a third is tried",
    reliability: { hedge_delay: "500ms", retry_count: 1 },
    backends: { a: ["503+700"], b: ["503+300"], c: ["200"] },
    status: 200,
    attempts: "a=503 b=503 c=200",
  },
  {
    name: "a quick failure is tried again, not hedged",
    reliability: { hedge_delay: "500ms", retry_count: 1 },
    backends: { a: ["503"], b: ["200+100"] },
    status: 200,
    attempts: "a=503 b=200",
  },
  {
    name: "streams are hedged until their first event",
    stream: true,
    reliability: { hedge_delay: "500ms" },
    backends: { a: ["stall"], b: ["200"] },
    status: 200,
    attempts: "a=cancelled b=200",
    says: "from b",
    ms: 500,
  },
  {
    name: "no company without a budget",
    reliability: { hedge_delay: "500ms", hedge_budget_percent: 0 },
    backends: { a: ["200+2000"], b: ["200"] },
    status: 200,
    attempts: "a=200",
    ms: 2000,
  },
]

test("each scenario makes the attempts that it should, in the time that it should, and answers once", async () => {
  const wrong: unknown[] = []
  for (const { name, reliability, backends, refs = {}, stream = false, status, attempts, says, ms } of scenarios) {
    vi.setSystemTime(Date.UTC(2026, 0, 1))
    const transport = createScriptedTransport(backends)
    const names = Object.keys(backends)
    const { kernel, records } = await watchedKernel({
      transport,
      changes: {
        "providers.models.0.backend_refs": names.map((each) => ({
          name: each,
          endpoint: `${each}.example`,
          ...refs[each],
        })),
        "providers.models.0.reliability": reliability,
      },
    })
    const startedAt = performance.now()
    let tookMs = 0
    const answering = Promise.resolve(kernel.fetch(chat("calm", { stream }))).then(async (response) => {
      const text = await response.text()
      tookMs = performance.now() - startedAt
      return { response, text }
    })
    const { response, text } = await inTestTime(answering, transport)
    const seen = (response.headers.get("x-rtr-attempts") ?? "").replaceAll("small/", "").replaceAll(",", " ")
    const last = records[0]
    const asked = Object.values(transport.asked).reduce((sum, count) => sum + count, 0)
    const found = {
      status: response.status,
      attempts: seen,
      ...(says !== undefined && { says: text.includes(says) }),
      ...(ms !== undefined && { ms: near(tookMs, ms) }),
      records: records.length,
      asked,
      recorded: last?.attempts.length,
    }
    const expected = {
      status,
      attempts,
      ...(says !== undefined && { says: true }),
      ...(ms !== undefined && { ms }),
      records: 1,
      asked: attempts.split(" ").length,
      recorded: attempts.split(" ").length,
    }
    if (JSON.stringify(found) !== JSON.stringify(expected))
      wrong.push({ name, found, expected, text: text.slice(0, 200) })
  }
  expect(wrong).toEqual([])
})

test("first choices go in turn, whatever retries and hedges do", async () => {
  const cases: readonly (readonly [object, Readonly<Record<string, readonly Script[]>>, string])[] = [
    [twice, { a: ["500"], b: ["200"] }, "a=500,b=200 b=200 a=500,b=200 b=200"],
    [twice, { a: ["500"], b: ["200"], c: ["200"] }, "a=500,b=200 b=200 c=200 a=500,c=200 b=200 c=200"],
    [{ hedge_delay: "500ms" }, { a: ["200+2000"], b: ["200"] }, "a=cancelled,b=200 b=200 a=cancelled,b=200 b=200"],
  ]
  for (const [reliability, backends, expected] of cases) {
    const transport = createScriptedTransport(backends)
    const { ask } = await watchedKernel({ transport, changes: withBackends(backends, reliability) })
    const seen: string[] = []
    for (const _ of expected.split(" ")) seen.push(attemptsOf(await inTestTime(ask("calm"), transport)))
    expect(seen.join(" ")).toBe(expected)
  }
})

test("a backend that sends Retry-After is left alone by later requests too, as long as another one is free", async () => {
  const once = { retry_count: 0 }
  const cases: readonly (readonly [string, object | undefined, Readonly<Record<string, readonly Script[]>>, string])[] =
    [
      // A number is a pause in seconds.
      ["with retries", twice, { a: ["429 after 60", "200"], b: ["200"] }, "a=429,b=200 b=200 b=200 59 b=200 2 a=200"],
      ["without", once, { a: ["503 after 60", "200"], b: ["200"] }, "a=503 b=200 b=200 b=200 61 a=200"],
      ["five minutes at most", once, { a: ["429 after 99999", "200"], b: ["200"] }, "a=429 b=200 299 b=200 2 a=200"],
      ["the only one", once, { a: ["429 after 60", "200"] }, "a=429 a=200"],
      ["all of them", once, { a: ["429 after 60"], b: ["429 after 5", "200"] }, "a=429 b=429 b=200 b=200 6 b=200"],
      [
        "its last word counts",
        once,
        { a: ["429 after 60", "429 after 2", "200"], b: ["429 after 90", "200"] },
        "a=429 b=429 a=429 3 a=200 a=200",
      ],
      ["no reliability", undefined, { a: ["429 after 60", "200"], b: ["200"] }, "a=429 b=200 a=200 b=200"],
    ]
  for (const [name, reliability, backends, expected] of cases) {
    const transport = createScriptedTransport(backends)
    const { ask } = await watchedKernel({
      transport,
      changes: { ...withBackends(backends, reliability), "routing.fallback": { enabled: true } },
    })
    const seen: string[] = []
    for (const word of expected.split(" ")) {
      if (word.includes("=")) seen.push(attemptsOf(await inTestTime(ask("calm"), transport)))
      else {
        seen.push(word)
        await vi.advanceTimersByTimeAsync(Number(word) * 1000)
      }
    }
    expect([name, seen.join(" ")]).toEqual([name, expected])
  }
})

test("a further attempt that cannot be written for its backend leaves the first one its answer", async () => {
  const refs = [
    { name: "a", endpoint: "a.example" },
    { name: "b", base_url: "https://b.example", provider: "anthropic", api_key: "k", priority: 1 },
  ]
  const cases: readonly (readonly [object, Script, number, string])[] = [
    [twice, "503", 503, "a=503"],
    [{ hedge_delay: "500ms" }, "200+2000", 200, "a=200"],
    [{ hedge_delay: "500ms" }, "503+2000", 503, "a=503"],
  ]
  for (const [reliability, script, status, attempts] of cases) {
    const transport = createScriptedTransport({ a: [script] })
    const { ask } = await watchedKernel({
      transport,
      changes: { "providers.models.0.backend_refs": refs, "providers.models.0.reliability": reliability },
    })
    const answer = await inTestTime(ask("calm", { n: 2 }), transport)
    expect([script, answer.status, attemptsOf(answer)]).toEqual([script, status, attempts])
  }
})

const withBackends = (backends: object, reliability: object | undefined): Readonly<Record<string, unknown>> => ({
  "providers.models.0.backend_refs": Object.keys(backends).map((name) => ({ name, endpoint: `${name}.example` })),
  "providers.models.0.reliability": reliability,
})

const attemptsOf = ({ headers }: { readonly headers: Headers }): string =>
  (headers.get("x-rtr-attempts") ?? "").replaceAll("small/", "")
