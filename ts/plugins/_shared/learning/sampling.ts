// routing_sampling: scores of models by their experience, and when another one than that of the algorithm is chosen.

import { clamp } from "../selection/scores.ts"
import { betaSample } from "./beta-sample.ts"
import type { Experience } from "./experience.ts"
import type { CandidateSet } from "./settings.ts"

export interface Arm {
  readonly model: string
  /** 0 to 1; undefined where the card says none. */
  readonly quality: number | undefined
  /** Of a million tokens in and out; undefined without pricing. */
  readonly price: number | undefined
  /** Undefined for a model of which nothing is known. */
  readonly experience: Experience | undefined
}

export interface SamplingOptions {
  readonly arms: readonly Arm[]
  /** Positions of those that must not be chosen. */
  readonly excluded?: readonly number[]
  /** Index of what the algorithm chose. */
  readonly base: number
  readonly candidateSet: CandidateSet
  /** Draws the quality of each model; the mean is taken where it is left out. */
  readonly random?: (() => number) | undefined
}

export interface Sampled {
  readonly winner: number
  readonly scores: readonly number[]
  readonly reason: "base_is_best" | "below_margin" | "better_experience" | "cold_start"
}

/** How much the quality of the card, or one half, counts: as much as two outcomes. */
const seedWeight = 2
const costWeights: Readonly<Record<CandidateSet, number>> = { decision: 0.04, tier: 0.06, global: 0.1 }
/** The wider the set, the better another model has to be. */
const margins: Readonly<Record<CandidateSet, number>> = { decision: 0, tier: 0.03, global: 0.08 }

/** Both parameters of the distribution of a model's quality. */
export function posterior({ quality = 0.5, experience }: Pick<Arm, "quality" | "experience">): {
  readonly alpha: number
  readonly beta: number
} {
  const seed = clamp(quality)
  return {
    alpha: seedWeight * seed + (experience?.good ?? 0) + 1,
    beta: seedWeight * (1 - seed) + (experience?.underpowered ?? 0) + 1,
  }
}

/** The best arm. While it may draw, a model of which nothing is known comes first: so that something becomes known. */
export function chooseBySampling({ arms, excluded = [], base, candidateSet, random }: SamplingOptions): Sampled {
  const highestPrice = Math.max(0, ...arms.map(({ price = 0 }) => price))
  const costs = arms.map(
    ({ price = 0, experience }) =>
      (highestPrice > 0 ? costWeights[candidateSet] * (price / highestPrice) : 0) +
      0.03 * clamp(experience?.inputCost ?? 0),
  )
  const scores = arms.map(
    (arm, index) => qualityOf(arm, random) - (costs[index] as number) + adjustments(arm) + (index === base ? 0.001 : 0),
  )
  const order = arms
    .flatMap((_, index) => (excluded.includes(index) ? [] : [index]))
    .toSorted((one, other) => (scores[other] as number) - (scores[one] as number))
  const unknown = random === undefined ? undefined : order.find((index) => arms[index]?.experience === undefined)
  if (unknown !== undefined && unknown !== base) return { winner: unknown, scores, reason: "cold_start" }
  const winner = unknown ?? (order[0] as number)
  if (winner === base) return { winner, scores, reason: unknown === undefined ? "base_is_best" : "cold_start" }
  const extraCost = Math.max(0, (costs[winner] as number) - (costs[base] as number))
  const needed = (scores[base] as number) + margins[candidateSet] + extraCost
  return (scores[winner] as number) < needed
    ? { winner: base, scores, reason: "below_margin" }
    : { winner, scores, reason: "better_experience" }
}

function qualityOf(arm: Arm, random: (() => number) | undefined): number {
  const { alpha, beta } = posterior(arm)
  return random === undefined ? alpha / (alpha + beta) : betaSample(alpha, beta, random)
}

/** What speaks for and against a model beside its quality and its price. */
function adjustments({ experience }: Arm): number {
  if (experience === undefined) return 0
  const { good, underpowered, overprovisioned, failed, latency = 0, cacheHit = 0 } = experience
  const total = good + underpowered + overprovisioned + failed + 1
  return (-0.03 * overprovisioned) / total - (0.1 * failed) / total - 0.02 * clamp(latency) + 0.02 * clamp(cacheHit)
}
