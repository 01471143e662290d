// The two families that answer typed questions, each over the encoder of the embedded package.

import { headedPackage, width } from "./package-folder.ts"
import type { Tensor } from "./safetensors.ts"
import { createSeededWeights, type SeededWeights } from "./seeded-weights.ts"

const file = "decisions.safetensors"
const types = ["choice", "noul", "score", "set", "span"]
/** Length of the vectors that packed models compare, and spans of both. */
const size = 256

/** All questions about a state stand in one row. Returns the package's folder. */
export function packedPackage(cache: string): string {
  return headedPackage(cache, "packed", () => {
    const weights = createSeededWeights(2)
    const tensors = new Map<string, Tensor>()
    for (const part of ["option", "question", "state", "span.label", "span.word"]) addProjection(tensors, weights, part)
    addLinear(tensors, weights, "prior.0", 2 * width, width)
    addLinear(tensors, weights, "prior.2", 1, 2 * width)
    const decisions = {
      questions: { types, tokens: 192 },
      head: { file, prefix: "", size, temperature: 0.05 },
      // Ids that the vocabulary has and that no text becomes.
      markers: { question: 5, option: 6, abstain: 7, label: 8, schema_end: 9, segment: 10 },
      span: { size, temperature: 0.07 },
    }
    return { settings: { family: "packed_decisions", max_tokens: 512, decisions }, file, tensors }
  })
}

/** Every question is a row of its own. Returns the package's folder. */
export function markerPackage(cache: string): string {
  return headedPackage(cache, "marker", () => {
    const weights = createSeededWeights(3)
    const tensors = new Map<string, Tensor>([["type_emb.weight", weights.noise(types.length, width)]])
    for (const part of ["span.label", "span.word"]) addProjection(tensors, weights, part)
    addNorm(tensors, weights, "scorer.0")
    addLinear(tensors, weights, "scorer.1", width, width)
    addLinear(tensors, weights, "scorer.3", 1, width)
    const decisions = {
      questions: { types, tokens: 128 },
      head: { file, prefix: "", layers: 0 },
      span: { size, temperature: 0.07, bias: -2 },
    }
    return { settings: { family: "marker_decisions", max_tokens: 512, decisions }, file, tensors }
  })
}

/** A normalization, and a matrix without bias. */
function addProjection(tensors: Map<string, Tensor>, weights: SeededWeights, name: string): void {
  addNorm(tensors, weights, `${name}.0`)
  tensors.set(`${name}.1.weight`, weights.noise(size, width))
}

function addNorm(tensors: Map<string, Tensor>, weights: SeededWeights, name: string): void {
  tensors.set(`${name}.weight`, weights.ones(width)).set(`${name}.bias`, weights.zeros(width))
}

function addLinear(
  tensors: Map<string, Tensor>,
  weights: SeededWeights,
  name: string,
  rows: number,
  columns: number,
): void {
  tensors.set(`${name}.weight`, weights.noise(rows, columns)).set(`${name}.bias`, weights.noise(rows))
}
