// What one call of a backend tells of its model.

import type { Attempt, Pricing } from "../../../kernel/index.ts"
import type { Telemetry } from "./experience.ts"

/** Undefined for a call that says nothing of its model: one that the client left, or that was refused for what the client sent. */
export function telemetryOf(attempt: Attempt, pricing: Pricing | undefined): Telemetry | undefined {
  const { status, error, cancelled, startMs, firstByteMs, usage } = attempt
  if (cancelled === true || error?.code === "client_closed_request") return undefined
  if (error !== undefined || status === undefined || status >= 500 || status === 429)
    return status !== undefined && status >= 400 && status < 500 && status !== 429 ? undefined : { failed: true }
  if (status >= 400) return undefined
  return {
    failed: false,
    ...(firstByteMs !== undefined && { latency: (firstByteMs - startMs) / 1000 }),
    ...(usage !== undefined &&
      usage.inputTokens > 0 && {
        cacheHit: Math.min(1, usage.cachedInputTokens / usage.inputTokens),
        inputCost: inputCostOf(usage, pricing),
      }),
  }
}

/** What the prompt cost beside one without a cache; undefined without a price. */
function inputCostOf(
  { inputTokens, cachedInputTokens, cacheWriteTokens = 0 }: NonNullable<Attempt["usage"]>,
  pricing: Pricing | undefined,
): number | undefined {
  if (pricing === undefined || pricing.promptPer1m <= 0) return undefined
  const { promptPer1m, cachedInputPer1m, cacheWritePer1m = promptPer1m } = pricing
  const cached = Math.min(cachedInputTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - cached)
  const paid = (inputTokens - cached - written) * promptPer1m + cached * cachedInputPer1m + written * cacheWritePer1m
  return paid / (inputTokens * promptPer1m)
}
