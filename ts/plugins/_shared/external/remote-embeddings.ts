// `global.model_catalog.embeddings.semantic.endpoint`: who makes the vectors of all signals, where the document says so.

import { type BoundService, literals, readPlainUrl, type Report, section, Type } from "../../../kernel/index.ts"
import { type EmbeddingEndpoint, embeddingService } from "./embeddings.ts"

export const endpoint = section({
  base_url: Type.String({ minLength: 1, description: "Vectors are asked for at /embeddings below it" }),
  model: Type.String({ minLength: 1 }),
  api_key_env: Type.Optional(
    Type.String({ minLength: 1, description: "Environment variable with the key, sent as bearer token" }),
  ),
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600, description: "0 is as left out: 10" })),
  max_retries: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      description: "Further calls after a connection error, 429 or 5xx; 2 when left out",
    }),
  ),
  dimensions: Type.Optional(Type.Integer({ minimum: 1, description: "Length that the endpoint is asked for" })),
})

const localBackends = ["candle", "openvino"] as const

/** Keys of `embedding_config` that say who makes vectors. */
export const remoteKeys = {
  backend: Type.Optional(
    literals(["openai_compatible", ...localBackends], {
      description: "openai_compatible asks the endpoint; the others have no effect",
    }),
  ),
  target_dimension: Type.Optional(
    Type.Integer({ minimum: 1, description: "With openai_compatible: length that vectors have to have" }),
  ),
}

interface Semantic {
  readonly endpoint?: EmbeddingEndpoint
  readonly embedding_config?: { readonly backend?: string; readonly target_dimension?: number }
}

interface Catalogued {
  readonly global?: { readonly model_catalog?: { readonly embeddings?: { readonly semantic?: Semantic } } }
}

const semanticOf = (document: object): Semantic =>
  (document as Catalogued).global?.model_catalog?.embeddings?.semantic ?? {}

export function remoteEmbeddings(document: object): readonly BoundService[] {
  const { endpoint: given, embedding_config: { backend, target_dimension: length } = {} } = semanticOf(document)
  return backend === "openai_compatible" && given !== undefined
    ? [{ binding: "embedding", service: embeddingService(given, length) }]
    : []
}

const noEffect = "has no effect: rtr makes vectors with its own model, or with that of binding embedding"

/** Paths start at `global`. */
export function checkEmbeddings(document: object, report: Report): void {
  const { endpoint: given, embedding_config: { backend, target_dimension: length } = {} } = semanticOf(document)
  const at = ["model_catalog", "embeddings", "semantic"]
  if (given !== undefined && readPlainUrl(given.base_url) === undefined)
    report([...at, "endpoint", "base_url"], "must be an http or https URL without credentials, query and spaces")
  if (backend !== "openai_compatible") {
    if (given !== undefined)
      report([...at, "endpoint"], "has no effect without embedding_config.backend: openai_compatible", "warning")
    if (backend !== undefined) report([...at, "embedding_config", "backend"], noEffect, "warning")
    if (length !== undefined) report([...at, "embedding_config", "target_dimension"], noEffect, "warning")
  } else if (given === undefined)
    report([...at, "endpoint"], "is missing; backend openai_compatible needs its base_url and model")
  else if (length !== undefined && given.dimensions !== undefined && given.dimensions !== length)
    report(
      [...at, "endpoint", "dimensions"],
      `must be the target_dimension of embedding_config, ${length}, got ${given.dimensions}`,
    )
}
