import { expect, test } from "vitest"
import { decide, evaluate } from "../../../../ts/kernel/pipeline/decide.ts"
import { preview } from "../../../../ts/kernel/pipeline/preview/preview.ts"
import { resolveModel, unresolved } from "../../../../ts/kernel/pipeline/run.ts"
import { select } from "../../../../ts/kernel/pipeline/selection/select.ts"
import { readSignals, toSignalInput } from "../../../../ts/kernel/pipeline/signals.ts"
import { unscannedIn } from "../../../../ts/kernel/pipeline/unscanned.ts"
import type { Call } from "../../../../ts/kernel/types/call.ts"
import { strictPolicy } from "../../../../ts/kernel/types/guard.ts"
import type { Plan, PlannedPlugin } from "../../../../ts/kernel/types/plan.ts"
import { createCall } from "../../../fakes/call.ts"
import {
  createCandidate,
  createDecision,
  createPlan,
  createTarget,
  leaf,
  match,
  noMatch,
  unknown,
} from "../../../fakes/plan.ts"
import { createPlannedSignal } from "../../../fakes/planned-signal.ts"

// What the management route makes of a preview is tested there; here, what it says of a plan.

const models = new Map(["small", "large"].map((name) => [name, createTarget(name)]))
const look = (plan: Partial<Plan>, call: Call = createCall("hello")) =>
  preview(
    { plan: createPlan({ models, defaultModel: models.get("small"), ...plan }), inference: undefined },
    { decide, evaluate, readSignals, resolveModel, select, toSignalInput, unresolved, unscannedIn },
    call,
  )
const over = (fact: ReturnType<typeof match>, decision: object = {}): Partial<Plan> => ({
  signals: [createPlannedSignal("keyword", { read: () => [fact] })],
  slotCount: 1,
  decisions: [createDecision("rush", { rules: leaf(0), candidates: [createCandidate("large")], ...decision })],
})
const plugin = (type: string, answers: boolean): PlannedPlugin => ({
  type,
  readsEvents: false,
  buffersStream: false,
  answers,
  open: () => expect.unreachable("a plugin ran"),
})
const ms = expect.any(Number)

test("tells what would happen, and why", async () => {
  expect(await look(over(match(0.5)))).toEqual({
    plan: expect.objectContaining({ autoNames: ["MoM", "auto", "rtr/auto"] }),
    text: "hello",
    automatic: true,
    requestedModel: "MoM",
    readings: { facts: [match(0.5)], typeMs: { keyword: ms }, hasUnknown: false, totalMs: ms },
    verdict: { decision: 0, confidence: 0.5, appliedPolicies: [], unresolved: undefined },
    selection: { candidate: 0, algorithm: "static", confidence: 1, reason: "the only candidate" },
    answeredBy: undefined,
    selectedModel: "large",
    traces: [expect.objectContaining({ decision_name: "rush", state: "match", confidence: 0.5 })],
    unscanned: [],
    refused: undefined,
  })
})

test("tells the default model when nothing matches", async () => {
  expect(await look(over(noMatch()))).toMatchObject({
    selectedModel: "small",
    selection: undefined,
    refused: undefined,
  })
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

test("tells that a plugin which can answer needs no model, and runs none", async () => {
  expect(
    await look(over(match(), { plugins: [plugin("system_prompt", false), plugin("fast_response", true)] })),
  ).toMatchObject({
    answeredBy: "fast_response",
    selection: undefined,
    selectedModel: undefined,
  })
  expect(await look(over(match(), { plugins: [plugin("x", false)] }))).toMatchObject({ selectedModel: "large" })
})

test("asks no looper, because that would call models", async () => {
  const looper = { run: () => expect.unreachable("the looper ran") }
  expect(
    await look(over(match(), { looper, candidates: [createCandidate("small"), createCandidate("large")] })),
  ).toMatchObject({
    selection: undefined,
    selectedModel: undefined,
    refused: undefined,
  })
})

test("unknown facts that fail the request are told instead of thrown, and those settled by policy with it", async () => {
  expect(await look(over(unknown(), { onUnknown: "fail_request" }))).toMatchObject({
    refused: { code: "signal_unresolved" },
    selectedModel: undefined,
    verdict: { decision: undefined, unresolved: "rush" },
  })
  expect(await look(over(unknown(), { onUnknown: "match" }))).toMatchObject({
    refused: undefined,
    selectedModel: "large",
    verdict: { appliedPolicies: [{ decision: "rush", policy: "match" }] },
  })
})

test("a selector that throws leaves the first candidate", async () => {
  const selector = { select: () => Promise.reject(new Error("x")) }
  expect(
    await look(over(match(), { selector, candidates: [createCandidate("small"), createCandidate("large")] })),
  ).toMatchObject({
    selectedModel: "small",
    selection: { reason: "the selector failed: failed" },
  })
})

test("an unknown model is refused", async () => {
  await expect(look(over(match()), createCall("x", { model: "nobody" }))).rejects.toMatchObject({
    code: "model_not_found",
  })
})

test("tells which rules of guards did not read all, and why", async () => {
  const gap = { rule: "rule", state: "unknown", confidence: 0, reason: "unreadable_content" } as const
  const signals = [createPlannedSignal("pii", { guard: [strictPolicy], read: () => [gap] })]
  expect(await look({ signals, slotCount: 1 })).toMatchObject({
    unscanned: [{ guard: "pii", rule: "rule", reason: "unreadable_content" }],
  })
})
