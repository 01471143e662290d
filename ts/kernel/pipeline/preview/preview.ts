// Routes a request without calling a backend: what would happen, and why.

import type { Call } from "../../types/call.ts"
import type { Preview, PreviewOptions } from "../../types/status.ts"
import type { decide, evaluate } from "../decide.ts"
import type { PipelineHost, resolveModel, unresolved } from "../run.ts"
import type { select } from "../selection/select.ts"
import type { readSignals, toSignalInput } from "../signals.ts"
import type { unscannedIn } from "../unscanned.ts"
import { traceDecisions } from "./trace.ts"

/** Steps of the pipeline, which are passed: hosts that preview nothing do not load this file, and have the steps in one piece. */
export interface PreviewSteps {
  readonly decide: typeof decide
  readonly evaluate: typeof evaluate
  readonly readSignals: typeof readSignals
  readonly resolveModel: typeof resolveModel
  readonly select: typeof select
  readonly toSignalInput: typeof toSignalInput
  readonly unresolved: typeof unresolved
  readonly unscannedIn: typeof unscannedIn
}

export type PreviewHost = Pick<
  PipelineHost,
  | "plan"
  | "inference"
  | "onModuleError"
  | "guardTexts"
  | "createQuestionBatch"
  | "askSelector"
  | "selectAble"
  | "hostFor"
>

/** Reads all signals, decides and selects, by a recipe where one is named. Rejects with `model_not_found` for an unknown model name. */
export async function preview(
  entryHost: PreviewHost,
  steps: PreviewSteps,
  call: Call,
  { recipe, context = {} }: PreviewOptions = {},
): Promise<Preview> {
  const host = entryHost.hostFor?.(call.request.model, recipe) ?? entryHost
  const { plan } = host
  const explicit = recipe === undefined ? steps.resolveModel(plan, call) : undefined
  const input = Object.assign(steps.toSignalInput(call, host), { preview: context })
  const readings = await steps.readSignals(host, call, input)
  const verdict = steps.decide(plan, readings.facts)
  const open = explicit === undefined ? plan.decisions.find(({ name }) => name === verdict.unresolved) : undefined
  const refused = open && steps.unresolved(open.name, open.rules, readings.facts)
  const decision =
    explicit !== undefined || refused !== undefined || verdict.decision === undefined
      ? undefined
      : plan.decisions[verdict.decision]
  const answeredBy = decision?.plugins.find(({ answers }) => answers)?.type
  const needsCalls = decision?.looper !== undefined || decision?.asking?.callsModels === true
  const selection =
    decision === undefined || answeredBy !== undefined || needsCalls
      ? undefined
      : await steps.select(decision, input, { ...host, onModuleError: undefined }, call)
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
    selectedModel:
      explicit?.name ?? (refused === undefined && decision === undefined ? plan.defaultModel?.name : candidate?.model),
    traces: traceDecisions(plan, readings.facts, steps.evaluate),
    unscanned: steps.unscannedIn(plan.signals, readings),
    refused,
  }
}
