// Which files of a repository a package needs. Other formats of the same weights, code and pictures stay where they are.

const descriptions: ReadonlySet<string> = new Set([
  "README.md",
  "adapter_config.json",
  "config.json",
  "config_sentence_transformers.json",
  "golden.json",
  "manifest.json",
  "model.safetensors.index.json",
  "modules.json",
  "preprocessor_config.json",
  "processor_config.json",
  "rtrun.json",
  "sentence_bert_config.json",
  "special_tokens_map.json",
  "tokenizer.json",
  "tokenizer_config.json",
])

/** Folders of sentence-transformers modules, such as `1_Pooling`. */
const moduleFolder = /^\d+_\w+\//

/** The small files that say what a package is and what else it needs. */
export function selectDescription(files: readonly string[]): readonly string[] {
  return files.filter(
    (path) =>
      descriptions.has(path) ||
      /^(licen[cs]e|notice|copying)(\.\w+)?$/i.test(path) ||
      (moduleFolder.test(path) && path.endsWith(".json")),
  )
}

export interface PackageNeeds {
  /** Files that `manifest.json` lists; undefined without a manifest. */
  readonly manifest?: readonly string[] | undefined
  /** Files that `rtrun.json` names. */
  readonly named: readonly string[]
}

/** The weights, and whatever else the package's own files name. Files that the repository does not have are left out. */
export function selectWeights(files: readonly string[], needs: PackageNeeds): readonly string[] {
  const wanted = new Set(needs.manifest ?? [...findWeights(files), ...needs.named])
  return files.filter((path) => wanted.has(path))
}

function findWeights(files: readonly string[]): readonly string[] {
  if (files.includes("adapter_config.json")) return ["adapter_model.safetensors"]
  const isWhole = files.includes("model.safetensors")
  const safetensors = files.filter(
    (path) =>
      path.endsWith(".safetensors") &&
      (!path.includes("/") || moduleFolder.test(path)) &&
      // Both the whole and its parts: the parts are the same weights again.
      !(isWhole && /^model-\d+-of-\d+\.safetensors$/.test(path)),
  )
  return safetensors.length > 0 ? safetensors : findGraphs(files)
}

/** The plain ONNX graph with its data file; every graph when none has the plain name. */
function findGraphs(files: readonly string[]): readonly string[] {
  const isGraph = (path: string): boolean => /^(onnx\/)?[^/]+\.onnx$/.test(path)
  const plain = ["onnx/model.onnx", "model.onnx"].find((path) => files.includes(path))
  const graphs = plain === undefined ? files.filter(isGraph) : [plain]
  // `model.onnx_data`, `model.onnx.data` and `model.onnx_data_1` all begin with the graph's name.
  return files.filter((path) =>
    graphs.some((graph) => path === graph || (/^[_.]data/.test(path.slice(graph.length)) && path.startsWith(graph))),
  )
}
