// Picks the candidate by a small neural network.

import { defineSelector } from "../../kernel/index.ts"
import { readNetwork } from "../_shared/selection/network.ts"
import { modelSelection } from "../_shared/selection/model-selection.ts"
import { createTrainedSelector } from "../_shared/selection/trained.ts"

export default defineSelector({
  about: "Picks the candidate by a small neural network",
  runtimes: ["node", "deno"],
  needs: ["inference.embed", "log"],
  settings: modelSelection,
  setup: (_, host) => createTrainedSelector("mlp", readNetwork, host),
})
