// Counts the attempts of finished calls, from their records alone.

import type { CallRecord } from "../../../types/call.ts"
import type { Counter, Metrics } from "../../../types/metrics.ts"
import { outcomeOf } from "./attempt-outcome.ts"

/** Labels are names of the document and a closed list of outcomes. */
export function createAttemptCounter(metrics: Metrics): (record: CallRecord) => void {
  const counters = new Map<string, Counter>()
  const count = (name: string, labels: Readonly<Record<string, string>>): void => {
    const key = `${name}\0${Object.values(labels).join("\0")}`
    let counter = counters.get(key)
    if (counter === undefined) counters.set(key, (counter = metrics.counter(name, labels)))
    counter.add()
  }
  return ({ attempts, skipped = [] }) => {
    for (const attempt of attempts) {
      const { model, backend, why, ejected } = attempt
      count("llm_upstream_attempts_total", { model, backend, outcome: outcomeOf(attempt) })
      if (why === "retry") count("llm_upstream_retries_total", { model })
      if (why === "hedge") count("llm_upstream_hedges_total", { model })
      if (why === "fallback") count("llm_upstream_fallbacks_total", { model })
      if (ejected === true) count("llm_upstream_ejections_total", { model, backend })
    }
    for (const { model, reason } of skipped) count("llm_upstream_skipped_total", { model, reason })
  }
}
