// Whether an answer needs checkable facts.

import type { Task } from "../task.ts"
import { sequenceTask } from "./sequence-task.ts"

export const factCheck: Task = sequenceTask({
  head: "fact_check",
  title: "Needs checkable facts",
  labels: ["no_fact_check", "fact_check"],
  positive: "fact_check",
})
