// Vectors as points of a plane, so that people can see which texts are alike: their two principal components.

import type { Work } from "../../../kernel/index.ts"

/** Steps of the power iteration: directions that far apart in spread are found long before. */
const steps = 30

/** One point for each vector; all of them have one width. Pauses after each step. */
export function* toPlane(vectors: readonly Float32Array[]): Work<readonly (readonly [number, number])[]> {
  const width = vectors[0]?.length ?? 0
  const mean = new Float64Array(width)
  for (const vector of vectors) for (let at = 0; at < width; at++) mean[at]! += (vector[at] as number) / vectors.length
  const rows = vectors.map((vector) => Float64Array.from(vector, (value, at) => value - (mean[at] as number)))
  const first = yield* principal(rows, width)
  const along = rows.map((row) => dot(row, first))
  for (const [index, row] of rows.entries())
    for (let at = 0; at < width; at++) row[at]! -= (along[index] as number) * (first[at] as number)
  const second = yield* principal(rows, width)
  return rows.map((row, index) => [along[index] as number, dot(row, second)])
}

/** The direction in which rows spread most, of length 1; zeros where they do not spread. Always the same for the same rows. */
function* principal(rows: readonly Float64Array[], width: number): Work<Float64Array> {
  let direction = normalized(Float64Array.from({ length: width }, (_, at) => Math.cos(at + 1)))
  for (let step = 0; step < steps; step++) {
    const next = new Float64Array(width)
    for (const row of rows) {
      const weight = dot(row, direction)
      for (let at = 0; at < width; at++) next[at]! += weight * (row[at] as number)
    }
    direction = normalized(next)
    yield
  }
  return direction
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

function normalized(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector))
  return length < 1e-12 ? new Float64Array(vector.length) : vector.map((value) => value / length)
}
