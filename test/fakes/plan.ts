// Parts of a plan, made by hand where a test is about one stage only.

import type { Fact } from "../../ts/kernel/types/fact.ts"
import type {
  ModelTarget,
  Plan,
  PlannedCandidate,
  PlannedDecision,
  RuleNode,
  SignalFamily,
  TargetBackend,
} from "../../ts/kernel/types/plan.ts"

/** A plan with nothing in it but what is given. */
export function createPlan(changes: Partial<Plan> = {}): Plan {
  return {
    hash: "0".repeat(64),
    listeners: [],
    management: { address: "127.0.0.1", port: 0, previewTimeoutMs: 1000, previewConcurrency: 2 },
    metricsEnabled: true,
    signals: [],
    slotCount: 0,
    signalTimeoutMs: undefined,
    strategy: "priority",
    decisions: [],
    defaultModel: undefined,
    models: new Map(),
    autoNames: ["MoM", "auto", "rtr/auto"],
    listConfiguredModels: true,
    ...changes,
  }
}

/** A backend that posts the request as it is to `http://<name>.example`. */
export function createBackend(name: string, weight = 1): TargetBackend {
  return {
    name,
    weight,
    upstreamModel: `upstream-${name}`,
    dialect: "chat_completions",
    secrets: [],
    provider: {
      toRequest: ({ request, upstreamModel, headers }) => ({
        method: "POST",
        url: `http://${name}.example/chat/completions`,
        headers,
        body: JSON.stringify({ ...request, model: upstreamModel }),
      }),
    },
  }
}

export function createTarget(name: string, changes: Partial<ModelTarget> = {}): ModelTarget {
  return { name, backends: [createBackend(name)], pricing: undefined, card: undefined, ...changes }
}

export function createCandidate(model: string, changes: Partial<PlannedCandidate> = {}): PlannedCandidate {
  return { model, score: 1, target: createTarget(model), reasoning: undefined, ...changes }
}

export function createDecision(name: string, changes: Partial<PlannedDecision> = {}): PlannedDecision {
  return {
    name,
    priority: 0,
    tier: 0,
    rules: { kind: "AND", children: [] },
    onUnknown: "no_match",
    algorithm: "static",
    candidates: [],
    select: undefined,
    plugins: [],
    ...changes,
  }
}

/** A condition on the fact in this slot. */
export function leaf(slot: number, changes: Partial<Extract<RuleNode, { kind: "leaf" }>> = {}): RuleNode {
  return {
    kind: "leaf",
    type: "keyword",
    name: `rule-${slot}`,
    slot,
    predicate: undefined,
    onError: undefined,
    ...changes,
  }
}

export const and = (...children: readonly RuleNode[]): RuleNode => ({ kind: "AND", children })
export const or = (...children: readonly RuleNode[]): RuleNode => ({ kind: "OR", children })
export const not = (child: RuleNode): RuleNode => ({ kind: "NOT", children: [child] })

export const match = (confidence = 1, value?: number): Fact => ({
  rule: "rule",
  state: "match",
  confidence,
  ...(value !== undefined && { value }),
})
export const noMatch = (confidence = 0, value?: number): Fact => ({ ...match(confidence, value), state: "no_match" })
export const unknown = (): Fact => ({ rule: "rule", state: "unknown", confidence: 0, reason: "failed" })

export function createFamily(type: string, changes: Partial<SignalFamily> = {}): SignalFamily {
  return {
    type,
    rules: ["rule"],
    firstSlot: 0,
    target: undefined,
    read: () => [match()],
    ...changes,
  }
}
