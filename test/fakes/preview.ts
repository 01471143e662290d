// What a preview says, made by hand.

import type { Plan, Preview } from "rtr"

type Signal = Plan["signals"][number]

export const fakeSignal = (type: string, changes: Partial<Signal> = {}): Signal => ({
  type,
  configKey: type,
  rules: ["rule"],
  firstSlot: 0,
  level: 0,
  target: undefined,
  guard: false,
  read: () => [],
  ...changes,
})

export const fakeDecision = (
  name: string,
  changes: Partial<Plan["decisions"][number]> = {},
): Plan["decisions"][number] => ({
  name,
  priority: 0,
  tier: 0,
  rules: { kind: "AND", children: [] },
  onUnknown: "no_match",
  algorithm: "static",
  candidates: [],
  selector: undefined,
  looper: undefined,
  plugins: [],
  ...changes,
})

export function fakePlan(changes: Partial<Plan> = {}): Plan {
  return {
    hash: "0".repeat(64),
    listeners: [],
    management: { address: "127.0.0.1", port: 0, previewTimeoutMs: 1000, previewConcurrency: 2, tokens: undefined },
    metricsEnabled: true,
    signals: [],
    slotCount: 0,
    signalTimeoutMs: 1000,
    strategy: "priority",
    decisions: [],
    defaultModel: undefined,
    models: new Map(),
    autoNames: ["MoM"],
    listConfiguredModels: true,
    dialects: new Map(),
    ...changes,
  }
}

export function fakePreview(changes: Partial<Preview> = {}): Preview {
  return {
    plan: fakePlan(),
    text: "hello",
    automatic: true,
    requestedModel: "MoM",
    readings: { facts: [], typeMs: {}, totalMs: 1 },
    verdict: { decision: undefined, confidence: 0, appliedPolicies: [] },
    selection: undefined,
    answeredBy: undefined,
    selectedModel: "small",
    traces: [],
    failed: false,
    ...changes,
  }
}
