import { describe, expect, test } from "vitest"
import type { CallRecord } from "rtr"
import { createRoutingHeaders, routingMetadata } from "../../../../ts/kernel/http/headers/routing-headers.ts"
import { fakeRecord } from "../../../fakes/listener.ts"

const record = (changes: Partial<CallRecord> = {}): CallRecord =>
  fakeRecord({ startedAt: performance.now() - 5000, ...changes })
const digits = expect.stringMatching(/^\d+$/)
const write = createRoutingHeaders()
const headersOf = (changes: Partial<CallRecord> = {}): Readonly<Record<string, string>> =>
  write(record(changes), "application/json")

describe("headers", () => {
  test("of a routed reply", () => {
    const headers = headersOf()
    expect(headers).toEqual({
      "content-type": "application/json",
      "x-request-id": "req-1",
      "x-rtr-schema-version": "2",
      "x-rtr-config-version": "7",
      "x-rtr-response-path": "upstream",
      "x-processing-time": digits,
      "x-classification-time": "12",
      "x-rtr-routing-latency-ms": "12.346",
      "x-cache-status": "miss",
      "x-tools-selected": "3",
      "x-selected-model": "large",
      "x-rtr-selected-model": "large",
      "x-routing-confidence": "0.7568",
      "x-rtr-selected-confidence": "0.7568",
      "x-rtr-selected-decision": "rush",
      "x-rtr-selected-algorithm": "static",
    })
    expect(Number(headers["x-processing-time"])).toBeGreaterThanOrEqual(5000)
  })

  test("leave out what there is not", () => {
    const headers = headersOf({ model: undefined, decision: undefined, algorithm: undefined, confidence: undefined })
    expect(Object.keys(headers).filter((name) => name.includes("selected") || name.includes("confidence"))).toEqual([
      "x-tools-selected",
    ])
  })

  test("tell confidence 0, which a match-all decision has", () => {
    expect(headersOf({ confidence: 0 })["x-routing-confidence"]).toBe("0.0000")
  })

  test("are those of their own request, however many have passed before", () => {
    const heads = [
      headersOf(),
      headersOf({ id: "other", confidence: 0.5, readings: { facts: [], typeMs: {}, totalMs: 1 } }),
      headersOf({ model: "small" }),
      headersOf({ decision: "calm" }),
      headersOf({ algorithm: "random" }),
      headersOf({ generation: 8 }),
      headersOf({ path: "looper" }),
      headersOf({ confidence: undefined }),
      write(record(), "text/event-stream"),
    ]
    const first = heads[0] ?? {}
    const differences = heads
      .slice(1)
      .map((head) =>
        Object.fromEntries(
          [...new Set([...Object.keys(head), ...Object.keys(first)])]
            .filter((name) => head[name] !== first[name] && name !== "x-processing-time")
            .map((name) => [name, head[name]]),
        ),
      )
    expect(differences).toEqual([
      {
        "x-request-id": "other",
        "x-routing-confidence": "0.5000",
        "x-rtr-selected-confidence": "0.5000",
        "x-classification-time": "1",
        "x-rtr-routing-latency-ms": "1.000",
      },
      { "x-selected-model": "small", "x-rtr-selected-model": "small" },
      { "x-rtr-selected-decision": "calm" },
      { "x-rtr-selected-algorithm": "random" },
      { "x-rtr-config-version": "8" },
      { "x-rtr-response-path": "looper" },
      { "x-routing-confidence": undefined, "x-rtr-selected-confidence": undefined },
      { "content-type": "text/event-stream" },
    ])
  })

  test("tell a fixed answer", () => {
    expect(headersOf({ path: "fast_response", model: undefined })).toMatchObject({
      "x-rtr-response-path": "fast_response",
      "x-rtr-fast-response": "true",
    })
    expect(headersOf()).not.toHaveProperty("x-rtr-fast-response")
  })

  test("tell the policies that settled unknown facts", () => {
    const appliedPolicies = [
      { decision: "a", policy: "match" },
      { decision: "größe", policy: "no_match" },
    ] as const
    expect(headersOf({ appliedPolicies })["x-rtr-applied-unknown-policy"]).toBe("a=match,gr%C3%B6%C3%9Fe=no_match")
  })

  test("tell what guards did not read, each reason once and within bounds", () => {
    const entry = (guard: string, rule = "r") => ({ guard, rule, reason: "timeout" }) as const
    const told = (...unscanned: CallRecord["unscanned"]) => headersOf({ unscanned })["x-rtr-unscanned"]
    expect(told()).toBeUndefined()
    expect(told(entry("pii", "a"), entry("pii", "b"), entry("größe"))).toBe("pii=timeout,gr%C3%B6%C3%9Fe=timeout")
    const many = Array.from({ length: 100 }, (_, index) => entry(`guard-${index}`))
    expect(told(...many)?.split(",")).toHaveLength(8)
  })

  test("tell what the backend that answered did not get of the client's fields", () => {
    const tried = (...attempts: readonly object[]) =>
      headersOf({ attempts: attempts.map((each) => ({ model: "large", backend: "b", startMs: 0, ...each })) })[
        "x-rtr-dropped-fields"
      ]
    expect(tried({ status: 200 })).toBeUndefined()
    expect(tried({ status: 200, dropped: ["seed", "x", "+2"] })).toBe("seed, x, +2")
    expect(tried({ status: 503, dropped: ["seed"] }, { status: 200 })).toBeUndefined()
    expect(tried({ status: 200, dropped: ["seed"] }, { model: "judge", status: 200, dropped: ["n"] })).toBe("seed")
  })

  test("can hold names in any script", () => {
    const headers = headersOf({ model: "模型", decision: "a\r\nset-cookie: x", algorithm: "é" })
    expect(() => new Headers(headers)).not.toThrow()
    expect([headers["x-selected-model"], headers["x-rtr-selected-model"]]).toEqual([
      "%E6%A8%A1%E5%9E%8B",
      "%E6%A8%A1%E5%9E%8B",
    ])
    expect(headers["x-rtr-selected-decision"]).toBe("a%0D%0Aset-cookie%3A%20x")
  })
})

describe("security checks", () => {
  test.each<[CallRecord["securityChecks"], string | undefined, object | undefined]>([
    [undefined, undefined, undefined],
    [{ jailbreak: true, pii: false }, "pii:false,jailbreak:true", { pii_detected: false, jailbreak_detected: true }],
    [{ jailbreak: false }, "jailbreak:false", { jailbreak_detected: false }],
    [{ pii: true }, "pii:true", { pii_detected: true }],
  ])("%j are told of the guards that read the request", (securityChecks, header, metadata) => {
    expect(headersOf({ securityChecks })["x-security-checks"]).toBe(header)
    expect(routingMetadata(record({ securityChecks }))).toEqual({
      ...routingMetadata(record()),
      processing_time_ms: expect.any(Number),
      ...(metadata !== undefined && { security_checks: metadata }),
    })
  })
})

describe("costs", () => {
  const usd = { currency: "USD", amount: 2.5e-7, text: "0.00000025" }
  const attempt = { model: "large", backend: "b", startMs: 0 }
  const ended = { ...attempt, endMs: 1 }
  const told = { "x-rtr-cost": "0.00000025", "x-rtr-cost-currency": "USD" }

  test("stand in heads and in the metadata", () => {
    expect(headersOf({ costs: [usd], attempts: [ended, ended] })).toMatchObject(told)
    expect(routingMetadata(record({ costs: [usd] }))).toMatchObject({ cost: 2.5e-7, currency: "USD" })
  })

  test("of two currencies stand beside each other", () => {
    const costs = [usd, { currency: "€", amount: 1, text: "1" }]
    expect(headersOf({ costs, attempts: [ended] })).toMatchObject({
      "x-rtr-cost": "0.00000025,1",
      "x-rtr-cost-currency": "USD,%E2%82%AC",
    })
    expect(routingMetadata(record({ costs }))).toMatchObject({ costs: { USD: 2.5e-7, "€": 1 } })
  })

  test("are left out while a backend answers, and where nothing has prices", () => {
    for (const changes of [{ costs: [usd], attempts: [ended, attempt] }, { attempts: [ended] }])
      expect(Object.keys(headersOf(changes)).join()).not.toContain("cost")
  })
})

describe("metadata", () => {
  test("of a routed reply", () => {
    expect(routingMetadata(record())).toEqual({
      selected_model: "large",
      confidence: 0.75678,
      processing_time_ms: expect.any(Number),
      cache_hit: false,
      decision: "rush",
    })
  })

  test("of a reply that no decision gave", () => {
    expect(routingMetadata(record({ model: undefined, decision: undefined, confidence: undefined }))).toEqual({
      selected_model: null,
      confidence: null,
      processing_time_ms: expect.any(Number),
      cache_hit: false,
    })
  })
})
