// Artefacts of `svm`: support vector machines over pairs of models, or of each model against the rest.

import { highestOf } from "./scores.ts"
import {
  checkWidth,
  dotProduct,
  normalized,
  type Predict,
  squaredDistance,
  toNames,
  toNumbers,
  toRows,
} from "./trained.ts"

type Artefact = Readonly<Record<string, unknown>>

/** One machine for each pair of models where the artefact has `svc`, otherwise one for each model. */
export function readMachine(artefact: Artefact): Predict {
  const names = toNames(artefact["model_names"], "model_names")
  const kernel = artefact["kernel_type"]
  const gamma = artefact["gamma"]
  if (kernel !== "Linear" && kernel !== "Rbf") throw new TypeError("its kernel_type must be Linear or Rbf")
  if (typeof gamma !== "number" || !(gamma > 0)) throw new TypeError("its gamma must be above 0")
  // Older exports have the pairs' parameters at the top.
  const pairs = (artefact["svc"] ?? (artefact["support_vectors"] === undefined ? undefined : artefact)) as
    | Artefact
    | undefined
  return pairs === undefined ? readEach(artefact, names) : readPairs(pairs, names, kernel === "Rbf" ? gamma : undefined)
}

/** scikit-learn's layout: the vectors of one model after those of another, `dual_coef[j - 1]` and `[i]` for the pair (i, j). */
function readPairs(parameters: Artefact, names: readonly string[], gamma: number | undefined): Predict {
  const vectors = toRows(parameters["support_vectors"], "support_vectors")
  const counts = toNumbers(parameters["n_support"], "n_support", names.length)
  const weights = toRows(parameters["dual_coef"], "dual_coef", vectors.length)
  const intercepts = toNumbers(parameters["intercept"], "intercept", (names.length * (names.length - 1)) / 2)
  const starts = [0]
  for (const count of counts) starts.push((starts.at(-1) as number) + count)
  if (starts.at(-1) !== vectors.length || weights.length !== names.length - 1)
    throw new TypeError("its support_vectors, n_support and dual_coef do not fit together")
  const width = vectors[0]?.length ?? 0
  // Of two models, scikit-learn turns the signs around.
  const sign = names.length === 2 ? -1 : 1
  return (features) => {
    checkWidth(features, width)
    const likeness = vectors.map((vector) =>
      gamma === undefined ? dotProduct(vector, features) : Math.exp(-gamma * squaredDistance(vector, features)),
    )
    const part = (row: Float64Array | undefined, model: number): number => {
      let sum = 0
      for (let index = starts[model] as number; index < (starts[model + 1] as number); index++)
        sum += (row?.[index] as number) * (likeness[index] as number)
      return sum
    }
    const votes = names.map(() => 0)
    let pair = 0
    for (let i = 0; i < names.length; i++)
      for (let j = i + 1; j < names.length; j++) {
        const score = part(weights[j - 1], i) + part(weights[i], j) + (intercepts[pair++] as number)
        const winner = sign * score > 0 ? i : j
        votes[winner] = (votes[winner] as number) + 1
      }
    return names[highestOf(votes)] as string
  }
}

/** Each model against the rest, over vectors of length 1. */
function readEach(artefact: Artefact, names: readonly string[]): Predict {
  const linear = ((artefact["linear_classifiers"] ?? []) as readonly Artefact[]).map((entry) => {
    const weights = toNumbers(entry["weights"], "weights")
    return {
      ...common(entry, names),
      width: weights.length,
      score: (asked: Float64Array) => dotProduct(weights, asked),
    }
  })
  const radial = ((artefact["rbf_classifiers"] ?? []) as readonly Artefact[]).map((entry) => {
    const vectors = toRows(entry["support_vectors"], "support_vectors")
    const alpha = toNumbers(entry["alpha"], "alpha", vectors.length)
    const [gamma] = toNumbers([entry["gamma"]], "gamma", 1)
    const score = (asked: Float64Array): number =>
      vectors.reduce(
        (sum, vector, index) =>
          sum + (alpha[index] as number) * Math.exp(-(gamma as number) * squaredDistance(vector, asked)),
        0,
      )
    return { ...common(entry, names), width: vectors[0]?.length ?? 0, score }
  })
  const classifiers = [...linear, ...radial]
  if (classifiers.length === 0) throw new TypeError("it has no svc, linear_classifiers or rbf_classifiers")
  return (features) => {
    for (const { width } of classifiers) checkWidth(features, width)
    const asked = normalized(features)
    return classifiers[highestOf(classifiers.map(({ score, rho }) => score(asked) - rho))]?.name as string
  }
}

function common(entry: Artefact, names: readonly string[]): { readonly name: string; readonly rho: number } {
  const [rho] = toNumbers([entry["rho"]], "rho", 1)
  const name = String(entry["model_name"])
  if (!names.includes(name)) throw new TypeError("a classifier is of no model in its model_names")
  return { name, rho: rho as number }
}
