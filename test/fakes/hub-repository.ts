// A repository for the fake hub: everything a package may have, and what no package needs.

import type { FakeRepository } from "./hub.ts"

export const commit = "0123456789abcdef0123456789abcdef01234567"

/** Weights that come from the second origin; not repeated, so that a part in the wrong place is noticed. */
export const weights: Buffer = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * index + index) >> 3))

export const needed: Readonly<Record<string, string | Buffer>> = {
  "README.md": "---\nlicense: apache-2.0\n---\n# A model\n",
  "config.json": '{"architectures":["BertModel"]}',
  "tokenizer.json": '{"model":{}}',
  "modules.json": '[{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]',
  "1_Pooling/config.json": '{"pooling_mode_mean_tokens":true}',
  "model.safetensors": weights,
}

export const repository: FakeRepository = {
  commit,
  revisions: ["v1.0", "refs/pr/1"],
  files: {
    ...needed,
    ".gitattributes": "*.bin filter=lfs",
    "pytorch_model.bin": "no",
    "modeling_custom.py": "raise SystemExit",
    "onnx/model.onnx": "graph",
    "openvino/openvino_model.bin": "no",
  },
}
