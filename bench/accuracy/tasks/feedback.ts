// What a turn says of the answer before it.

import { feedbackText } from "../../../ts/plugins/_shared/feedback-text.ts"
import type { Task } from "../task.ts"
import { sequenceTask, type SequenceRow } from "./sequence-task.ts"

export const feedback: Task = sequenceTask({
  head: "feedback",
  title: "Verdict on the answer before",
  labels: ["NONE", "SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT"],
  toText: withPrevious,
})

/** As the router lays it out; it asks about no turn without an answer before it, the head was trained with such turns too. */
export function withPrevious({ text, previous }: Pick<SequenceRow, "text" | "previous">): string {
  if (previous === undefined || previous === "") return text
  return feedbackText(text, previous)
}
