// What a turn says of the answer before it.

import type { Task } from "../task.ts"
import { sequenceTask, type SequenceRow } from "./sequence-task.ts"

const previousCharacters = 600

export const feedback: Task = sequenceTask({
  head: "feedback",
  title: "Verdict on the answer before",
  labels: ["NONE", "SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT"],
  toText: withPrevious,
})

/** The layout that the head was trained with. The answer stands behind the turn, so that cutting a long row cuts the answer first. */
export function withPrevious({ text, previous }: Pick<SequenceRow, "text" | "previous">): string {
  if (previous === undefined || previous === "") return text
  // Characters are code points here, as they are where the head is trained.
  const start = Array.from(previous.trim()).slice(0, previousCharacters).join("")
  return `${text}\n\nassistant: ${start}`
}
