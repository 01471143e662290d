// Figures of typed questions.

import type { Figures } from "./bootstrap.ts"
import { calibrationError } from "./calibration.ts"
import { type AnsweredCase, coverageFigures } from "./coverage.ts"
import { areaUnderCurve } from "./ranking.ts"

export interface DecisionCase {
  readonly set: string
  readonly type: string
  readonly options: number
  /** The key, level or truth value that is right; undefined where no option is. */
  readonly truth: string | undefined
  readonly isRight: boolean
  /** Probability of the given answer. */
  readonly probability: number
  /** Probability that the package would rather not answer; of choices at least that of "none of them". */
  readonly abstain?: number
  /** The package does not answer this type, so nothing is said of how sure it is. */
  readonly isGuess?: true
}

/**
 * Skill and accuracy, together and by type of question, and the calibration error, of questions that have an answer. Where some
 * have none, how well the doubt of the package tells these from the others, and how often it abstains there.
 */
export function decisionFigures(all: readonly DecisionCase[]): Figures {
  const cases = all.filter(({ truth }) => truth !== undefined)
  const lost = all.filter(({ truth }) => truth === undefined)
  const stated = cases.filter(({ isGuess }) => isGuess !== true)
  const types = [...new Set(cases.map(({ type }) => type))].toSorted()
  const byType = types.map((type) => [type, cases.filter((one) => one.type === type)] as const)
  return {
    skill: skill(cases),
    accuracy: accuracy(cases),
    ...Object.fromEntries(byType.map(([type, some]) => [`accuracy_${type}`, accuracy(some)])),
    ...Object.fromEntries(byType.map(([type, some]) => [`skill_${type}`, skill(some)])),
    ...(stated.length > 0 && { calibration_error: calibrationError(stated) }),
    ...(lost.length > 0 && {
      abstain_auc: abstainArea(all),
      abstained_without_answer: lost.filter((one) => toAnswered(one).abstains).length / lost.length,
    }),
    ...coverageFigures(stated.map(toAnswered)),
    ...concludedFigures(stated),
  }
}

/** A half or more of "I do not know" is an abstention. Sure is an answer that is likely and about which there is no doubt. */
export function toAnswered({ type, isRight, probability, abstain = 0 }: DecisionCase): AnsweredCase {
  return { type, isRight, sureness: (1 - abstain) * probability, abstains: abstain >= 0.5 }
}

/** Sets whose answers have to be concluded from a text, and which stay near chance. */
const concluded: ReadonlySet<string> = new Set(["boolqa", "t0_paws", "t0_qasc"])

/** How often the package abstains where it should, and how far the rest is above always giving the commoner answer of its set. */
function concludedFigures(cases: readonly DecisionCase[]): Figures {
  const some = cases.filter(({ set }) => concluded.has(set))
  if (some.length === 0) return {}
  const answered = some.filter((one) => !toAnswered(one).abstains)
  return {
    abstained_conclusions: 1 - answered.length / some.length,
    ...(answered.length > 0 && { above_majority_conclusions: accuracy(answered) - majority(answered) }),
  }
}

/** The share that is right when each set gets its commonest answer. */
function majority(cases: readonly DecisionCase[]): number {
  const bySet = [...groupBy(cases, ({ set }) => set).values()]
  const commonest = bySet.map((some) =>
    Math.max(...[...groupBy(some, ({ truth }) => truth ?? "").values()].map(({ length }) => length)),
  )
  return commonest.reduce((sum, count) => sum + count, 0) / cases.length
}

function abstainArea(cases: readonly DecisionCase[]): number {
  const sharesOf = (has: boolean): readonly number[] =>
    cases.filter(({ truth }) => (truth !== undefined) === has).map(({ abstain = 0 }) => abstain)
  return areaUnderCurve(sharesOf(false), sharesOf(true))
}

function accuracy(cases: readonly DecisionCase[]): number {
  return cases.filter(({ isRight }) => isRight).length / cases.length
}

/**
 * How far the answers have come from chance (0) to always right (1): the mean over groups, weighed by their rows. A group is a
 * set, a type and a number of options.
 *
 * Options of a choice change from row to row, so chance is one in their number. Answers of the other types are the same in
 * every row, and some sets have one of them five times as often as the other; there each answer weighs the same, so that who
 * always says the commoner one has no skill.
 */
export function skill(cases: readonly DecisionCase[]): number {
  const groups = [...groupBy(cases, ({ set, type, options }) => `${set} ${type} ${options}`).values()]
    .map((group) => ({ rows: group.length, value: skillOfGroup(group) }))
    .filter(({ value }) => Number.isFinite(value))
  const rows = groups.reduce((sum, group) => sum + group.rows, 0)
  return groups.reduce((sum, group) => sum + (group.rows / rows) * group.value, 0)
}

/** Not finite where the group has only one answer, which shows no skill. */
function skillOfGroup(group: readonly DecisionCase[]): number {
  const [{ type, options } = { type: "choice", options: Number.NaN }] = group
  if (type === "choice") return (accuracy(group) - 1 / options) / (1 - 1 / options)
  const answers = [...groupBy(group, ({ truth }) => truth ?? "").values()]
  const balanced = answers.reduce((sum, some) => sum + accuracy(some), 0) / answers.length
  return (balanced - 1 / answers.length) / (1 - 1 / answers.length)
}

function groupBy(
  cases: readonly DecisionCase[],
  keyOf: (one: DecisionCase) => string,
): ReadonlyMap<string, readonly DecisionCase[]> {
  const groups = new Map<string, DecisionCase[]>()
  for (const one of cases) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}
