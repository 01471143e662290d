// How often answers are right when only the surest are given.

export interface AnsweredCase {
  readonly type: string
  readonly isRight: boolean
  /** How sure the answer is, of any scale: the surest are given first. */
  readonly sureness: number
  /** Whether the package would rather not answer. */
  readonly abstains: boolean
}

/** With so few answers a share of right ones says nothing. */
const fewest = 20

/** A point for each share of the questions that is answered, the surest first. */
export interface CoveragePoint {
  readonly coverage: number
  readonly rightShare: number
}

/** Points in steps of a hundredth of the questions, from the fewest answers that say something on. */
export function coverageCurve(cases: readonly AnsweredCase[]): readonly CoveragePoint[] {
  const surest = cases.toSorted((a, b) => b.sureness - a.sureness)
  const step = Math.max(1, Math.floor(surest.length / 100))
  const points: CoveragePoint[] = []
  let right = 0
  surest.forEach(({ isRight, sureness }, place) => {
    if (isRight) right += 1
    const given = place + 1
    // Of answers that are equally sure, none comes before the others.
    const isWhole = surest[given]?.sureness !== sureness
    if (given >= fewest && isWhole && (given % step === 0 || given === surest.length || step === 1))
      points.push({ coverage: given / surest.length, rightShare: right / given })
  })
  return points
}

/**
 * By type of question: the share that is answered without abstention and how often these answers are right, and the largest
 * share of which so many are right when the surest are taken.
 */
export function coverageFigures(cases: readonly AnsweredCase[]): Readonly<Record<string, number>> {
  const types = [...new Set(cases.map(({ type }) => type))].toSorted()
  return Object.fromEntries(
    types.flatMap((type) => {
      const some = cases.filter((one) => one.type === type)
      const answered = some.filter(({ abstains }) => !abstains)
      const enough = coverageCurve(some).filter(({ rightShare }) => rightShare >= wanted)
      return [
        [`answered_${type}`, answered.length / some.length],
        [`right_of_answered_${type}`, answered.filter(({ isRight }) => isRight).length / answered.length],
        [`coverage_at_75_percent_${type}`, Math.max(0, ...enough.map(({ coverage }) => coverage))],
      ]
    }),
  )
}

const wanted = 0.75
