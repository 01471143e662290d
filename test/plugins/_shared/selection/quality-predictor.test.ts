import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Candidate } from "rtr"
import { selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import { findMeasured, readPredictor } from "../../../../ts/plugins/_shared/selection/quality-predictor.ts"
import { readTensor } from "../../../../ts/plugins/_shared/selection/safetensors.ts"
import knn from "../../../../ts/plugins/selectors/knn.ts"
import kmeans from "../../../../ts/plugins/selectors/kmeans.ts"
import mlp from "../../../../ts/plugins/selectors/mlp.ts"
import svm from "../../../../ts/plugins/selectors/svm.ts"

const shipped = join(import.meta.dirname, "../../../../models/selection")

/** A file with a weight of 2 × 2 in F16 and a bias of 2 in F32. */
function weightsFile(): Uint8Array {
  const header = new TextEncoder().encode(
    JSON.stringify({
      weight: { dtype: "F16", shape: [2, 2], data_offsets: [0, 8] },
      bias: { dtype: "F32", shape: [2], data_offsets: [8, 16] },
    }),
  )
  const file = new Uint8Array(8 + header.length + 16)
  const view = new DataView(file.buffer)
  view.setBigUint64(0, BigInt(header.length), true)
  file.set(header, 8)
  const data = 8 + header.length
  // 1, -2, 0.5, 2^-24 (the least number of all); 0 and ln 3.
  for (const [index, bits] of [0x3c00, 0xc000, 0x3800, 0x0001].entries()) view.setUint16(data + index * 2, bits, true)
  view.setFloat32(data + 12, Math.log(3), true)
  return file
}

const probe = { text: "What is it?", first: [0.6, 0.8] }
const models = [
  { name: "Meta-Llama-3_1-8B-Instruct", prompt_per_1m: 1, completion_per_1m: 2, mean_completion_tokens: 100 },
  { name: "big", prompt_per_1m: 10, completion_per_1m: 20, mean_completion_tokens: 50 },
]
const settings = {
  schema: 1,
  kind: "linear",
  vectors: { package: "signals", dimension: 2, probe },
  file: "weights.safetensors",
  weight: "weight",
  bias: "bias",
  models,
}

function folderWith(changes: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "rtr-predictor-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "selection.json"), JSON.stringify({ ...settings, ...changes }))
  writeFileSync(join(folder, "weights.safetensors"), weightsFile())
  return folder
}

const candidate = (model: string, price?: number): Candidate => ({
  model,
  score: 1,
  card: undefined,
  pricing:
    price === undefined
      ? undefined
      : { currency: "USD", promptPer1m: price, completionPer1m: price, cachedInputPer1m: price },
})

/** The probe has the vector that it must have, every other text [1, 0]. */
const embed = (text: string): readonly number[] => (text === probe.text ? probe.first : [1, 0])

async function open(ml: object, candidates: readonly Candidate[], selector: unknown = knn, vectors = embed) {
  const logged: unknown[] = []
  const host = { log: (...given: readonly unknown[]) => logged.push(given) }
  const options = { settings: { ml }, host, inference: { embed: vectors } }
  return { reader: await selectorReaderOf(selector as typeof knn, options, candidates), logged }
}

test("float16 and float32 are read as they were written", () => {
  const file = weightsFile()
  expect(readTensor(file, "weight")).toEqual({ shape: [2, 2], values: Float64Array.of(1, -2, 0.5, 2 ** -24) })
  expect(readTensor(file, "bias").values[1]).toBeCloseTo(Math.log(3), 6)
  expect(() => readTensor(file, "other")).toThrow("no tensor other")
  expect(() => readTensor(file.subarray(0, -1), "bias")).toThrow("cut off")
  expect(() => readTensor(new Uint8Array(4), "bias")).toThrow("no safetensors file")
})

test("a chance is the sigmoid of weight times vector and bias", async () => {
  const folder = folderWith()
  const { chances } = await readPredictor(async (file) => readFileSync(join(folder, file)))
  // 1 · 1 + 0 = 1: 1 / (1 + e^-1) = 0.7311; 0.5 + ln 3: 1 / (1 + e^-0.5 / 3) = 0.8318.
  const found = chances(Float32Array.of(1, 0))
  expect(found.map((chance) => chance.toFixed(4))).toEqual(["0.7311", "0.8318"])
})

test("the shipped predictor is whole", async () => {
  const { models: measured, dimension } = await readPredictor(async (file) => readFileSync(join(shipped, file)))
  expect([measured.length, dimension]).toEqual([27, 384])
})

test("names differ in case, publisher and the signs of a version, and in nothing else", () => {
  const find = (name: string): number => findMeasured(models, name)
  expect(["meta-llama/Llama-3.1-8B-Instruct", "llama-3-1-8b-instruct", "BIG"].map(find)).toEqual([0, 0, 1])
  expect(["llama-3.1-8b", "llama-3.2-8b-instruct", "bigger", ""].map(find)).toEqual([-1, -1, -1, -1])
})

test.each([
  ["knn", knn],
  ["kmeans", kmeans],
  ["svm", svm],
  ["mlp", mlp],
])("%s takes a folder with selection.json", async (kind, selector) => {
  const folder = folderWith()
  const candidates = [candidate("llama-3.1-8b-instruct", 1), candidate("big", 10)]
  const choose = async (ml: object): Promise<number> => {
    const { reader, logged } = await open({ [kind]: { pretrained_path: folder }, ...ml }, candidates, selector)
    expect(logged).toEqual([])
    return (await reader.select(signalInput("x".repeat(4000), []))).candidate
  }
  // A thousand tokens and the replies cost 1.1 and 10.5 dollars for a thousand calls, the chances differ by 0.1007:
  // 0.1007 / 9.4 = 0.01071 is where the cheap one becomes better.
  expect(await choose({})).toBe(1)
  expect(await choose({ cost_weight: 0.0107 })).toBe(1)
  expect(await choose({ cost_weight: 0.0108 })).toBe(0)
})

describe("candidates", () => {
  test("measured_as names what a model was measured as, and prices of the predictor count where the document has none", async () => {
    const measured = { small: "Meta-Llama-3_1-8B-Instruct", large: "big" }
    const ml = { knn: { pretrained_path: folderWith() }, measured_as: measured, cost_weight: 0.0108 }
    const { reader } = await open(ml, [candidate("large"), candidate("small")])
    // Without prompt: 0.2 and 1 dollar; 0.8318 - 0.0108 and 0.7311 - 0.0108 · 0.2.
    const { candidate: chosen, scores = [] } = await reader.select(signalInput("", []))
    expect([chosen, ...scores.map((score) => score.toFixed(4))]).toEqual([0, "0.8210", "0.7289"])
    const dearer = await open({ ...ml, cost_weight: 0.2 }, [candidate("large"), candidate("small")])
    expect(await dearer.reader.select(signalInput("", []))).toMatchObject({ candidate: 1 })
  })

  test("one that was not measured is told and never chosen", async () => {
    const { reader, logged } = await open({ knn: { pretrained_path: folderWith() } }, [
      candidate("new"),
      candidate("big"),
    ])
    expect(logged).toEqual([["warning", "selector_candidates_unmeasured", { models: "new" }]])
    expect(await reader.select(signalInput("x"))).not.toHaveProperty("scores")
    expect((await reader.select(signalInput("x"))).candidate).toBe(1)
  })
})

describe("what cannot choose is told, and the kernel takes the first candidate", () => {
  const reasonOf = async (ml: object, vectors = embed): Promise<unknown> => {
    const { reader, logged } = await open(ml, [candidate("small"), candidate("big")], knn, vectors)
    await expect(Promise.resolve(reader.select(signalInput("x")))).rejects.toMatchObject({ code: "not_ready" })
    return (logged as readonly (readonly unknown[])[]).map(([, event, fields]) => [
      event,
      (fields as { reason: string }).reason,
    ])
  }
  const unusable = (reason: string) => [["selector_artefact_unusable", expect.stringContaining(reason)]]

  test("the built-in predictor, which has measured none of these models", async () => {
    expect(await reasonOf({})).toEqual(unusable("none of the candidates is among the models"))
  })

  test("vectors of another model", async () => {
    const ml = { knn: { pretrained_path: folderWith() } }
    expect(await reasonOf(ml, () => [1, 0])).toEqual(unusable("vectors of the package signals"))
    expect(await reasonOf(ml, () => [1, 0, 0])).toEqual(unusable("vectors of the package signals"))
  })

  test("a folder that is none, of another kind, or with weights elsewhere", async () => {
    const at = (changes: object) => ({ knn: { pretrained_path: folderWith(changes) } })
    expect(await reasonOf({ knn: { pretrained_path: "/nowhere" } })).toEqual(unusable("there is no such file"))
    expect(await reasonOf(at({ kind: "cubic" }))).toEqual(unusable("its kind linear"))
    expect(await reasonOf(at({ file: "../weights.safetensors" }))).toEqual(unusable("must stand beside it"))
    expect(await reasonOf(at({ models: models.slice(1) }))).toEqual(unusable("do not fit together"))
    expect(await reasonOf(at({ vectors: { package: "signals", dimension: 2 } }))).toEqual(unusable("no probe"))
  })
})
