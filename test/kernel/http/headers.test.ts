import { describe, expect, test } from "vitest"
import { routingHeaders, routingMetadata } from "../../../ts/kernel/http/headers.ts"
import type { Routing } from "../../../ts/kernel/types/call.ts"

const routing: Routing = {
  path: "upstream",
  model: "large",
  decision: "rush",
  algorithm: "static",
  confidence: 0.756_78,
  appliedPolicies: [],
  signalMs: 12.345_6,
  familyMs: {},
  automatic: true,
}
const digits = expect.stringMatching(/^\d+$/)
const headersOf = (changes: Partial<Routing> = {}) =>
  routingHeaders({ ...routing, ...changes }, "req-1", performance.now() - 5000, 3)

describe("headers", () => {
  test("of a routed reply", () => {
    const headers = headersOf()
    expect(headers).toEqual({
      "x-request-id": "req-1",
      "x-rtr-schema-version": "2",
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
  test.each<[Routing["securityChecks"], string | undefined, object | undefined]>([
    [undefined, undefined, undefined],
    [{ pii: false, jailbreak: true }, "pii:false,jailbreak:true", { pii_detected: false, jailbreak_detected: true }],
    [{ jailbreak: false }, "jailbreak:false", { jailbreak_detected: false }],
    [{ pii: true }, "pii:true", { pii_detected: true }],
  ])("%j are told of the guards that read the request", (securityChecks, header, metadata) => {
    expect(headersOf({ securityChecks })["x-security-checks"]).toBe(header)
    expect(routingMetadata({ ...routing, securityChecks }, 0)).toEqual({
      ...routingMetadata(routing, 0),
      processing_time_ms: expect.any(Number),
      ...(metadata !== undefined && { security_checks: metadata }),
    })
  })
})

describe("metadata", () => {
  test("of a routed reply", () => {
    expect(routingMetadata(routing, performance.now() - 5000)).toEqual({
      selected_model: "large",
      confidence: 0.756_78,
      processing_time_ms: expect.any(Number),
      cache_hit: false,
      decision: "rush",
    })
  })

  test("of a reply that no decision gave", () => {
    expect(
      routingMetadata({ ...routing, model: undefined, decision: undefined, confidence: undefined }, performance.now()),
    ).toEqual({
      selected_model: null,
      confidence: null,
      processing_time_ms: expect.any(Number),
      cache_hit: false,
    })
  })
})
