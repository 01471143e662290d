// Every subject is left out once: what answers for it has been trained on the others.

import { createRandom } from "../../inference/random.ts"
import type { Question } from "./outcomes.ts"

export const foldCount = 3
const seed = 20_260_104

/** Subjects by fold, the same in every run. */
export function subjectFolds(questions: readonly Question[]): readonly (readonly string[])[] {
  const random = createRandom(seed)
  const subjects = [...new Set(questions.map(({ subject }) => subject))].toSorted()
  const shuffled = subjects.map((subject) => ({ subject, at: random() })).toSorted((a, b) => a.at - b.at)
  return Array.from({ length: foldCount }, (_, fold) =>
    shuffled.filter((_subject, index) => index % foldCount === fold).map(({ subject }) => subject),
  )
}
