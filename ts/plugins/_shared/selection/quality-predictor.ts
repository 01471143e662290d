// Folders with `selection.json`: the chance that each of some measured models answers a text rightly, from the text's vector.

import { readTensor } from "./safetensors.ts"
import { sigmoid } from "./scores.ts"

export interface MeasuredModel {
  readonly name: string
  /** Dollars for a million tokens when the models were measured. */
  readonly prompt_per_1m: number
  readonly completion_per_1m: number
  /** What it writes to answer one question. */
  readonly mean_completion_tokens: number
}

export interface Predictor {
  readonly models: readonly MeasuredModel[]
  readonly dimension: number
  /** The package whose vectors it reads, and the first numbers of the vector of a text, by which they are known again. */
  readonly vectors: {
    readonly package: string
    readonly probe: { readonly text: string; readonly first: readonly number[] }
  }
  /** In the order of `models`. */
  chances(vector: Float32Array): readonly number[]
}

interface Settings extends Pick<Predictor, "models"> {
  readonly schema: number
  readonly kind: string
  readonly vectors: Predictor["vectors"] & { readonly dimension: number }
  readonly file: string
  readonly weight: string
  readonly bias: string
}

export const settingsFile = "selection.json"

/** `readBytes` reads a file of the folder. Throws a `TypeError` that says what is wrong with it. */
export async function readPredictor(readBytes: (file: string) => Promise<Uint8Array>): Promise<Predictor> {
  const settings = JSON.parse(new TextDecoder().decode(await readBytes(settingsFile))) as Settings
  if (settings.schema !== 1 || settings.kind !== "linear")
    throw new TypeError("its schema must be 1 and its kind linear")
  const { models, vectors } = settings
  const { dimension } = vectors
  if (!/^[\w.-]+$/.test(settings.file)) throw new TypeError("its file must stand beside it")
  const file = await readBytes(settings.file)
  const weight = readTensor(file, settings.weight)
  const bias = readTensor(file, settings.bias)
  if (weight.shape.join("x") !== `${models.length}x${dimension}` || bias.shape.join("x") !== String(models.length))
    throw new TypeError("its models, dimension and weights do not fit together")
  if (!Array.isArray(vectors.probe?.first)) throw new TypeError("its vectors have no probe")
  return {
    models,
    dimension,
    vectors,
    chances: (vector) =>
      models.map((_, model) => {
        let sum = bias.values[model] as number
        for (let index = 0; index < dimension; index++)
          sum += (weight.values[model * dimension + index] as number) * (vector[index] as number)
        return sigmoid(sum)
      }),
  }
}

/** Vectors of 8-bit weights differ by some thousandths from those of the training, those of another model by far more. */
const probeTolerance = 0.02

export const isProbed = ({ dimension, vectors }: Predictor, vector: Float32Array): boolean =>
  vector.length === dimension &&
  vectors.probe.first.every((value, index) => Math.abs(value - (vector[index] as number)) <= probeTolerance)

/** The measured model of a name: without regard to case, publisher, and how the parts of a version are divided. */
export function findMeasured(models: readonly MeasuredModel[], name: string): number {
  const wanted = plainName(name)
  return models.findIndex((model) => plainName(model.name) === wanted)
}

const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^.*\//, "")
    .replaceAll(/[._:]/g, "-")
    .replace(/^meta-/, "")

/** Dollars for a thousand calls. */
export const costOfThousand = (
  tokens: number,
  { promptPer1m, completionPer1m }: { readonly promptPer1m: number; readonly completionPer1m: number },
  completionTokens: number,
): number => (tokens * promptPer1m + completionTokens * completionPer1m) / 1000
