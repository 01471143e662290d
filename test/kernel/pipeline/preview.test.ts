import { describe, expect, test } from "vitest"
import { preview } from "../../../ts/kernel/pipeline/preview.ts"
import { createTracer } from "../../../ts/kernel/pipeline/trace.ts"
import type { Call } from "../../../ts/kernel/types/call.ts"
import { nullMetrics } from "../../../ts/kernel/types/metrics.ts"
import type { Plan } from "../../../ts/kernel/types/plan.ts"
import type { Preview } from "../../../ts/kernel/types/route.ts"
import { createCall } from "../../fakes/call.ts"
import {
  createCandidate,
  createDecision,
  createFamily,
  createPlan,
  createTarget,
  leaf,
  match,
  noMatch,
  unknown,
} from "../../fakes/plan.ts"
import { createFakeTransport } from "../../fakes/transport.ts"

const models = new Map(["small", "large"].map((name) => [name, createTarget(name)]))

async function look(plan: Partial<Plan>, call: Call = createCall("hello")): Promise<Preview> {
  const transport = createFakeTransport(new Error("the backend was called"))
  const whole = createPlan({ models, defaultModel: models.get("small"), ...plan })
  const result = await preview(
    { plan: whole, transport, inference: undefined, tracer: createTracer(nullMetrics, whole) },
    call,
  )
  expect(transport.requests).toEqual([])
  return result
}

const over = (fact: ReturnType<typeof match>, decision: object = {}): Partial<Plan> => ({
  signals: [createFamily("keyword", { read: () => [fact] })],
  slotCount: 1,
  decisions: [createDecision("rush", { rules: leaf(0), candidates: [createCandidate("large")], ...decision })],
})
const ms = expect.any(Number)

test("tells what would happen, and why", async () => {
  expect(await look(over(match(0.5)))).toEqual({
    text: "hello",
    automatic: true,
    requestedModel: "MoM",
    readings: { facts: [match(0.5)], familyMs: { keyword: ms }, totalMs: ms },
    verdict: { decision: 0, confidence: 0.5, appliedPolicies: [], unresolved: undefined },
    selection: { candidate: 0, algorithm: "static", confidence: 1, reason: "the only candidate" },
    answeredBy: undefined,
    selectedModel: "large",
    traces: [expect.objectContaining({ decision_name: "rush", state: "match", confidence: 0.5 })],
    failed: false,
  })
})

test("tells the default model when nothing matches", async () => {
  expect(await look(over(noMatch()))).toMatchObject({ selectedModel: "small", selection: undefined, failed: false })
  expect(await look({ ...over(noMatch()), defaultModel: undefined })).toMatchObject({ selectedModel: undefined })
})

test("reads signals for an explicit model too, which stays selected", async () => {
  expect(await look(over(match()), createCall("hello", { model: "small" }))).toMatchObject({
    automatic: false,
    requestedModel: "small",
    selectedModel: "small",
    selection: undefined,
    verdict: { decision: 0 },
    traces: [{ decision_name: "rush", state: "match" }],
  })
})

test("tells that a fixed answer needs no model", async () => {
  const plugins = [
    { type: "system_prompt", hooks: {} },
    { type: "fast_response", hooks: {} },
  ]
  expect(await look(over(match(), { plugins }))).toMatchObject({
    answeredBy: "fast_response",
    selection: undefined,
    selectedModel: undefined,
  })
})

test("runs no plugin", async () => {
  const plugins = [{ type: "x", hooks: { before: () => expect.unreachable("a plugin ran") } }]
  expect(await look(over(match(), { plugins }))).toMatchObject({ selectedModel: "large" })
})

describe("unknown facts", () => {
  test("that fail the request are told instead of thrown", async () => {
    expect(await look(over(unknown(), { onUnknown: "fail_request" }))).toMatchObject({
      failed: true,
      verdict: { decision: undefined, unresolved: "rush" },
    })
  })

  test("settled by policy are told", async () => {
    expect(await look(over(unknown(), { onUnknown: "match" }))).toMatchObject({
      failed: false,
      selectedModel: "large",
      verdict: { appliedPolicies: [{ decision: "rush", policy: "match" }] },
    })
  })
})

test("an unknown model is refused", async () => {
  await expect(look(over(match()), createCall("x", { model: "nobody" }))).rejects.toMatchObject({
    code: "model_not_found",
  })
})
