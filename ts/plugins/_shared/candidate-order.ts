// In which order a cascade tries its candidates.

import type { Candidate } from "../../kernel/index.ts"
import { qualityOf } from "./selection/model-quality.ts"

export type CandidateOrder = "size" | "small_to_large" | "declared" | "cost" | "automix"

/**
 * Positions of the candidates, the first to try first. `size` and `small_to_large` go by the card's `param_size`, `cost` by
 * the price of the prompt, `automix` by quality and cost together; what is unknown comes last, equals stay as declared.
 */
export function orderCandidates(
  candidates: readonly Candidate[],
  order: CandidateOrder,
  costQualityTradeoff: number,
): readonly number[] {
  const positions = candidates.map((_, index) => index)
  if (order === "declared") return positions
  const keys = candidates.map((candidate) => {
    if (order === "cost") return candidate.pricing?.promptPer1m ?? Infinity
    if (order === "automix") return automixValue(candidate, candidates, costQualityTradeoff)
    return parameters(candidate) ?? Infinity
  })
  // Infinity from itself is no number, so equals are asked first.
  return positions.toSorted((a, b) => {
    const [left = 0, right = 0] = [keys[a], keys[b]]
    return left === right ? a - b : left - right
  })
}

/** (1 - t) · quality + t · cost; the cost is the share of the highest price, and 1 where the price is not known. */
function automixValue(candidate: Candidate, candidates: readonly Candidate[], tradeoff: number): number {
  const highest = Math.max(0, ...candidates.map(({ pricing }) => pricing?.promptPer1m ?? 0))
  const price = candidate.pricing?.promptPer1m
  const cost = highest === 0 ? 0 : price === undefined ? 1 : price / highest
  return (1 - tradeoff) * quality(candidate) + tradeoff * cost
}

/** The card's `quality_score`, or a guess by size: 0.3 to 1 at 70 billion parameters, 0.5 when that is not known either. */
function quality(candidate: Candidate): number {
  const known = qualityOf(candidate.card)
  if (known !== undefined) return known.score
  const size = parameters(candidate)
  return size === undefined ? 0.5 : 0.3 + 0.7 * Math.min(1, size / 70e9)
}

/** The card's `param_size` as a number: `7B`, `500M`; without a letter it is billions. */
function parameters({ card }: Candidate): number | undefined {
  const [, amount, unit = "b"] = /^([0-9.]+)([bmk]?)$/i.exec(String(card?.["param_size"] ?? "")) ?? []
  const size = Number(amount) * (unit.toLowerCase() === "k" ? 1e3 : unit.toLowerCase() === "m" ? 1e6 : 1e9)
  return Number.isFinite(size) ? size : undefined
}
