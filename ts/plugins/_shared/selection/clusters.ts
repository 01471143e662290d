// Artefacts of `kmeans`: centres of groups of texts, and the model of each.

import { checkWidth, type Predict, squaredDistance, toNames, toRows } from "./trained.ts"

/** The model of the nearest centre; the training has chosen it by (1 - w) · quality + w · speed. */
export function readClusters(artefact: Readonly<Record<string, unknown>>): Predict {
  const centres = toRows(artefact["centroids"], "centroids")
  const models = toNames(artefact["cluster_models"], "cluster_models", centres.length)
  const width = centres[0]?.length ?? 0
  return (features) => {
    checkWidth(features, width)
    const distances = centres.map((centre) => squaredDistance(centre, features))
    return models[distances.indexOf(Math.min(...distances))] as string
  }
}
