// What calls cost by the prices of the document: in their records, and counted.

import type { Attempt, CallRecord, Cost } from "../types/call.ts"
import type { Usage } from "../types/chat.ts"
import type { Counter, Metrics } from "../types/metrics.ts"
import type { Plan, Pricing } from "../types/plan.ts"

/** Price of these tokens in the currency of the pricing. */
export function costOf(pricing: Pricing, usage: Usage): number {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0, reasoningTokens = 0 } = usage
  // A part cannot be more than the whole, whatever a backend reports.
  const cached = Math.min(cachedInputTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - cached)
  const reasoning = Math.min(reasoningTokens, outputTokens)
  const { promptPer1m, completionPer1m, cachedInputPer1m } = pricing
  const { cacheWritePer1m = promptPer1m, reasoningPer1m = completionPer1m } = pricing
  return (
    ((inputTokens - cached - written) * promptPer1m +
      cached * cachedInputPer1m +
      written * cacheWritePer1m +
      (outputTokens - reasoning) * completionPer1m +
      reasoning * reasoningPer1m) /
    1_000_000
  )
}

/** Writes what an attempt has cost so far. */
export function priceAttempt(attempt: Attempt, usage: Usage, pricing: Pricing): void {
  attempt.cost = costOf(pricing, usage)
  attempt.currency = pricing.currency
}

/** Sums an attempt that has ended into its record. Amounts of two currencies have no sum, so each has its own. */
export function sumCosts(record: CallRecord): void {
  const sums = new Map<string, number>()
  for (const { cost, currency = "" } of record.attempts)
    if (cost !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + cost)
  record.costs = Array.from(sums, ([currency, sum]) => toCost(currency, sum))
}

/** A price of a million tokens with six decimals gives twelve for one token; further digits mean nothing. */
const decimals = 12

function toCost(currency: string, sum: number): Cost {
  const text = sum.toFixed(decimals).replace(/\.?0+$/, "")
  return { currency, amount: Number(text), text }
}

type CountCosts = (record: CallRecord) => void

/** Counts what each model cost, and what routing saved or added beside the dearest candidate of the decision. */
export function createCostMetrics(
  metrics: Metrics,
  { decisions, keyOf = (name) => name }: Pick<Plan, "decisions" | "keyOf">,
): CountCosts {
  const pricings = new Map(
    decisions.map(({ name, candidates }) => [name, candidates.flatMap(({ pricing }) => pricing ?? [])] as const),
  )
  const counters = new Map<string, Counter>()
  const count = (name: string, labels: Readonly<Record<string, string>>, amount: number): void => {
    const key = [name, ...Object.values(labels)].join("\0")
    let counter = counters.get(key)
    if (counter === undefined) counters.set(key, (counter = metrics.counter(name, labels)))
    counter.add(amount)
  }
  return ({ attempts, costs, decision, model, path, error }) => {
    for (const { model: asked, cost, currency } of attempts)
      if (cost !== undefined && currency !== undefined) count("llm_model_cost_total", { model: asked, currency }, cost)
    // Calls of a looper that failed gave no reply that could be compared.
    if (path === "looper" && error !== undefined) return
    const usage = attempts.findLast((attempt) => attempt.model === model && attempt.usage !== undefined)?.usage
    const [paid] = costs ?? []
    if (decision === undefined || usage === undefined || paid === undefined || costs?.length !== 1) return
    const { currency, amount } = paid
    const dearest = dearestOf(pricings.get(decision) ?? [], currency, usage)
    if (dearest === undefined) return
    const labels = { category: keyOf(decision), currency }
    if (dearest > amount) count("rtr_cost_saved_total", labels, dearest - amount)
    else if (amount > dearest) count("rtr_cost_added_total", labels, amount - dearest)
  }
}

/** What the tokens of the reply would have cost on the dearest candidate; undefined when none has prices in this currency. */
function dearestOf(pricings: readonly Pricing[], currency: string, usage: Usage): number | undefined {
  const costs = pricings.filter((pricing) => pricing.currency === currency).map((pricing) => costOf(pricing, usage))
  return costs.length === 0 ? undefined : Math.max(...costs)
}
