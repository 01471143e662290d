// Artefacts of `mlp`: a neural network, layer by layer.

import { checkWidth, type Predict, toNames, toNumbers, toRows } from "./trained.ts"

type Artefact = Readonly<Record<string, unknown>>
/** Values are float32, as in the training; sums are not. */
type Layer = (values: Float32Array) => Float32Array

/** The model of the highest output, the last of equals. */
export function readNetwork(artefact: Artefact): Predict {
  const names = toNames(artefact["model_names"], "model_names")
  const { feature_dim: width, layers: written } = artefact
  if (typeof width !== "number" || !(width > 0)) throw new TypeError("its feature_dim must be above 0")
  if (!Array.isArray(written)) throw new TypeError("its layers must be a list")
  const layers: Layer[] = []
  let size = width
  for (const entry of written as readonly Artefact[]) {
    const layer = readLayer(entry, size)
    layers.push(layer.run)
    size = layer.size
  }
  if (size !== names.length) throw new TypeError("its last layer must have one output for each of its model_names")
  return (features) => {
    checkWidth(features, width)
    const outputs = layers.reduce<Float32Array>((values, layer) => layer(values), Float32Array.from(features))
    let best = 0
    for (let index = 1; index < outputs.length; index++)
      if ((outputs[index] as number) >= (outputs[best] as number)) best = index
    return names[best] as string
  }
}

function readLayer(entry: Artefact, size: number): { readonly run: Layer; readonly size: number } {
  switch (entry["type"]) {
    case "linear":
      return readLinear(entry, size)
    case "batch_norm":
      return { run: readBatchNorm(entry, size), size }
    case "relu":
      return { run: (values) => values.map((value) => Math.max(0, value)), size }
    case "dropout":
      return { run: (values) => values, size }
    default:
      throw new TypeError("a layer must be linear, batch_norm, relu or dropout")
  }
}

function readLinear(entry: Artefact, size: number): { readonly run: Layer; readonly size: number } {
  const rows = toRows(entry["weight"], "weight", size).map((row) => Float32Array.from(row))
  const bias = Float32Array.from(toNumbers(entry["bias"] ?? rows.map(() => 0), "bias", rows.length))
  return {
    run: (values) =>
      Float32Array.from(rows, (row, output) => {
        let sum = 0
        for (let index = 0; index < row.length; index++) sum += (row[index] as number) * (values[index] as number)
        return Math.fround(sum) + (bias[output] as number)
      }),
    size: rows.length,
  }
}

function readBatchNorm(entry: Artefact, size: number): Layer {
  const vector = (key: string, usual: number): Float32Array =>
    Float32Array.from(toNumbers(entry[key] ?? Array.from({ length: size }, () => usual), key, size))
  const [scale, shift, mean] = [vector("weight", 1), vector("bias", 0), vector("running_mean", 0)]
  const epsilon = typeof entry["eps"] === "number" ? entry["eps"] : 1e-5
  const deviation = vector("running_var", 1).map((variance) => Math.sqrt(variance + epsilon))
  return (values) =>
    values.map(
      (value, index) =>
        ((value - (mean[index] as number)) / (deviation[index] as number)) * (scale[index] as number) +
        (shift[index] as number),
    )
}
