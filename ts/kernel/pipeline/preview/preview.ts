// Routes a request without calling a backend: what would happen, and why.

import type { Call } from "../../types/call.ts"
import type { Preview } from "../../types/status.ts"
import { decide } from "../decide.ts"
import { type PipelineHost, resolveModel } from "../run.ts"
import { select } from "../selection/select.ts"
import { readSignals, toSignalInput } from "../signals.ts"
import { traceDecisions } from "./trace.ts"
import { unscannedIn } from "../unscanned.ts"

export type PreviewHost = Pick<
  PipelineHost,
  "plan" | "inference" | "onModuleError" | "guardTexts" | "createQuestionBatch" | "askSelector" | "hostFor"
>

/** Reads all signals, decides and selects, by a recipe where one is named. Rejects with `model_not_found` for an unknown model name. */
export async function preview(generation: PreviewHost, call: Call, recipe?: string): Promise<Preview> {
  const host = generation.hostFor?.(call.request.model, recipe) ?? generation
  const { plan } = host
  const explicit = recipe === undefined ? resolveModel(plan, call) : undefined
  const input = toSignalInput(call, host)
  const readings = await readSignals(host, call, input)
  const verdict = decide(plan, readings.facts)
  const decision =
    explicit !== undefined || verdict.decision === undefined ? undefined : plan.decisions[verdict.decision]
  const answeredBy = decision?.plugins.find(({ answers }) => answers)?.type
  const needsCalls = decision?.looper !== undefined || decision?.asking?.callsModels === true
  const selection =
    decision === undefined || answeredBy !== undefined || needsCalls
      ? undefined
      : await select(decision, input, { ...host, onModuleError: undefined }, call)
  const candidate = selection === undefined ? undefined : decision?.candidates[selection.candidate]
  return {
    plan,
    text: input.text,
    automatic: explicit === undefined,
    requestedModel: call.request.model,
    readings,
    verdict,
    selection,
    answeredBy,
    selectedModel: explicit?.name ?? (decision === undefined ? plan.defaultModel?.name : candidate?.model),
    traces: traceDecisions(plan, readings.facts),
    unscanned: unscannedIn(plan.signals, readings),
    failed: verdict.unresolved !== undefined,
  }
}
