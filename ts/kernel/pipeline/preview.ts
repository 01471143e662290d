// Routes a request without calling a backend: what would happen, and why.

import type { Call } from "../types/call.ts"
import type { Preview } from "../types/route.ts"
import { decide, traceDecisions } from "./decide.ts"
import { toSignalInput } from "./input.ts"
import { type PipelineHost, resolveModel } from "./run.ts"
import { select } from "./select.ts"
import { readSignals } from "./signals.ts"

/** Reads all signals, decides and selects. Rejects with `model_not_found` for an unknown model name. */
export async function preview(host: PipelineHost, call: Call): Promise<Preview> {
  const explicit = resolveModel(host.plan, call)
  const input = toSignalInput(call.request)
  const readings = await readSignals(host, call, input)
  const verdict = decide(host.plan, readings.facts)
  const decision =
    explicit !== undefined || verdict.decision === undefined ? undefined : host.plan.decisions[verdict.decision]
  const answeredBy = decision?.plugins.find(({ type }) => type === "fast_response")?.type
  const selection = decision === undefined || answeredBy !== undefined ? undefined : await select(decision, input)
  const candidate = selection === undefined ? undefined : decision?.candidates[selection.candidate]
  return {
    text: input.text,
    automatic: explicit === undefined,
    requestedModel: call.request.model,
    readings,
    verdict,
    selection,
    answeredBy,
    selectedModel: explicit?.name ?? (decision === undefined ? host.plan.defaultModel?.name : candidate?.model),
    traces: traceDecisions(host.plan, readings.facts),
    failed: verdict.unresolved !== undefined,
  }
}
