// Compares a text with the descriptions of models.

import { type Candidate, RtrError } from "../../../kernel/index.ts"
import { highestOf, sigmoid, softmax } from "./scores.ts"

/** What stands for a model; empty where its card says nothing. */
export function describe({ card }: Pick<Candidate, "card">, withCapabilities: boolean): string {
  const description = typeof card?.["description"] === "string" ? card["description"].trim() : ""
  const capabilities = withCapabilities ? ((card?.["capabilities"] ?? []) as readonly string[]) : []
  const parts = [
    ...(description === "" ? [] : [description.replace(/\.$/, "")]),
    ...(capabilities.length === 0 ? [] : [`Capabilities: ${capabilities.join(", ")}`]),
  ]
  return parts.join(". ")
}

export interface DescriptionScores {
  /** Likeness from 0 to 1 of each candidate. */
  readonly likeness: readonly number[]
  /** The same as shares of 1. */
  readonly shares: readonly number[]
  readonly best: number
  readonly confidence: number
}

/** Cosines in the order of the candidates; undefined for one without a description, which has the least score that will do. */
export function descriptionScores(
  cosines: readonly (number | undefined)[],
  { temperature, minSimilarity }: { readonly temperature: number; readonly minSimilarity: number },
): DescriptionScores {
  const likeness = cosines.map((each) => (each === undefined ? minSimilarity : sigmoid(each / temperature)))
  const best = highestOf(likeness)
  const score = likeness[best] as number
  return {
    likeness,
    shares: softmax(likeness.map((value) => value / temperature)),
    best,
    confidence: score > 0.9 ? 0.95 : score,
  }
}

/** Of vectors of any length; 0 where one of them has none. Throws `invalid_model_output` for those of two models. */
export function cosine(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length)
    throw new RtrError(
      "invalid_model_output",
      `Cannot compare vectors of ${left.length} and ${right.length} numbers; the model must always give one width`,
    )
  let [product, a, b] = [0, 0, 0]
  for (let index = 0; index < left.length; index++) {
    const [x, y] = [left[index] as number, right[index] as number]
    product += x * y
    a += x * x
    b += y * y
  }
  return a * b > 0 ? product / Math.sqrt(a * b) : 0
}

export interface RouterDcBlock {
  readonly temperature?: number
  readonly min_similarity?: number
  readonly use_capabilities?: boolean
}

/** What the document leaves out. */
const usual = { temperature: 0.07, min_similarity: 0.3, use_capabilities: true }

export interface DescriptionScorer {
  readonly minSimilarity: number
  score(vector: Float32Array): DescriptionScores
}

/** Makes the vectors of the candidates' descriptions; the first block that has a value counts. */
export async function createDescriptionScorer(
  candidates: readonly Candidate[],
  blocks: readonly (RouterDcBlock | undefined)[],
  embedAll: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<DescriptionScorer> {
  const {
    temperature,
    min_similarity: minSimilarity,
    use_capabilities: withCapabilities,
  } = Object.assign({}, usual, ...blocks.toReversed()) as typeof usual
  const texts = candidates.map((candidate) => describe(candidate, withCapabilities))
  const said = [...new Set(texts.filter((text) => text !== ""))]
  const made = said.length === 0 ? [] : await embedAll(said)
  const vectors = texts.map((text) => (text === "" ? undefined : made[said.indexOf(text)]))
  return {
    minSimilarity,
    score: (vector) =>
      descriptionScores(
        vectors.map((each) => each && cosine(each, vector)),
        { temperature, minSimilarity },
      ),
  }
}
