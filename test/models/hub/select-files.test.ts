import { expect, test } from "vitest"
import { selectDescription, selectWeights } from "../../../ts/models/hub/select-files.ts"

const weightsOf = (...files: readonly string[]): readonly string[] => selectWeights(files, { named: [] })

test("the description is small and holds no code", () => {
  expect(
    selectDescription([
      "config.json",
      "tokenizer.json",
      "LICENSE",
      "licence.md",
      "NOTICE.txt",
      "1_Pooling/config.json",
      "2_Dense/config.json",
      "onnx/config.json",
      "modeling_x.py",
      "1_Pooling/run.py",
      "LICENSE/x",
      "vocab.txt",
      "image.png",
      "sub/README.md",
    ]),
  ).toEqual([
    "config.json",
    "tokenizer.json",
    "LICENSE",
    "licence.md",
    "NOTICE.txt",
    "1_Pooling/config.json",
    "2_Dense/config.json",
  ])
})

test.each([
  ["one file", ["model.safetensors", "pytorch_model.bin", "onnx/model.onnx"], ["model.safetensors"]],
  ["parts", ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"], 2],
  ["the whole and its parts", ["model.safetensors", "model-00001-of-00002.safetensors"], ["model.safetensors"]],
  ["heads and modules", ["heads.safetensors", "model.safetensors", "2_Dense/model.safetensors"], 3],
  ["other folders", ["model.safetensors", "fp16/model.safetensors"], ["model.safetensors"]],
  ["a module's weights only", ["0_StaticEmbedding/model.safetensors"], 1],
  [
    "the plain graph",
    ["onnx/model.onnx", "onnx/model.onnx_data", "onnx/model_fp16.onnx", "onnx/model_fp16.onnx_data"],
    ["onnx/model.onnx", "onnx/model.onnx_data"],
  ],
  ["graphs of other names", ["onnx/a.onnx", "onnx/a.onnx.data", "onnx/b.onnx", "onnx/deep/c.onnx"], 3],
  [
    "an adapter",
    ["adapter_config.json", "adapter_model.safetensors", "model.safetensors"],
    ["adapter_model.safetensors"],
  ],
  ["nothing", ["pytorch_model.bin"], []],
] as const)("weights: %s", (_, files, expected) => {
  const found = weightsOf(...files)
  expect(found).toEqual(typeof expected === "number" ? files.slice(0, expected) : expected)
})

test("a manifest decides alone; named files come on top of what is found", () => {
  const files = ["model.safetensors", "heads/a.bin", "x.bin"]
  expect(selectWeights(files, { manifest: ["x.bin", "not-there"], named: ["heads/a.bin"] })).toEqual(["x.bin"])
  expect(selectWeights(files, { named: ["heads/a.bin", "../x"] })).toEqual(["model.safetensors", "heads/a.bin"])
})
