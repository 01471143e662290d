// All tasks, in the order of the report.

import type { Task } from "../task.ts"
import { decide } from "./decide.ts"
import { domain } from "./domain.ts"
import { factCheck } from "./fact-check.ts"
import { feedback } from "./feedback.ts"
import { hallucination } from "./hallucination.ts"
import { createAttackTasks } from "./jailbreak.ts"
import { modality } from "./modality.ts"
import { pii, piiModel } from "./pii.ts"

const { jailbreak, guard, cascade } = createAttackTasks()

export const tasks: readonly Task[] = [
  domain,
  jailbreak,
  guard,
  cascade,
  factCheck,
  feedback,
  modality,
  pii,
  piiModel,
  hallucination,
  decide,
]
