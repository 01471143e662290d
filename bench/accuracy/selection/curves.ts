// Cost and accuracy of policies, and how much other questions of the same exams would change them.

import { quantile } from "../../_shared/statistics.ts"
import { createRandom } from "../../inference/random.ts"
import { type Estimate, round } from "../figures/bootstrap.ts"
import type { Outcomes } from "./outcomes.ts"

/** Which model each question went to; -1 where the policy was not asked. */
export type Choices = readonly number[]

export interface Point {
  readonly setting: string
  /** Dollars for a thousand calls. */
  readonly cost: number
  readonly accuracy: Estimate
}

export interface PolicyFigures {
  readonly questions: number
  readonly points: readonly Point[]
  /** Mean accuracy over all budgets from the cheapest to the best model, less that of the best mixture of models. */
  readonly gain: Estimate
  /** Accuracy at a share of the best model's cost, less that of the best mixture at it. */
  readonly gainAt: Readonly<Record<string, Estimate>>
}

const resamples = 1000
const seed = 20_260_103
const budgets = 100
const shares = [0.25, 0.5, 0.75]

/** Questions, dollars and right answers of one exam, for each point. */
interface Sums {
  readonly rows: number
  readonly points: readonly { readonly cost: number; readonly right: number }[]
}
type Curve = readonly { readonly cost: number; readonly accuracy: number }[]

/** Figures of policies by name, each with its choices by setting. Whole exams are drawn within each subject. */
export function measure(
  outcomes: Outcomes,
  policies: ReadonlyMap<string, ReadonlyMap<string, Choices>>,
): Readonly<Record<string, PolicyFigures>> {
  const { models, questions } = outcomes
  const singles = models.map((_, model) => questions.map(() => model))
  const { cheapest, best, hull } = findSingles(outcomes)
  const draws = drawExams(outcomes)
  const figures: Record<string, PolicyFigures> = {}
  for (const [name, settings] of policies) {
    const asked = questions.map((_, row) => ([...settings.values()][0]?.[row] ?? -1) >= 0)
    const of = (choices: readonly Choices[]) => sumUp(outcomes, asked, choices)
    const own = of([...settings.values(), singles[cheapest] as Choices])
    const mixed = of(hull.map((model) => singles[model] as Choices))
    const ends = of([singles[cheapest] as Choices, singles[best] as Choices])
    const judge = (counts: readonly number[]) =>
      compare(curveOf(own, counts), curveOf(mixed, counts), curveOf(ends, counts))
    const whole = draws.exams.map(() => 1)
    const found = judge(whole)
    const drawn = draws.counts.map(judge)
    const estimateOf = (pick: (figures: ReturnType<typeof judge>) => number): Estimate => {
      const values = drawn.map(pick).filter(Number.isFinite)
      return { value: round(pick(found)), low: round(quantile(values, 0.025)), high: round(quantile(values, 0.975)) }
    }
    const points = [...settings.keys()].map((setting, index): Point => {
      const at = curveOf(own, whole)[index] as Curve[number]
      const values = draws.counts.map((counts) => (curveOf(own, counts)[index] as Curve[number]).accuracy)
      const [low, high] = [quantile(values, 0.025), quantile(values, 0.975)]
      return {
        setting,
        cost: round(at.cost),
        accuracy: { value: round(at.accuracy), low: round(low), high: round(high) },
      }
    })
    figures[name] = {
      questions: asked.filter(Boolean).length,
      points,
      gain: estimateOf(({ gain }) => gain),
      gainAt: Object.fromEntries(
        shares.map((share, index) => [`${share * 100} %`, estimateOf(({ at }) => at[index] as number)]),
      ),
    }
  }
  return figures

  function sumUp(
    { questions: rows }: Outcomes,
    asked: readonly boolean[],
    choices: readonly Choices[],
  ): readonly Sums[] {
    const sums = draws.exams.map(() => ({ rows: 0, points: choices.map(() => ({ cost: 0, right: 0 })) }))
    rows.forEach(({ right, costs }, row) => {
      const sum = sums[draws.examOf[row] as number]
      if (sum === undefined || asked[row] !== true) return
      sum.rows += 1
      choices.forEach((choice, index) => {
        const point = sum.points[index]
        const model = choice[row] as number
        if (point === undefined) return
        point.cost += costs[model] as number
        point.right += Number(right[model])
      })
    })
    return sums
  }
}

/** In the order of the points. */
function curveOf(sums: readonly Sums[], counts: readonly number[]): Curve {
  let rows = 0
  const totals = (sums[0]?.points ?? []).map(() => ({ cost: 0, right: 0 }))
  sums.forEach((sum, exam) => {
    const count = counts[exam] as number
    if (count === 0) return
    rows += count * sum.rows
    sum.points.forEach(({ cost, right }, index) => {
      const total = totals[index]
      if (total === undefined) return
      total.cost += count * cost
      total.right += count * right
    })
  })
  return totals.map(({ cost, right }) => ({ cost: cost / rows, accuracy: right / rows }))
}

function compare(own: Curve, mixture: Curve, [cheapest, best]: Curve): { gain: number; at: readonly number[] } {
  const [low, high] = [cheapest?.cost ?? 0, best?.cost ?? 0]
  const [ownAt, mixtureAt] = [interpolated(own), interpolated(mixture)]
  const gains = Array.from({ length: budgets }, (_, index) => {
    const budget = low + ((high - low) * index) / (budgets - 1)
    return ownAt(budget) - mixtureAt(budget)
  })
  return {
    gain: gains.reduce((sum, gain) => sum + gain, 0) / budgets,
    at: shares.map((share) => ownAt(share * high) - mixtureAt(share * high)),
  }
}

/** Between two points their settings are mixed by chance; dearer than the curve goes, it is as good as at its end. */
function interpolated(curve: Curve): (cost: number) => number {
  const sorted = curve.toSorted((a, b) => a.cost - b.cost || a.accuracy - b.accuracy)
  return (cost) => {
    const after = sorted.findIndex((point) => point.cost > cost)
    const left = sorted[after < 0 ? sorted.length - 1 : Math.max(0, after - 1)] as Curve[number]
    const right = after <= 0 ? left : (sorted[after] as Curve[number])
    const share = right.cost > left.cost ? (cost - left.cost) / (right.cost - left.cost) : 0
    return left.accuracy + share * (right.accuracy - left.accuracy)
  }
}

/** The cheapest and the best model, and those that no mixture of others beats for its cost, cheapest first. */
export function findSingles({ models, questions }: Outcomes): {
  cheapest: number
  best: number
  hull: readonly number[]
} {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const cost = models.map((_, model) => mean(questions.map(({ costs }) => costs[model] as number)))
  const accuracy = models.map((_, model) => mean(questions.map(({ right }) => Number(right[model]))))
  const order = models.map((_, model) => model).toSorted((a, b) => (cost[a] as number) - (cost[b] as number))
  const rise = (a: number, b: number): number =>
    ((accuracy[b] as number) - (accuracy[a] as number)) / ((cost[b] as number) - (cost[a] as number))
  const hull: number[] = []
  for (const model of order) {
    if (hull.length > 0 && (accuracy[model] as number) <= (accuracy[hull.at(-1) as number] as number)) continue
    while (hull.length > 1 && rise(hull.at(-1) as number, model) >= rise(hull.at(-2) as number, hull.at(-1) as number))
      hull.pop()
    hull.push(model)
  }
  return { cheapest: order[0] as number, best: accuracy.indexOf(Math.max(...accuracy)), hull }
}

/** Questions of an exam are alike, so that whole exams are drawn. */
function drawExams({ questions }: Outcomes) {
  const random = createRandom(seed)
  const keys = questions.map(({ subject, source }) => `${subject}/${source}`)
  const exams = [...new Set(keys)]
  const bySubject = Map.groupBy(
    exams.map((_, exam) => exam),
    (exam) => (exams[exam] as string).split("/")[0],
  )
  const counts = Array.from({ length: resamples }, () => {
    const drawn = exams.map(() => 0)
    for (const members of bySubject.values())
      for (let draw = 0; draw < members.length; draw++) {
        const exam = members[Math.floor(random() * members.length)] as number
        drawn[exam] = (drawn[exam] as number) + 1
      }
    return drawn
  })
  const numbers = new Map(exams.map((exam, index) => [exam, index]))
  return { exams, examOf: keys.map((key) => numbers.get(key) as number), counts }
}
