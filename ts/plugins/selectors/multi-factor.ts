// Weighs quality, latency, price and load of the candidates.

import {
  type Candidate,
  type Choice,
  defineSelector,
  literals,
  type ModelFigures,
  RtrError,
  section,
  type Static,
  Type,
} from "../../kernel/index.ts"
import { qualityOf } from "../_shared/selection/model-quality.ts"
import {
  chooseByPriority,
  chooseByWeights,
  type Factor,
  factors,
  type Measured,
} from "../_shared/selection/multi-factor-choice.ts"
import { percentile } from "../_shared/selection/percentile.ts"
import { requestTokens } from "../_shared/selection/request-tokens.ts"

const amount = Type.Optional(Type.Number({ minimum: 0 }))
const limit = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

const options = section({
  weights: Type.Optional(
    section(
      { quality: amount, latency: amount, cost: amount, load: amount },
      { description: "Shares of the factors; those that are left out count 0, and without any each counts the same" },
    ),
  ),
  objective: Type.Optional(
    section({
      strategy: Type.Optional(literals(["weighted", "lexicographic"])),
      priorities: Type.Optional(
        Type.Array(
          section({
            factor: literals(factors),
            tolerance: Type.Optional(
              Type.Number({
                minimum: 0,
                maximum: 1,
                description: "Share of the best value that still counts as equal",
              }),
            ),
          }),
        ),
      ),
    }),
  ),
  quality: Type.Optional(
    section({
      index: Type.String({
        minLength: 1,
        description: "Benchmark or index of the evaluations that is the quality, in place of the card's quality_score",
      }),
      on_missing: Type.Optional(
        literals(["exclude", "disable_quality"], {
          description: "A model without a result is no candidate, or quality counts for none; exclude when left out",
        }),
      ),
      min_coverage: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: "Any share above 0 makes a model without a result miss it",
        }),
      ),
      min_score: Type.Optional(
        Type.Number({
          description:
            "Result that a candidate needs, on the scale of the benchmark, or a percentage of shares; needs on_missing exclude",
        }),
      ),
    }),
  ),
  slo: Type.Optional(
    section({
      max_tpot_ms: limit("Longest time for each output token; 0 is no limit"),
      max_ttft_ms: limit("Longest time to the first byte; 0 is no limit"),
      max_cost_per_1m: limit("Highest price of a million prompt tokens; 0 is no limit"),
      max_inflight: Type.Optional(Type.Integer({ minimum: 0, description: "Most calls at a time; 0 is no limit" })),
    }),
  ),
  expected_output_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Price whole requests with replies of this length, instead of prompt tokens",
    }),
  ),
  latency_metric: Type.Optional(
    literals(["ttft", "tpot"], { description: "Left out, tpot, and ttft for a model that has no tpot yet" }),
  ),
  latency_percentile: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "95 when left out" })),
  on_no_candidates: Type.Optional(
    literals(["cheapest", "first", "fail"], {
      description: "When every candidate is excluded; cheapest when left out",
    }),
  ),
})

type Options = Static<typeof options>

export default defineSelector({
  about: "Weighs quality, latency, price and load of the candidates",
  options,
  check({ objective, weights, quality }, report) {
    const { strategy = "weighted", priorities = [] } = objective ?? {}
    if (strategy === "weighted" && priorities.length > 0)
      report(["objective", "priorities"], "belongs to strategy lexicographic")
    if (strategy === "lexicographic" && priorities.length === 0)
      report(["objective", "priorities"], "is missing; strategy lexicographic compares one factor after the other")
    if (strategy === "lexicographic" && weights !== undefined)
      report(["weights"], "belongs to strategy weighted; lexicographic compares by objective.priorities")
    if (new Set(priorities.map(({ factor }) => factor)).size < priorities.length)
      report(["objective", "priorities"], "names a factor twice")
    if (quality?.min_score !== undefined && quality.on_missing === "disable_quality")
      report(["quality", "min_score"], "needs on_missing exclude, because a model without a result has no score")
  },
  setup(entry, { candidates, figures }) {
    const weights = weightsOf(entry)
    const priorities = entry.objective?.priorities ?? []
    const byPriority = entry.objective?.strategy === "lexicographic"
    const countsQuality = byPriority ? priorities.some(({ factor }) => factor === "quality") : weights.quality > 0
    const measure = measureBy(entry, figures)
    return {
      select({ request }) {
        const { context } = entry.expected_output_tokens === undefined ? { context: 0 } : requestTokens(request)
        const measured = candidates.map((candidate, index) => ({ ...measure(candidate, context), index }))
        const eligible = excludeByQuality(
          measured.filter(({ exceeds }) => !exceeds),
          entry,
          countsQuality,
        )
        if (eligible.length === 0) return whenNone(entry, measured)
        const { best, confidence, why, scores } = byPriority
          ? chooseByPriority(eligible, priorities)
          : chooseByWeights(eligible, weights)
        return {
          candidate: (eligible[best] as MeasuredCandidate).index,
          confidence,
          reason: `${why}, of ${eligible.length} candidates`,
          ...(scores !== undefined && {
            scores: candidates.map((_, index) => scores[eligible.findIndex((each) => each.index === index)] ?? 0),
          }),
          ...(eligible.length < candidates.length && {
            excluded: measured.flatMap(({ index }) => (eligible.some((each) => each.index === index) ? [] : [index])),
          }),
        }
      },
    }
  },
})

/** Shares that sum to 1. */
function weightsOf({ weights = {} }: Options): Readonly<Record<Factor, number>> {
  const sum = factors.reduce((total, factor) => total + (weights[factor] ?? 0), 0)
  return Object.fromEntries(factors.map((factor) => [factor, sum > 0 ? (weights[factor] ?? 0) / sum : 0.25])) as never
}

interface MeasuredCandidate extends Measured {
  /** Position among the decision's candidates. */
  readonly index: number
  /** Some limit of `slo`. */
  readonly exceeds: boolean
  readonly coverage: number
}

/** What is known of a candidate now; what is not known exceeds nothing. */
function measureBy(entry: Options, figures: (model: string) => ModelFigures) {
  const { slo = {}, latency_percentile: percent = 95, latency_metric: metric, expected_output_tokens: output } = entry
  const over = (value: number | undefined, most: number | undefined): boolean =>
    value !== undefined && (most ?? 0) > 0 && value > (most as number)
  return ({ model, card, pricing }: Candidate, input: number): Omit<MeasuredCandidate, "index"> => {
    const { inFlight, firstByteMs, perTokenMs } = figures(model)
    const tpot = percentile(perTokenMs, percent)
    const ttft = percentile(firstByteMs, percent)
    const quality = qualityOf(card, entry.quality?.index)
    const spent =
      pricing === undefined || output === undefined
        ? undefined
        : input * pricing.promptPer1m + output * pricing.completionPer1m
    const rate = spent === undefined ? pricing?.promptPer1m : spent / (input + (output as number))
    return {
      quality: quality?.score,
      coverage: quality?.coverage ?? 0,
      latency: metric === "ttft" ? ttft : metric === "tpot" ? tpot : (tpot ?? ttft),
      cost: spent ?? pricing?.promptPer1m,
      load: inFlight,
      exceeds:
        over(tpot, slo.max_tpot_ms) ||
        over(ttft, slo.max_ttft_ms) ||
        over(rate, slo.max_cost_per_1m) ||
        over(inFlight, slo.max_inflight),
    }
  }
}

/** Only a document that names a benchmark excludes models by their results. */
function excludeByQuality(
  measured: readonly MeasuredCandidate[],
  { quality: rule }: Options,
  counts: boolean,
): readonly MeasuredCandidate[] {
  if (rule === undefined) return measured
  const { min_coverage: leastCoverage = 0, min_score: least, on_missing: missing = "exclude" } = rule
  const isKnown = ({ quality, coverage }: MeasuredCandidate): boolean =>
    quality !== undefined && coverage >= leastCoverage
  const good =
    least === undefined ? measured : measured.filter((each) => isKnown(each) && reaches(each.quality as number, least))
  if (!counts || good.every(isKnown)) return good
  return missing === "exclude" ? good.filter(isKnown) : good.map((each) => ({ ...each, quality: undefined }))
}

/** Results up to 100 are kept as shares of 1, so a least score above 1 is a percentage beside one; Elo stays as it is. */
const reaches = (quality: number, least: number): boolean =>
  quality >= (quality <= 1 && least > 1 && least <= 100 ? least / 100 : least)

/** What the document wants where every candidate is excluded. Throws `no_model_selected` for `fail`. */
function whenNone({ on_no_candidates: policy = "cheapest" }: Options, measured: readonly MeasuredCandidate[]): Choice {
  if (policy === "fail")
    throw new RtrError(
      "no_model_selected",
      "Every candidate of the decision exceeds its limits or lacks quality, and on_no_candidates is fail",
      { retryAfterSeconds: 1 },
    )
  const costs = measured.map(({ cost }) => cost ?? Infinity)
  const candidate = policy === "first" ? 0 : costs.indexOf(Math.min(...costs))
  return { candidate, confidence: 0, reason: `every candidate is excluded, so the ${policy}` }
}
