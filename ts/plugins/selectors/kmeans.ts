// Picks the candidate that did best with the group of texts that this one belongs to.

import { defineSelector } from "../../kernel/index.ts"
import { readClusters } from "../_shared/selection/clusters.ts"
import { modelSelection } from "../_shared/selection/model-selection.ts"
import { createTrainedSelector } from "../_shared/selection/trained.ts"

export default defineSelector({
  about: "Picks the candidate that did best with the group of texts that this one belongs to",
  runtimes: ["node", "deno"],
  needs: ["inference.embed", "log"],
  settings: modelSelection,
  setup: (_, host) => createTrainedSelector("kmeans", readClusters, host),
})
