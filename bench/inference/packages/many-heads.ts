// Seven heads over one trunk, as a router asks about one prompt.

import { headedPackage, width } from "./package-folder.ts"
import type { Tensor } from "./safetensors.ts"
import { createSeededWeights } from "./seeded-weights.ts"

/** Labels of each head: a few with two or three, one as large as the subjects of the embedded package. */
const labelCounts = [14, 2, 2, 3, 4, 6, 9]

export const headNames: readonly string[] = labelCounts.map((_, index) => `head-${index + 1}`)

/** Returns the package's folder. The heads' weights are seeded: only their work counts. */
export function manyHeadsPackage(cache: string): string {
  return headedPackage(cache, "many-heads", () => {
    const weights = createSeededWeights(1)
    const file = "heads.safetensors"
    const tensors = new Map<string, Tensor>()
    const heads = labelCounts.map((count, index) => {
      const [name, weight, bias] = [headNames[index] ?? "", `${index}.weight`, `${index}.bias`]
      tensors.set(weight, weights.noise(count, width)).set(bias, weights.noise(count))
      const labels = Array.from({ length: count }, (_, label) => `label ${label + 1}`)
      return { name, kind: "sequence", labels, file, weight, bias }
    })
    const settings = { family: "embeddings", max_tokens: 256, pooling: "mean", normalize: true, heads }
    return { settings, file, tensors }
  })
}
