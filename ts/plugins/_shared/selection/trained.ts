// Selectors whose choice was learned beforehand: an artefact is read once, and names a model for each text.

import {
  type Candidate,
  type Choice,
  type Log,
  RtrError,
  type SelectorReader,
  type SignalInput,
} from "../../../kernel/index.ts"
import { findBuiltin, readBytes, readText } from "./artefact-files.ts"
import type { ModelSelection } from "./model-selection.ts"
import { createPredictedSelector } from "./predicted.ts"
import { readPredictor, settingsFile } from "./quality-predictor.ts"

/** Names the model for a vector of features. Throws for one of another length. */
export type Predict = (features: Float64Array) => string

export type TrainedKind = "knn" | "kmeans" | "svm" | "mlp"

export interface TrainedHost {
  readonly candidates: readonly Candidate[]
  readonly settings: ModelSelection
  readonly log: Log
  embedAll(texts: readonly string[]): Promise<readonly Float32Array[]>
}

const usualFolder = ".cache/ml-models"

/**
 * Reads the artefact of a kind, or a folder with `selection.json`, the built-in one where the document names no file and the usual
 * one is not there. What is missing or cannot be used is told in the log, and every request gets the first candidate: a document
 * may be written before its models are trained.
 */
export async function createTrainedSelector(
  kind: TrainedKind,
  parse: (artefact: Readonly<Record<string, unknown>>) => Predict,
  host: TrainedHost,
): Promise<SelectorReader<"inference.embed">> {
  const { ml = {} } = host.settings
  const named = ml[kind]?.pretrained_path ?? (ml.models_path && `${ml.models_path}/${kind}_model.json`)
  let path = named ?? `${usualFolder}/${kind}_model.json`
  try {
    const artefact =
      named?.endsWith(".json") === false ? undefined : await readArtefact(path, kind, named === undefined)
    if (artefact !== undefined) return createArtefactSelector({ kind, path, predict: parse(artefact) }, host)
    const folder = named ?? (await findBuiltin("models/selection"))
    if (folder === undefined) throw new TypeError("there is no such file, and no built-in predictor")
    path = `${folder}/${settingsFile}`
    return await createPredictedSelector(await readPredictor((file) => readBytes(`${folder}/${file}`)), host)
  } catch (error) {
    host.log("warning", "selector_artefact_unusable", { selector: kind, path, reason: whyNot(error) })
    return {
      async select() {
        throw new RtrError("not_ready", `Cannot choose by ${kind}: ${path} cannot be used`)
      },
    }
  }
}

/** Undefined where the file is not there and need not be. */
async function readArtefact(
  path: string,
  kind: TrainedKind,
  mayLack: boolean,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readText(path).catch((error: unknown) => {
    if (mayLack && (error as { readonly code?: string }).code === "ENOENT") return undefined
    throw error
  })
  return text === undefined ? undefined : checked(JSON.parse(text) as unknown, kind)
}

function createArtefactSelector(
  { kind, path, predict }: { readonly kind: TrainedKind; readonly path: string; readonly predict: Predict },
  { candidates }: TrainedHost,
): SelectorReader<"inference.embed"> {
  const names = candidates.map(({ model }) => model)
  return {
    async select(input, { embed }): Promise<Choice> {
      const predicted = predict(toFeatures(await embed(input.text), domainOf(input)))
      const candidate = names.indexOf(predicted)
      if (candidate < 0)
        throw new RtrError("invalid_model_output", `The artefact ${path} predicts a model that is no candidate`)
      return { candidate, confidence: predictedConfidence, reason: `${kind} predicts it for such texts` }
    },
  }
}

/** What the format reports of each prediction; the artefacts tell none. */
const predictedConfidence = 0.8

function checked(artefact: unknown, kind: TrainedKind): Readonly<Record<string, unknown>> {
  const { algorithm, trained } = (artefact ?? {}) as Readonly<Record<string, unknown>>
  if (algorithm !== kind) throw new TypeError(`its algorithm is not ${kind}`)
  if (trained !== true) throw new TypeError("it is not trained")
  return artefact as Readonly<Record<string, unknown>>
}

function whyNot(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  if (code === "ENOENT") return "there is no such file"
  return error instanceof SyntaxError ? "it is no JSON" : (code ?? message ?? "it cannot be read")
}

/** In the order in which artefacts have been trained. */
const domains = [
  "math",
  "physics",
  "chemistry",
  "biology",
  "computer science",
  "history",
  "economics",
  "business",
  "law",
  "health",
  "psychology",
  "philosophy",
  "other",
  "unknown",
]

/** The vector of the text, and behind it a 1 at the place of its domain; a domain that is not listed counts as `other`. */
export function toFeatures(vector: Float32Array, domain: string | undefined): Float64Array {
  const features = new Float64Array(vector.length + domains.length)
  features.set(vector)
  const place = domains.indexOf(domain ?? "other")
  features[vector.length + (place < 0 ? domains.indexOf("other") : place)] = 1
  return features
}

/** The domain rule that the text matches best. */
function domainOf({ factsOf }: Pick<SignalInput, "factsOf">): string | undefined {
  const matched = factsOf("domain").filter(({ state }) => state === "match")
  const best = matched.toSorted((a, b) => b.confidence - a.confidence)[0]
  return best?.rule.toLowerCase().replaceAll(/[_-]/g, " ")
}

// ── reading artefacts ──

/** A list of finite numbers. */
export function toNumbers(value: unknown, what: string, length?: number): Float64Array {
  const isList = Array.isArray(value) && value.every((item) => Number.isFinite(item))
  if (!isList || (length !== undefined && value.length !== length))
    throw new TypeError(`its ${what} must be ${length ?? "a list of"} numbers`)
  return Float64Array.from(value as readonly number[])
}

/** Rows of finite numbers, equally long; at least one. */
export function toRows(value: unknown, what: string, width?: number): readonly Float64Array[] {
  if (!Array.isArray(value) || value.length === 0) throw new TypeError(`its ${what} must be rows of numbers`)
  const first = toNumbers(value[0], what, width)
  return [first, ...value.slice(1).map((row) => toNumbers(row, what, first.length))]
}

export function toNames(value: unknown, what: string, length?: number): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")
  if (!isList || (length !== undefined && value.length !== length))
    throw new TypeError(`its ${what} must be ${length ?? "a list of"} names`)
  return value as readonly string[]
}

export function checkWidth(features: Float64Array, width: number): void {
  if (features.length !== width)
    throw new RtrError(
      "invalid_model_output",
      `The artefact was trained on ${width} features, and the text has ${features.length}; bind another embedding deployment`,
    )
}

export function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += ((a[index] as number) - (b[index] as number)) ** 2
  return sum
}

export function dotProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number)
  return sum
}

/** With length 1; a vector of zeros stays one. */
export function normalized(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dotProduct(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : vector
}
