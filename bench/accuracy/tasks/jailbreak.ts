// Attempts to override instructions or to extract them.

import type { Task } from "../task.ts"
import { sequenceTask } from "./sequence-task.ts"

export const jailbreak: Task = sequenceTask({
  head: "jailbreak",
  title: "Attempt to override instructions",
  labels: ["benign", "jailbreak"],
  positive: "jailbreak",
  threshold: 0.7,
  readsWhole: true,
})
