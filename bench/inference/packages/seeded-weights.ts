// Weights that mean nothing: where only the work counts, any numbers of the right shapes will do.

import type { Tensor } from "./safetensors.ts"
import { createRandom } from "../random.ts"

/** Makes tensors; the same seed and order of calls give the same numbers. */
export interface SeededWeights {
  /** Numbers between -0.05 and 0.05, so that activations neither vanish nor explode. */
  noise(...shape: readonly number[]): Tensor
  ones(length: number): Tensor
  zeros(length: number): Tensor
}

export function createSeededWeights(seed: number): SeededWeights {
  const random = createRandom(seed)
  return {
    noise: (...shape) => {
      const values = new Float32Array(shape.reduce((product, size) => product * size, 1))
      return { shape, values: values.map(() => (random() - 0.5) / 10) }
    },
    ones: (length) => ({ shape: [length], values: new Float32Array(length).fill(1) }),
    zeros: (length) => ({ shape: [length], values: new Float32Array(length) }),
  }
}
