// The graph of the embedded package as somebody would run it without the worker: BERT's layers in 32 bits with the fused
// operators of ONNX Runtime, and what the heads read as its outputs.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readTensors, type Tensor } from "../inference/packages/safetensors.ts"
import { type GraphNode, onnxModel } from "./onnx-file.ts"

interface Config {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

interface Settings {
  readonly heads_layer?: number
  readonly heads_own_layers?: number
  readonly heads_mean_layers?: readonly number[]
}

export interface BareGraph {
  readonly model: Uint8Array
  /** The last one is what heads over single tokens read. */
  readonly outputs: readonly string[]
  /** Of the whole encoder. */
  readonly last: string
  readonly width: number
}

const fused = "com.microsoft"

export function bareGraph(folder: string): BareGraph {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"))
  const { hidden_size: width, num_attention_heads: heads, ...config } = json("config.json") as Config
  const settings = json("rtrun.json") as Settings
  const { heads_layer: branch = config.num_hidden_layers, heads_own_layers: own = 0 } = settings
  const epsilon = { epsilon: { float: config.layer_norm_eps } }
  const tensors = readTensors(join(folder, "model.safetensors"))
  const weights = new Map<string, Tensor>()
  const nodes: GraphNode[] = []
  const tensor = (name: string): Tensor => {
    const found = tensors.get(name)
    if (found === undefined) throw new Error(`Cannot build the bare graph: ${folder} has no tensor "${name}"`)
    return found
  }
  const keep = (name: string, value: Tensor = tensor(name)): string => {
    weights.set(name, value)
    return name
  }
  const norm = (module: string): readonly [string, string] => [keep(`${module}.weight`), keep(`${module}.bias`)]
  const product = (input: string, module: string): string => {
    const weight = keep(`${module}.weight`, transposed(tensor(`${module}.weight`)))
    nodes.push({ operator: "MatMul", inputs: [input, weight], outputs: [`${module}.product`] })
    return `${module}.product`
  }
  const layer = (input: string, at: string): string => {
    const projections = ["query", "key", "value"].map((name) => `${at}.attention.self.${name}`)
    const weight = keep(`${at}.qkv.weight`, beside(projections.map((name) => transposed(tensor(`${name}.weight`)))))
    const bias = keep(`${at}.qkv.bias`, beside(projections.map((name) => tensor(`${name}.bias`))))
    const attended = `${at}.attended`
    nodes.push({
      operator: "Attention",
      domain: fused,
      inputs: [input, weight, bias],
      outputs: [attended],
      attributes: { num_heads: heads },
    })
    const sum = (first: string, second: string, module: string): string => {
      const inputs = [first, second, ...norm(`${module}.LayerNorm`), keep(`${module}.dense.bias`)]
      const outputs = [`${module}.normalized`]
      nodes.push({ operator: "SkipLayerNormalization", domain: fused, inputs, outputs, attributes: epsilon })
      return `${module}.normalized`
    }
    const middle = sum(product(attended, `${at}.attention.output.dense`), input, `${at}.attention.output`)
    const wide = product(middle, `${at}.intermediate.dense`)
    const inputs = [wide, keep(`${at}.intermediate.dense.bias`)]
    nodes.push({ operator: "BiasGelu", domain: fused, inputs, outputs: [`${at}.wide`] })
    return sum(product(`${at}.wide`, `${at}.output.dense`), middle, `${at}.output`)
  }

  const tables = ["word", "position", "token_type"].map((name) => keep(`embeddings.${name}_embeddings.weight`))
  nodes.push({
    operator: "EmbedLayerNormalization",
    domain: fused,
    inputs: ["input_ids", "token_type_ids", ...tables, ...norm("embeddings.LayerNorm")],
    outputs: ["embedded", "mask_index"],
    attributes: epsilon,
  })
  const layers = ["embedded"]
  for (let number = 0; number < config.num_hidden_layers; number++)
    layers.push(layer(layers[number] ?? "", `encoder.layer.${number}`))
  const last = layers.at(-1) ?? ""
  let ofHeads = layers[branch] ?? ""
  for (let number = 0; number < own; number++) ofHeads = layer(ofHeads, `heads_encoder.layer.${number}`)
  const read = [...(settings.heads_mean_layers ?? []).map((number) => layers[number] ?? ""), last, ofHeads]
  const outputs = [...new Set(read)]
  const inputs = ["input_ids", "token_type_ids"]
  return { model: onnxModel({ nodes, weights, inputs, outputs, width }), outputs, last, width }
}

function transposed({ shape: [rows = 0, columns = 0], values }: Tensor): Tensor {
  const turned = new Float32Array(values.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column] ?? 0
  return { shape: [columns, rows], values: turned }
}

/** Matrices of the same height as one wide one; vectors one behind the other. */
function beside(parts: readonly Tensor[]): Tensor {
  const columns = parts.map(({ shape }) => shape.at(-1) ?? 0)
  const width = columns.reduce((sum, one) => sum + one, 0)
  const rows = (parts[0]?.values.length ?? 0) / (columns[0] ?? 1)
  const values = new Float32Array(rows * width)
  for (let row = 0; row < rows; row++) {
    let at = row * width
    parts.forEach((part, index) => {
      const size = columns[index] ?? 0
      values.set(part.values.subarray(row * size, (row + 1) * size), at)
      at += size
    })
  }
  return { shape: [...(parts[0]?.shape.slice(0, -1) ?? []), width], values }
}
