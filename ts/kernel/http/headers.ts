// The response headers that tell how a request was routed, and the same for the JSON body.

import type { Routing } from "../types/call.ts"
import { toHeaderText } from "../types/header-text.ts"

const schemaVersion = "2"

/** Routing headers of a reply (spec 1, Routing headers). Durations are milliseconds since `startedAt`. */
export function routingHeaders(
  routing: Routing,
  requestId: string,
  startedAt: number,
  toolCount: number,
): Record<string, string> {
  const total = Math.round(performance.now() - startedAt)
  const headers: Record<string, string> = {
    "x-request-id": requestId,
    "x-rtr-schema-version": schemaVersion,
    "x-rtr-response-path": routing.path,
    "x-processing-time": String(total),
    "x-classification-time": String(Math.round(routing.signalMs)),
    "x-rtr-routing-latency-ms": routing.signalMs.toFixed(3),
    "x-cache-status": "miss",
    "x-tools-selected": String(toolCount),
  }
  if (routing.model !== undefined) {
    headers["x-selected-model"] = toHeaderText(routing.model)
    headers["x-rtr-selected-model"] = headers["x-selected-model"]
  }
  if (routing.confidence !== undefined) {
    headers["x-routing-confidence"] = routing.confidence.toFixed(4)
    headers["x-rtr-selected-confidence"] = headers["x-routing-confidence"]
  }
  if (routing.decision !== undefined) headers["x-rtr-selected-decision"] = toHeaderText(routing.decision)
  if (routing.algorithm !== undefined) headers["x-rtr-selected-algorithm"] = toHeaderText(routing.algorithm)
  if (routing.path === "fast_response") headers["x-rtr-fast-response"] = "true"
  const checks = checksOf(routing)
  if (checks.length > 0) headers["x-security-checks"] = checks.map(([guard, found]) => `${guard}:${found}`).join(",")
  if (routing.appliedPolicies.length > 0)
    headers["x-rtr-applied-unknown-policy"] = routing.appliedPolicies
      .map(({ decision, policy }) => `${toHeaderText(decision)}=${policy}`)
      .join(",")
  return headers
}

/**
 * The `routing_metadata` object of a JSON reply. `security_checks` has the guards that read the text; for another, `false`
 * would claim a check that did not happen.
 */
export function routingMetadata(routing: Routing, startedAt: number): object {
  const checks = checksOf(routing)
  return {
    selected_model: routing.model ?? null,
    confidence: routing.confidence ?? null,
    processing_time_ms: Math.round(performance.now() - startedAt),
    cache_hit: false,
    ...(checks.length > 0 && {
      security_checks: Object.fromEntries(checks.map(([guard, found]) => [`${guard}_detected`, found])),
    }),
    ...(routing.decision !== undefined && { decision: routing.decision }),
  }
}

const guards = ["pii", "jailbreak"] as const

const checksOf = ({ securityChecks = {} }: Routing): readonly (readonly [guard: string, found: boolean])[] =>
  guards.flatMap((guard) => {
    const found = securityChecks[guard]
    return found === undefined ? [] : [[guard, found] as const]
  })
