import { requestLine, RtrError } from "rtr"
import { describe, expect, test } from "vitest"
import { fakeRecord } from "../../fakes/listener.ts"
import { createFakeTransport, jsonReply } from "../../fakes/transport.ts"
import { watchedKernel } from "../../fakes/watched-kernel.ts"

const parse = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>
const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

const priced = { "providers.models.1.pricing": { currency: "EUR", prompt_per_1m: 2, completion_per_1m: 10 } }

test("a routed request has its names, its reason, its figures and its price", async () => {
  const { ask, records } = await watchedKernel({
    changes: { ...priced, "listeners.0.api_keys": [{ key: "secret-key", name: "search team" }] },
  })
  await ask("this is urgent", {}, { authorization: "Bearer secret-key" })
  const line = requestLine(records[0] as never, { time })
  expect(parse(line)).toEqual({
    time: "2026-01-02T03:04:05.678Z",
    level: "info",
    event: "request",
    id: records[0]?.id,
    listener: "main",
    endpoint: "/v1/chat/completions",
    key: "search team",
    requested_model: "MoM",
    decision: "rush",
    why: "keyword:urgent 1.00",
    model: "large",
    answered_by: "upstream",
    attempts: 1,
    status: 200,
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    cost: expect.any(Number),
    currency: "EUR",
    signals_ms: expect.any(Number),
    upstream_ms: expect.any(Number),
    total_ms: expect.any(Number),
    stream: false,
  })
  expect(requestLine(records[0] as never, { time, format: "text" })).toMatch(
    /^03:04:05\.678 {2}200 {2}MoM → rush → large {2}keyword:urgent 1\.00 {2}\d+\+\d+ tokens {2}[\d.e-]+ EUR {2}[\d.]+ ms \(signals [\d.]+, upstream [\d.]+\) {2}search team {2}\S+$/,
  )
})

test.each([
  ["info", 200],
  ["info", 499],
  ["warning", 429],
  ["error", 502],
])("level %s for status %i", (level, status) => {
  expect(parse(requestLine(fakeRecord({ status }))).level).toBe(level)
})

describe("signals that could not be read", () => {
  const lineOf = (reason: "timeout" | "input_limit", format: "json" | "text" = "json") =>
    requestLine(
      fakeRecord({
        status: 200,
        unknown: [
          { type: "embedding", rule: "billing", reason },
          { type: "pii", rule: "private", reason },
        ],
        unscanned: reason === "timeout" ? [{ guard: "pii", rule: "private", reason }] : [],
      }),
      { format },
    )

  test("stand in the line beside what guards did not read, which is a warning", () => {
    expect(parse(lineOf("timeout"))).toMatchObject({
      level: "warning",
      unknown: ["embedding:billing timeout"],
      unscanned: ["pii:private timeout"],
    })
    expect(lineOf("timeout", "text")).toContain("unknown embedding:billing timeout")
  })

  test("make no warning where only the text is the reason", () => {
    expect(parse(lineOf("input_limit"))).toMatchObject({
      level: "info",
      unknown: ["embedding:billing input_limit", "pii:private input_limit"],
    })
  })
})

describe("why", () => {
  const why = async (changes: Readonly<Record<string, unknown>>, text: string, body: object = {}): Promise<unknown> => {
    const { ask, records } = await watchedKernel({ changes })
    await ask(text, body)
    return parse(requestLine(records[0] as never)).why
  }
  const rules = (operator: string, names: readonly string[]) => ({
    "routing.signals.keywords": ["urgent", "now", "soon", "fast", "asap"].map((name) => ({
      name,
      operator: "OR",
      keywords: [name],
    })),
    "routing.decisions.0.rules": { operator, conditions: names.map((name) => ({ type: "keyword", name })) },
  })

  test.each<[string, Readonly<Record<string, unknown>>, string, object, string]>([
    ["a named model", {}, "hi", { model: "small" }, "the client named the model"],
    ["the default", {}, "hi", {}, "no decision matched, default model"],
    ["both of two", rules("AND", ["urgent", "now"]), "urgent now", {}, "keyword:urgent 1.00 and keyword:now 1.00"],
    ["one of two", rules("OR", ["now", "urgent"]), "urgent", {}, "keyword:urgent 1.00"],
    [
      "many",
      rules("AND", ["urgent", "now", "soon", "fast", "asap"]),
      "urgent now soon fast asap",
      {},
      "keyword:urgent 1.00 and keyword:now 1.00 and keyword:soon 1.00 and keyword:fast 1.00 and 1 more",
    ],
  ])("%s", async (_, changes, text, body, expected) => {
    expect(await why(changes, text, body)).toBe(expected)
  })

  test("a request that failed for an unknown fact names it", () => {
    const record = fakeRecord({
      decision: undefined,
      model: undefined,
      status: 503,
      error: new RtrError("signal_unresolved", "secret"),
      readings: {
        facts: [{ rule: "attack", state: "unknown", confidence: 0, reason: "timeout" }],
        typeMs: {},
        totalMs: 1,
      },
      rules: { kind: "leaf", type: "jailbreak", name: "attack", slot: 0, predicate: undefined, onError: undefined },
    })
    expect(parse(requestLine(record))).toMatchObject({
      why: "jailbreak:attack unknown (timeout)",
      error: "signal_unresolved",
      level: "error",
    })
  })

  test("what a guard found is named by its kinds, and by no text", () => {
    const kinds = ["EMAIL_ADDRESS", "PERSON", "words of a text", "x".repeat(41)]
    const record = fakeRecord({
      readings: { facts: [{ rule: "private", state: "match", confidence: 1, kinds }], typeMs: {}, totalMs: 1 },
      rules: { kind: "leaf", type: "pii", name: "private", slot: 0, predicate: undefined, onError: undefined },
    })
    expect(parse(requestLine(record)).why).toBe("pii:private 1.00 (EMAIL_ADDRESS, PERSON)")
  })
})

describe("the model that a client asks for", () => {
  const shown = (requestedModel: string): unknown => parse(requestLine(fakeRecord({ requestedModel }))).requested_model

  test.each([
    ['gpt-4o "x" \\ ü 日本', 'gpt-4o "x" \\ ü 日本'],
    ["a\u001b[31mred\u0007\nb", "a?[31mred?b"],
    ["a\u202eb\u2028c\ud800", "a?b?c?"],
    ["x".repeat(1000), `${"x".repeat(64)}…`],
    ["😀".repeat(100), `${"😀".repeat(64)}…`],
  ])("%j is shown as %j", (model, expected) => expect(shown(model)).toBe(expected))

  test("never breaks a line of text", () => {
    const line = requestLine(fakeRecord({ requestedModel: "a\u001b]0;title\u0007\r\n" }), { format: "text" })
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(line).not.toMatch(/[\x00-\x1f]/)
  })
})

test("the costs of two currencies are both told", () => {
  const usd = { currency: "USD", amount: 0.00000025, text: "0.00000025" }
  const eur = { currency: "EUR", amount: 0.1, text: "0.1" }
  const line = (costs: readonly object[], format?: "text"): string =>
    requestLine(fakeRecord({ costs: costs as never }), format && { format })
  expect(line([usd])).toContain('"cost":0.00000025,"currency":"USD"')
  expect(parse(line([usd, eur]))["costs"]).toEqual({ USD: 0.00000025, EUR: 0.1 })
  expect(line([usd, eur], "text")).toContain("  0.00000025 USD  0.1 EUR  ")
})

test("the time of the backends is that from the first call to the end of the last", () => {
  const attempt = { model: "m", backend: "b", startMs: 1, endMs: 3 }
  expect(requestLine(fakeRecord({ attempts: [attempt, { ...attempt, endMs: 9 }] }))).toContain('"upstream_ms":8.00,')
})

test("nothing that a backend says about the request is in the line", async () => {
  const transport = createFakeTransport(
    jsonReply({ error: { message: "CANARY-BACKEND said CANARY-PROMPT" } }, { status: 400 } as never),
  )
  const { ask, records } = await watchedKernel({ transport })
  await ask("CANARY-PROMPT urgent", { user: "CANARY-USER" })
  const both = [requestLine(records[0] as never), requestLine(records[0] as never, { format: "text" })].join()
  expect(both).toContain("400")
  expect(both).not.toContain("CANARY")
})

test("fields that the backend did not get stand in the line", () => {
  const attempt = { model: "large", backend: "b", startMs: 0, endMs: 1, status: 200 }
  const line = parse(requestLine(fakeRecord({ attempts: [{ ...attempt, dropped: ["seed", "+3"] }] })))
  expect(line).toMatchObject({ attempts: 1, dropped: ["seed", "+3"] })
  expect(parse(requestLine(fakeRecord({ attempts: [attempt] })))).not.toHaveProperty("dropped")
})

test("what a guard did not read makes the line a warning that names the guard", () => {
  const record = fakeRecord({ unscanned: [{ guard: "jailbreak", rule: "attack", reason: "input_limit" }] })
  expect(parse(requestLine(record))).toMatchObject({ level: "warning", unscanned: ["jailbreak:attack input_limit"] })
  expect(requestLine(record, { format: "text" })).toContain("unscanned jailbreak:attack (input_limit)")
})
