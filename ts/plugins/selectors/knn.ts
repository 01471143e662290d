// Picks the candidate that did best with the most similar texts of a training.

import { defineSelector } from "../../kernel/index.ts"
import { readNeighbours } from "../_shared/selection/neighbours.ts"
import { modelSelection } from "../_shared/selection/model-selection.ts"
import { createTrainedSelector } from "../_shared/selection/trained.ts"

export default defineSelector({
  about: "Picks the candidate that did best with the most similar texts of a training",
  runtimes: ["node", "deno"],
  needs: ["inference.embed", "log"],
  settings: modelSelection,
  setup: (_, host) => createTrainedSelector("knn", readNeighbours, host),
})
