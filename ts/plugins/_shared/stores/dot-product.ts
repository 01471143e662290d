// The sum of products of two vectors: the cosine similarity when both have length 1.

/** `rows` holds vectors end to end; `from` is where the second one starts. Four sums at a time keep the processor busy. */
export function dotProduct(vector: Float32Array, rows: Float32Array, from: number): number {
  const length = vector.length
  const whole = length - (length % 4)
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let index = 0; index < whole; index += 4) {
    const at = from + index
    a += (vector[index] as number) * (rows[at] as number)
    b += (vector[index + 1] as number) * (rows[at + 1] as number)
    c += (vector[index + 2] as number) * (rows[at + 2] as number)
    d += (vector[index + 3] as number) * (rows[at + 3] as number)
  }
  for (let index = whole; index < length; index++) a += (vector[index] as number) * (rows[from + index] as number)
  return a + b + c + d
}

/** A similarity without the rounding that leaves the range. */
export function clampSimilarity(similarity: number): number {
  return Math.max(-1, Math.min(1, similarity))
}
