// Parts of a plan, made by hand where a test is about one stage only.

import chatCompletions from "../../ts/plugins/dialects/chat-completions.ts"
import type { Fact } from "../../ts/kernel/types/fact.ts"
import type {
  ModelTarget,
  Plan,
  PlannedCandidate,
  PlannedDecision,
  RuleNode,
  TargetBackend,
} from "../../ts/kernel/types/plan.ts"

/** A plan with nothing in it but what is given. */
export function createPlan(changes: Partial<Plan> = {}): Plan {
  return {
    hash: "0".repeat(64),
    listeners: [],
    management: { address: "127.0.0.1", port: 0, previewTimeoutMs: 1000, previewConcurrency: 2, tokens: undefined },
    metricsEnabled: true,
    signals: [],
    factTypes: new Map(),
    slotCount: 0,
    signalTimeoutMs: 45_000,
    strategy: "priority",
    decisions: [],
    defaultModel: undefined,
    models: new Map(),
    autoNames: ["MoM", "auto", "rtr/auto"],
    listConfiguredModels: true,
    dialects: new Map([["chat_completions", chatCompletions]]),
    ...changes,
  }
}

/** A backend that posts the request as it is to `http://<name>.example`. */
export function createBackend(name: string, weight = 1): TargetBackend {
  return {
    name,
    weight,
    priority: 0,
    upstreamModel: `upstream-${name}`,
    dialectId: "chat_completions",
    dialect: chatCompletions,
    secrets: [],
    providerId: "vllm",
    provider: {
      toRequest: ({ body, headers }) => ({
        method: "POST",
        url: `http://${name}.example/chat/completions`,
        headers,
        body: JSON.stringify(body),
      }),
    },
  }
}

export function createTarget(name: string, changes: Partial<ModelTarget> = {}): ModelTarget {
  return { name, backends: [createBackend(name)], pricing: undefined, card: undefined, ...changes }
}

export function createCandidate(model: string, changes: Partial<PlannedCandidate> = {}): PlannedCandidate {
  const target = changes.target ?? createTarget(model)
  return { model, score: 1, target, pricing: target.pricing, card: target.card, reasoning: undefined, ...changes }
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
    selector: undefined,
    looper: undefined,
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
