// Figures of typed questions.

import type { Figures } from "./bootstrap.ts"
import { calibrationError } from "./calibration.ts"

export interface DecisionCase {
  readonly type: string
  readonly options: number
  readonly isRight: boolean
  /** Probability of the given answer. */
  readonly probability: number
}

/** Skill and accuracy, together and by type of question, and the calibration error. */
export function decisionFigures(cases: readonly DecisionCase[]): Figures {
  const types = [...new Set(cases.map(({ type }) => type))].toSorted()
  const byType = types.map((type) => [type, cases.filter((one) => one.type === type)] as const)
  return {
    skill: skill(cases),
    accuracy: accuracy(cases),
    ...Object.fromEntries(byType.map(([type, some]) => [`accuracy_${type}`, accuracy(some)])),
    ...Object.fromEntries(byType.map(([type, some]) => [`skill_${type}`, skill(some)])),
    calibration_error: calibrationError(cases),
  }
}

function accuracy(cases: readonly DecisionCase[]): number {
  return cases.filter(({ isRight }) => isRight).length / cases.length
}

/** How far the accuracy has come from chance, which is one in the number of options, to always right: 0 is chance, 1 is all. */
function skill(cases: readonly DecisionCase[]): number {
  const chance = cases.reduce((sum, { options }) => sum + 1 / options, 0) / cases.length
  return (accuracy(cases) - chance) / (1 - chance)
}
