// What a preview says, made by hand.

import type { Plan, Preview } from "rtr"

export function fakePlan(changes: Partial<Plan> = {}): Plan {
  return {
    hash: "0".repeat(64),
    listeners: [],
    management: { address: "127.0.0.1", port: 0, previewTimeoutMs: 1000, previewConcurrency: 2, tokens: undefined },
    metricsEnabled: true,
    signals: [],
    factTypes: new Map(),
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
    unscanned: [],
    refused: undefined,
    ...changes,
  }
}
