// What this build of the engine can do. The addon has no call that tells it, so it stands here once;
// the test beside compares it with the engine's own lists.

export interface BuildFeatures {
  readonly families: readonly string[]
  readonly engines: readonly string[]
  readonly profiles: readonly string[]
  /** Keys of `options` in a models file that some family reads. */
  readonly familyOptions: readonly string[]
  /** Whether models take `basePath`. */
  readonly adapters: boolean
}

export const buildFeatures: BuildFeatures = Object.freeze({
  families: [
    "embeddings",
    "static_embeddings",
    "sequence_classification",
    "rerank",
    "token_classification",
    "grounded_hallucination",
    "marker_decisions",
    "packed_decisions",
    "image_embeddings",
  ],
  engines: ["onnxruntime"],
  profiles: ["exact", "batching", "shared_context", "max_speed"],
  familyOptions: ["max_scan_tokens"],
  adapters: true,
})
