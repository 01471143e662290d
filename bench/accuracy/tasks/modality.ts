// Whether a prompt wants a text, an image or both.

import type { Task } from "../task.ts"
import { sequenceTask } from "./sequence-task.ts"

export const modality: Task = sequenceTask({
  head: "modality",
  title: "Wanted kind of answer",
  labels: ["AR", "DIFFUSION", "BOTH"],
  usual: "AR",
})
