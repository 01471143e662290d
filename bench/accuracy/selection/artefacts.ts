// Artefacts of the trained selectors for each weight of the cost, learned from the training subjects alone.

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toFeatures } from "../../../ts/plugins/_shared/selection/trained.ts"
import { fitGroups, fitLinear, fitNetwork, hinge, logistic, type Layer, meanOf, type Training } from "./fit.ts"
import type { Model, Outcomes, Question } from "./outcomes.ts"

/** Chance of a right answer that is given up to save a dollar in a thousand calls. */
export const costWeights = [0, 0.5, 1, 1.5, 2, 3, 5, 10] as const

/** `num_clusters` and `k` when a document leaves them out. */
const usual = { groups: 8, neighbours: 5 }
const penalty = { linear: 1e-3, machine: 1e-3, network: 1e-4 }

/** A folder with the four artefacts; `costWeight` counts in all of them. */
export type Artefacts = (costWeight: number) => string

export interface Fitted {
  /** A folder with `selection.json`, which takes the weight of the cost from the document. */
  readonly predictor: string
  readonly artefacts: Artefacts
}

/** Learns once; the folders are written when they are asked for. */
export function fitArtefacts(
  { models }: Outcomes,
  training: readonly Question[],
  { vectorOf, folder, probe }: { vectorOf: (text: string) => Float32Array; folder: string; probe: object },
): Fitted {
  const names = models.map(({ name }) => name)
  const right = training.map((question) => question.right)
  const vectors = training.map(({ text }) => vectorOf(text))
  // Without a domain signal in the document every text has the same domain.
  const features = vectors.map((vector) => toFeatures(vector, undefined))
  const plain = features.map((row) => Float32Array.from(row))
  const unit = plain.map((row) => row.map((value) => value / Math.SQRT2))
  const costs = names.map((_, model) => meanOf(training.map((question) => question.costs[model] as number)))

  const machine = fitLinear({ vectors: unit, right }, hinge, penalty.machine)
  const network = fitNetwork({ vectors: plain, right }, penalty.network)
  const { centres, group } = fitGroups(plain, usual.groups)
  const predictor = join(folder, "predictor")
  writePredictor(predictor, models, fitLinear({ vectors, right } satisfies Training, logistic, penalty.linear), probe)

  const bestFor = (rows: readonly Question[], costWeight: number): number => {
    const worth = names.map(
      (_, model) =>
        meanOf(rows.map((row) => Number(row.right[model]) - costWeight * (row.costs[model] as number))) -
        // Of equals the cheapest.
        1e-6 * (costs[model] as number),
    )
    return worth.indexOf(Math.max(...worth))
  }
  const artefacts = (costWeight: number): string => {
    const at = join(folder, `cost-${costWeight}`)
    mkdirSync(at, { recursive: true })
    const write = (algorithm: string, artefact: object): void =>
      writeFileSync(join(at, `${algorithm}_model.json`), JSON.stringify({ algorithm, trained: true, ...artefact }))
    const best = training.map((question) => bestFor([question], costWeight))
    write("knn", {
      k: usual.neighbours,
      embeddings: features.map(rounded),
      labels: best.map((model) => names[model]),
      qualities: best.map((model, row) => Number(right[row]?.[model])),
    })
    write("kmeans", {
      centroids: centres.map(rounded),
      cluster_models: centres.map((_, index) => {
        const members = training.filter((_question, row) => group[row] === index)
        return names[members.length === 0 ? 0 : bestFor(members, costWeight)]
      }),
    })
    write("svm", {
      model_names: names,
      kernel_type: "Linear",
      gamma: 1,
      // Margins lie on a scale from -1 to 1, chances from 0 to 1.
      linear_classifiers: names.map((name, model) => ({
        model_name: name,
        weights: rounded(machine.weight[model] as Float64Array),
        rho: 2 * costWeight * (costs[model] as number) - (machine.bias[model] as number),
      })),
    })
    const { hidden, output } = network
    const bias = output.bias.map((value, model) => value - costWeight * (costs[model] as number))
    write("mlp", {
      model_names: names,
      feature_dim: plain[0]?.length,
      layers: [layerOf(hidden), { type: "relu" }, layerOf({ weight: output.weight, bias })],
    })
    return at
  }
  return { predictor, artefacts }
}

const rounded = (row: Float64Array): readonly number[] => Array.from(row, (value) => Number(value.toFixed(6)))

const layerOf = ({ weight, bias }: Layer) => ({ type: "linear", weight: weight.map(rounded), bias: rounded(bias) })

/** The form of `models/selection`, with weights in 32 bits. */
function writePredictor(folder: string, models: readonly Model[], { weight, bias }: Layer, vectors: object): void {
  const dimension = weight[0]?.length ?? 0
  const bytes = weight.length * dimension * 4
  const header = JSON.stringify({
    weight: { dtype: "F32", shape: [weight.length, dimension], data_offsets: [0, bytes] },
    bias: { dtype: "F32", shape: [bias.length], data_offsets: [bytes, bytes + bias.length * 4] },
  })
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(Buffer.byteLength(header)))
  const values = Float32Array.from([...weight.flatMap((row) => Array.from(row)), ...bias])
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "weights.safetensors"),
    Buffer.concat([size, Buffer.from(header), Buffer.from(values.buffer)]),
  )
  const settings = {
    schema: 1,
    kind: "linear",
    vectors,
    file: "weights.safetensors",
    weight: "weight",
    bias: "bias",
    models,
  }
  writeFileSync(join(folder, "selection.json"), JSON.stringify(settings))
}
