// Data: sections of `global` for what the router does not have, and what follows where a document asks for it. A section that
// the schema has is served and never looked up here. Their limits and words are checked all the same.

import { Type, type TSchema } from "typebox"
import { literals } from "../../schema/shapes.ts"
import type { Report } from "../../types/module-base.ts"

export interface MissingSection {
  readonly path: string
  /** What is so without it; a sentence of its own. */
  readonly without: string
  /** Somebody relies on it: a router does not start without it unless that is allowed. */
  readonly isNeeded?: true
  /** Whether it asks for anything; one that says `enabled: false` never does. */
  readonly asks?: (section: Readonly<Record<string, unknown>>) => boolean
  readonly schema?: TSchema
  /** Its shape is checked also where it asks for nothing. */
  readonly isStrict?: true
  /** It is for people, or holds by itself: it is taken without a word. */
  readonly isData?: true
  /** Finds what the schema cannot. `decision` is the one that holds it, where one does. */
  readonly check?: (value: unknown, report: Report, decision: unknown, document: unknown) => void
}

const isEnabled = ({ enabled }: Readonly<Record<string, unknown>>): boolean => enabled === true || enabled === "true"
const hasProviders = ({ providers }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(providers) && providers.length > 0

const optional = (properties: Readonly<Record<string, TSchema>>): TSchema =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Type.Optional(schema)])))

const share = Type.Number({ minimum: 0, maximum: 1 })
const count = Type.Integer({ minimum: 0 })
const port = Type.Integer({ minimum: 1, maximum: 65535 })
const enabled = Type.Boolean()
const entailment = "parts of a reply that a second model would explain count as unsupported all the same"

const reflection = optional({
  enabled,
  algorithm: literals(["heuristic", "noop"]),
  max_inject_tokens: count,
  recency_decay_days: Type.Number({ minimum: 0 }),
  dedup_threshold: share,
  block_patterns: Type.Array(Type.String()),
})

const toolsDatabase = optional({
  enabled,
  top_k: count,
  similarity_threshold: share,
  tools_db_path: Type.String(),
  fallback_to_empty: Type.Boolean(),
})

export const missingSections: readonly MissingSection[] = [
  {
    path: "global.services.ratelimit",
    without: "no request is limited",
    isNeeded: true,
    asks: hasProviders,
    schema: optional({
      fail_open: Type.Boolean(),
      providers: Type.Array(
        optional({
          type: literals(["local-limiter", "envoy-ratelimit"]),
          rules: Type.Array(
            optional({
              name: Type.String(),
              unit: literals(["second", "minute", "hour", "day"]),
              requests_per_unit: count,
              tokens_per_unit: count,
            }),
          ),
        }),
      ),
    }),
  },
  {
    path: "global.services.authz.providers",
    without: "backends get the keys of the document, whoever asks",
    isNeeded: true,
    // The keys of the document are what every router uses.
    asks: ({ type }) => type !== "static-config",
    schema: Type.Array(optional({ type: literals(["header-injection", "static-config"]) })),
  },
  {
    path: "global.stores.memory",
    without: "nothing is remembered of a user's conversations",
    isNeeded: true,
    asks: isEnabled,
    schema: optional({
      enabled,
      backend: literals(["milvus", "valkey", "qdrant", "redis", "in-memory", "memory"]),
      default_retrieval_limit: count,
      default_similarity_threshold: share,
      hybrid_mode: literals(["weighted", "rrf"]),
      reflection,
    }),
  },
  {
    path: "global.stores.vector_store",
    without: "the router keeps no files and searches none",
    asks: isEnabled,
    schema: optional({
      enabled,
      backend_type: literals(["memory", "milvus", "llama_stack", "valkey", "qdrant"]),
      max_file_size_mb: Type.Number({ exclusiveMinimum: 0 }),
      embedding_dimension: Type.Integer({ minimum: 1 }),
      metadata_store: literals(["memory", "postgres"]),
      supported_formats: Type.Array(Type.String()),
    }),
  },
  {
    path: "global.stores.response_cache",
    without: "every request is answered by its model",
    schema: optional({
      enabled,
      backend_type: literals(["memory", "redis", "valkey", "milvus", "qdrant"]),
      similarity_threshold: share,
      max_entries: count,
      ttl_seconds: count,
      eviction_policy: literals(["fifo", "lru", "lfu"]),
    }),
  },
  { path: "global.stores.tool_sessions", without: "tools are those that each request brings", asks: isEnabled },
  {
    path: "global.services.router_replay",
    without: "no request is recorded; the log has a line for each",
    asks: isEnabled,
    schema: optional({
      enabled,
      store_backend: literals(["memory", "redis", "postgres", "milvus", "qdrant"]),
      ttl_seconds: count,
    }),
  },
  {
    path: "global.services.observability.tracing",
    without: "no traces are sent; the log and the metrics have every call",
    schema: optional({
      enabled,
      provider: Type.String(),
      sampling: optional({ type: literals(["always_on", "always_off", "probabilistic", "traceidratio"]), rate: share }),
    }),
  },
  {
    path: "global.services.observability.profiling",
    without: "there is no profiling port; node --cpu-prof profiles the router",
    asks: isEnabled,
    schema: optional({ enabled, port }),
  },
  {
    path: "global.services.observability.metrics.windowed_metrics",
    without: "metrics count from the start; rates of a time window are a query of the metrics system",
    asks: isEnabled,
  },
  {
    path: "global.services.startup_status",
    without: "the progress of the start is at /startup-status and nowhere else",
  },
  {
    path: "global.model_catalog.modules.prompt_compression",
    without: "signals read whole texts",
    asks: isEnabled,
    schema: optional({
      enabled,
      profile: literals(["default", "coding", "medical", "security", "multi_turn"]),
      max_tokens: count,
      position_depth: share,
      textrank_weight: share,
      position_weight: share,
      tfidf_weight: share,
      novelty_weight: share,
    }),
  },
  {
    path: "global.model_catalog.modules.hallucination_mitigation.detector.endpoint",
    without: "the head that is bound to hallucination_detector judges replies",
  },
  {
    path: "global.model_catalog.modules.hallucination_mitigation.detector.nli_entailment_threshold",
    without: entailment,
    schema: share,
  },
  {
    path: "global.model_catalog.modules.hallucination_mitigation.detector.enable_nli_filtering",
    without: entailment,
    schema: Type.Boolean(),
  },
  {
    path: "global.model_catalog.modules.hallucination_mitigation.explainer",
    without: entailment,
    schema: optional({ threshold: share }),
  },
  {
    path: "global.integrations.tools",
    without: "models get the tools that the request brings",
    asks: isEnabled,
    schema: toolsDatabase,
  },
  {
    path: "global.model_catalog.modules.complexity.backend",
    without: "the built-in embeddings tell how hard a request is, not the model of the backend",
    isNeeded: true,
  },
  {
    path: "global.model_catalog.modules.modality_detector.prompt_prefixes",
    without: "no image is made from a prompt that would have them",
    schema: Type.Array(Type.String()),
  },
  ...["ca", "cert", "key"].map((file): MissingSection => ({
    path: `global.services.response_api.redis.tls_${file}_path`,
    without:
      file === "ca"
        ? "the server needs a certificate of an authority that Node.js knows; NODE_EXTRA_CA_CERTS names a file with more"
        : "the router shows the server no certificate",
    isNeeded: true,
    schema: Type.String(),
  })),
  {
    path: "global.services.response_api.redis.cluster_mode",
    without: "one Redis server is asked, the one of address",
    isNeeded: true,
  },
  {
    path: "global.services.response_api.redis.cluster_addresses",
    without: "one Redis server is asked, the one of address",
    isNeeded: true,
  },
]
