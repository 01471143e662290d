// Picks the candidate by a support vector machine.

import { defineSelector } from "../../kernel/index.ts"
import { readMachine } from "../_shared/selection/support-vectors.ts"
import { modelSelection } from "../_shared/selection/model-selection.ts"
import { createTrainedSelector } from "../_shared/selection/trained.ts"

export default defineSelector({
  about: "Picks the candidate by a support vector machine",
  runtimes: ["node", "deno"],
  needs: ["inference.embed", "log"],
  settings: modelSelection,
  setup: (_, host) => createTrainedSelector("svm", readMachine, host),
})
