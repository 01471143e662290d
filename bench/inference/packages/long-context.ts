// A small model that reads 8,192 tokens at once: ModernBERT's layers with seeded weights, since only the work counts.

import { cpSync } from "node:fs"
import { join } from "node:path"
import { packageFolder } from "../worker.ts"
import { makePackage, width, writeJson } from "./package-folder.ts"
import { type Tensor, writeTensors } from "./safetensors.ts"
import { createSeededWeights } from "./seeded-weights.ts"

export const longestTokens = 8192

const words = 30_522
const layers = 6
const wide = 576

/** Returns the package's folder. Its words are those of the embedded package. */
export function longContextPackage(cache: string): string {
  return makePackage(cache, "long-context", (folder) => {
    cpSync(join(packageFolder, "tokenizer.json"), join(folder, "tokenizer.json"))
    writeJson(join(folder, "config.json"), {
      architectures: ["ModernBertModel"],
      model_type: "modernbert",
      vocab_size: words,
      hidden_size: width,
      intermediate_size: wide,
      num_hidden_layers: layers,
      num_attention_heads: 6,
      hidden_activation: "gelu",
      max_position_embeddings: longestTokens,
      norm_eps: 1e-5,
      norm_bias: false,
      attention_bias: false,
      mlp_bias: false,
      // As in the published models: every third layer sees everything, the others a window.
      global_attn_every_n_layers: 3,
      local_attention: 128,
      global_rope_theta: 160_000,
      local_rope_theta: 10_000,
      pad_token_id: 0,
      cls_token_id: 101,
      sep_token_id: 102,
    })
    writeJson(join(folder, "rtrun.json"), {
      schema: 1,
      family: "embeddings",
      max_tokens: longestTokens,
      pooling: "mean",
      normalize: true,
    })
    writeTensors(join(folder, "model.safetensors"), encoder())
  })
}

function encoder(): ReadonlyMap<string, Tensor> {
  const weights = createSeededWeights(4)
  const tensors = new Map<string, Tensor>([
    ["embeddings.tok_embeddings.weight", weights.noise(words, width)],
    ["embeddings.norm.weight", weights.ones(width)],
    ["final_norm.weight", weights.ones(width)],
  ])
  for (let layer = 0; layer < layers; layer++) {
    const at = `layers.${layer}`
    // The embeddings are normalized already when the first layer reads them.
    if (layer > 0) tensors.set(`${at}.attn_norm.weight`, weights.ones(width))
    tensors
      .set(`${at}.attn.Wqkv.weight`, weights.noise(3 * width, width))
      .set(`${at}.attn.Wo.weight`, weights.noise(width, width))
      .set(`${at}.mlp_norm.weight`, weights.ones(width))
      .set(`${at}.mlp.Wi.weight`, weights.noise(2 * wide, width))
      .set(`${at}.mlp.Wo.weight`, weights.noise(width, wide))
  }
  return tensors
}
