// Artefacts of `knn`: texts of a training, and which model was best for each.

import { checkWidth, normalized, type Predict, squaredDistance, toNames, toNumbers, toRows } from "./trained.ts"

const nanosecondsOfSlow = 10_000_000_000

/**
 * Each of the `k` nearest texts votes for the model that was best for it: nine tenths by its quality, one by its speed. The
 * first name of equal ones wins.
 */
export function readNeighbours(artefact: Readonly<Record<string, unknown>>): Predict {
  const texts = toRows(artefact["embeddings"], "embeddings").map(normalized)
  const labels = toNames(artefact["labels"], "labels", texts.length)
  const qualities = toNumbers(artefact["qualities"] ?? texts.map(() => 0.5), "qualities", texts.length)
  const latencies = toNumbers(artefact["latencies"] ?? texts.map(() => 0), "latencies", texts.length)
  const { k } = artefact
  if (typeof k !== "number" || !(k > 0)) throw new TypeError("its k must be above 0")
  const votes = Float64Array.from(
    qualities,
    (quality, index) => 0.9 * quality + 0.1 / (1 + (latencies[index] as number) / nanosecondsOfSlow),
  )
  const width = texts[0]?.length ?? 0
  return (features) => {
    checkWidth(features, width)
    const asked = normalized(features)
    const counted = new Map<string, number>()
    for (const index of nearestOf(texts, asked, Math.ceil(k))) {
      const label = labels[index] as string
      counted.set(label, (counted.get(label) ?? 0) + (votes[index] as number))
    }
    const ranked = [...counted].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    return ranked[0]?.[0] ?? ""
  }
}

/** Positions of the `count` nearest texts, nearest first, the first of equals. Sorting them all would cost more than the distances. */
function nearestOf(texts: readonly Float64Array[], asked: Float64Array, count: number): readonly number[] {
  const nearest: number[] = []
  const distances: number[] = []
  for (let index = 0; index < texts.length; index++) {
    const distance = squaredDistance(texts[index] as Float64Array, asked)
    if (nearest.length === count && distance >= (distances.at(-1) as number)) continue
    const place = distances.findLastIndex((other) => other <= distance) + 1
    distances.splice(place, 0, distance)
    nearest.splice(place, 0, index)
    if (nearest.length > count) {
      distances.pop()
      nearest.pop()
    }
  }
  return nearest
}
