// Exemplars of one rule, thinned to a few prototypes, and the similarity of a text to them.

import { RtrError, section, Type } from "../../kernel/index.ts"

/** Options of a bank; every field has a default. */
export const prototypeScoring = section({
  enabled: Type.Optional(Type.Boolean()),
  cluster_similarity_threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  max_prototypes: Type.Optional(Type.Integer({ minimum: 1 })),
  best_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_m: Type.Optional(Type.Integer({ minimum: 0 })),
  margin_threshold: Type.Optional(
    Type.Number({ minimum: 0, description: "How far the best has to be ahead of the next; 0 when left out" }),
  ),
})

export interface BankOptions {
  readonly enabled?: boolean
  readonly cluster_similarity_threshold?: number
  readonly max_prototypes?: number
  readonly best_weight?: number
  readonly top_m?: number
}

/** Similarity of a unit vector to the bank: `best_weight` of the best prototype, the rest of the mean of the `top_m` best. */
export type Bank = (vector: Float32Array) => number

/** Texts and vectors correspond; vectors have length 1, so that a dot product is a cosine. */
export function createBank(
  texts: readonly string[],
  vectors: readonly Float32Array[],
  options: BankOptions = {},
): Bank {
  const {
    enabled = true,
    cluster_similarity_threshold: threshold = 0.9,
    max_prototypes: maximum = 8,
    best_weight: bestWeight = 0.75,
    top_m: topM = 2,
  } = options
  const exemplars = dedupe(texts, vectors)
  const prototypes = enabled ? cluster(exemplars, threshold).slice(0, maximum) : exemplars
  return (vector) => {
    const similarities = prototypes.map((prototype) => dot(prototype.vector, vector)).toSorted((a, b) => b - a)
    const counted = topM <= 0 ? similarities : similarities.slice(0, topM)
    const mean = counted.reduce((sum, similarity) => sum + similarity, 0) / counted.length
    return bestWeight * (similarities[0] ?? 0) + (1 - bestWeight) * mean
  }
}

interface Exemplar {
  readonly text: string
  readonly vector: Float32Array
}

function dedupe(texts: readonly string[], vectors: readonly Float32Array[]): readonly Exemplar[] {
  const byText = new Map<string, Exemplar>()
  texts.forEach((text, index) => {
    const vector = vectors[index]
    if (vector !== undefined && !byText.has(text)) byText.set(text, { text, vector })
  })
  return [...byText.values()]
}

/** Takes the largest group around a seed again and again, and keeps the member of each that is most like the others. */
function cluster(exemplars: readonly Exemplar[], threshold: number): readonly Exemplar[] {
  let rest = exemplars.toSorted(byText)
  const clusters: { medoid: Exemplar; size: number; cohesion: number }[] = []
  while (rest.length > 0) {
    const groups = rest.map((seed) =>
      rest.filter((other) => other === seed || dot(seed.vector, other.vector) >= threshold),
    )
    const largest = groups.reduce((best, group) => (group.length > best.length ? group : best))
    clusters.push({ ...medoidOf(largest), size: largest.length })
    rest = rest.filter((exemplar) => !largest.includes(exemplar))
  }
  return clusters
    .toSorted((a, b) => b.size - a.size || b.cohesion - a.cohesion || byText(a.medoid, b.medoid))
    .map(({ medoid }) => medoid)
}

function medoidOf(group: readonly Exemplar[]): { medoid: Exemplar; cohesion: number } {
  const scored = group.map((medoid) => ({
    medoid,
    // A vector is like itself by 1; computed, rounding would decide between groups that are equal.
    cohesion:
      group.reduce((sum, other) => sum + (other === medoid ? 1 : dot(medoid.vector, other.vector)), 0) / group.length,
  }))
  return scored.reduce((best, candidate) => (candidate.cohesion > best.cohesion ? candidate : best))
}

const byText = (a: Exemplar, b: Exemplar): number => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)

/**
 * A cosine, for vectors of length 1. Throws `invalid_model_output` for vectors that cannot be compared: another model has
 * made one of them, or one that does not make vectors of length 1.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number)
  if (a.length === b.length && Math.abs(sum) <= maxCosine) return sum
  throw new RtrError(
    "invalid_model_output",
    `Cannot compare vectors of ${a.length} and ${b.length} numbers, or of another length than 1; the model must give unit vectors, and always of one width`,
  )
}

/** Rounding may leave one a little above 1. */
const maxCosine = 1.01
