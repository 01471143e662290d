// Requests that name a model, in a document with decisions that act on attacks: those decisions are asked before the model is.

import type { Plan, PlannedDecision, PlannedSignal, RuleNode } from "../../types/plan.ts"
import type { PipelineHost } from "../run.ts"

/** A host for each model: its decisions are those with an action, and where none of them matches the model answers. */
export async function overridingHosts(
  plan: Plan,
  hostOf: (plan: Plan) => Promise<PipelineHost>,
): Promise<ReadonlyMap<string, PipelineHost>> {
  const decisions = plan.decisions.filter(({ overridesModel }) => overridesModel)
  if (decisions.length === 0) return new Map()
  const { recipe: _, recipes: __, ...shared } = plan
  const own = await hostOf({ ...shared, decisions, signals: signalsOf(decisions, plan.signals) })
  const { callModel, onRecord } = own
  const host: PipelineHost = {
    ...own,
    // Who names a model gets no other one for it, however it fails.
    ...(callModel !== undefined && {
      callModel: (sending, options) =>
        callModel(sending, options.record.decision === undefined ? { ...options, alternatives: undefined } : options),
    }),
    onRecord(record) {
      if (record.decision === undefined && record.error?.code !== "signal_unresolved") record.automatic = false
      onRecord(record)
    },
  }
  return new Map(
    [...plan.models].map(([name, defaultModel]) => [
      name,
      { ...host, plan: { ...own.plan, autoNames: [name], defaultModel } },
    ]),
  )
}

/** Signals that the rules of these decisions ask, and those before them, whose facts they may be made of. */
function signalsOf(decisions: readonly PlannedDecision[], signals: readonly PlannedSignal[]): readonly PlannedSignal[] {
  const types = new Set(decisions.flatMap(({ rules }) => typesOf(rules)))
  const highest = Math.max(0, ...signals.filter(({ type }) => types.has(type)).map(({ level }) => level))
  return signals.filter(({ type, level }) => types.has(type) || (level >= 0 && level < highest))
}

const typesOf = (node: RuleNode): readonly string[] =>
  node.kind === "leaf" ? [node.type] : node.children.flatMap(typesOf)
