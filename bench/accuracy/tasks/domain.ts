// The subject of a prompt.

import type { Task } from "../task.ts"
import { sequenceTask } from "./sequence-task.ts"

export const domain: Task = sequenceTask({
  head: "domain",
  title: "Subject of the prompt",
  labels: [
    "biology",
    "business",
    "chemistry",
    "computer science",
    "economics",
    "engineering",
    "health",
    "history",
    "law",
    "math",
    "other",
    "philosophy",
    "physics",
    "psychology",
  ],
})
