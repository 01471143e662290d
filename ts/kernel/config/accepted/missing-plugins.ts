// Data: decision plugins of the v0.3 format that the router does not have. A document that lists one is checked as if it had
// it. A plugin that is registered wins, and its entry here is not read.

import { Type, type TObject, type TSchema } from "typebox"
import { literals } from "../../schema/shapes.ts"
import type { Report } from "../../types/module-base.ts"

type Configuration = Readonly<Record<string, unknown>>

export interface MissingPlugin {
  readonly options: TObject
  /** What is so without it; a sentence of its own. */
  readonly without: string
  /** Somebody relies on it: a router does not start without it unless that is allowed. */
  readonly isNeeded?: true
  /** Whether it asks for anything. */
  readonly asks: (configuration: Configuration) => boolean
  readonly check?: (configuration: Configuration, report: Report) => void
}

const map = (properties: Readonly<Record<string, TSchema>>, strict = false): TObject =>
  Type.Object(
    Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Type.Optional(schema)])),
    strict ? { additionalProperties: false } : {},
  )

const share = Type.Number({ minimum: 0, maximum: 1 })
const count = Type.Integer({ minimum: 0 })
const positive = Type.Integer({ minimum: 1 })
const weight = Type.Number({ minimum: 0 })
const text = Type.String()
const texts = Type.Array(text)
const flag = Type.Boolean()
const auto = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("auto")])

const enabled = ({ enabled: on }: Configuration): boolean => on === true
const unlessOff = ({ enabled: on }: Configuration): boolean => on !== false

const advancedFiltering = map({
  enabled: flag,
  retrieval_strategy: literals(["weighted", "hybrid_history"]),
  candidate_pool_size: count,
  min_lexical_overlap: count,
  min_combined_score: share,
  category_confidence_threshold: share,
  weights: map({ embed: share, lexical: share, tag: share, name: share, category: share }),
})

const compressionTarget = map(
  { mode: literals(["preserve", "extractive", "recoverable"]), min_tokens: count, target_tokens: count },
  true,
)

/** Keys of one backend of `rag` that it cannot do without. */
const ragKeys: Readonly<Record<string, readonly string[]>> = {
  milvus: ["collection"],
  qdrant: ["collection"],
  external_api: ["endpoint", "request_format"],
  mcp: ["server_name", "tool_name"],
  openai: ["vector_store_id", "api_key"],
  hybrid: ["primary"],
  vectorstore: ["vector_store_id"],
}

function requireKeys(value: unknown, keys: readonly string[], at: readonly string[], report: Report): void {
  for (const key of keys)
    if ((value as Configuration | undefined)?.[key] === undefined) report([...at, key], "is missing")
}

export const missingPlugins: Readonly<Record<string, MissingPlugin>> = {
  response_cache: {
    without: "every request is answered by its model",
    asks: enabled,
    options: map(
      {
        enabled: flag,
        mode: literals(["semantic", "exact", "exact_then_semantic"]),
        scope: literals(["user", "team", "tenant", "global"]),
        ttl_seconds: count,
        similarity_threshold: share,
        allow_request_controls: flag,
        control_header: text,
        semantic: map({ similarity_threshold: share }, true),
        request_controls: map(
          {
            enabled: flag,
            header: text,
            allowed: Type.Array(literals(["no-cache", "no-store", "bypass", "max-age", "ttl"])),
            max_ttl_seconds: count,
          },
          true,
        ),
        personalized: map({ mode: literals(["disabled", "exact"]) }, true),
        revision: map({ cache_epoch: text, model_revision: text, prompt_revision: text, policy_revision: text }, true),
      },
      true,
    ),
    check(configuration, report) {
      for (const [old, current] of [
        ["similarity_threshold", "semantic"],
        ["allow_request_controls", "request_controls"],
        ["control_header", "request_controls"],
      ] as const)
        if (configuration[old] !== undefined && configuration[current] !== undefined)
          report([old], `says the same as ${current}; keep one of them`)
    },
  },
  prompt_cache: {
    without: "the backend alone decides what it caches",
    asks: unlessOff,
    options: map(
      {
        enabled: flag,
        ttl: literals(["5m", "1h"]),
        targets: Type.Array(literals(["instructions", "tools"]), { minItems: 1, uniqueItems: true }),
        on_unsupported: literals(["skip", "reject"]),
      },
      true,
    ),
  },
  router_replay: {
    without: "no request is recorded; the log has a line for each",
    asks: unlessOff,
    options: map({
      enabled: flag,
      max_records: count,
      capture_request_body: flag,
      capture_response_body: flag,
      max_body_bytes: count,
      max_tool_trace_bytes: count,
      max_tool_trace_steps: count,
    }),
  },
  shadow_dispatch: {
    without: "no request is copied to another model",
    asks: enabled,
    options: map({
      enabled: flag,
      model: text,
      arms: Type.Array(Type.Unknown()),
      sample_rate: share,
      max_concurrency: count,
      max_queue_depth: count,
      timeout_seconds: count,
      max_response_bytes: count,
      max_retries: Type.Integer({ minimum: 0, maximum: 3 }),
      capture_response_body: flag,
      max_capture_bytes: count,
      tls_skip_verify: flag,
      forward_headers: Type.Array(Type.String({ pattern: "^\\s*[^\\s:]" })),
    }),
    check({ enabled: on, model, arms, forward_headers: headers }, report) {
      if (on === true && !model && arms === undefined) report(["model"], "is missing; say which model gets the copy")
      for (const [index, header] of ((headers ?? []) as readonly string[]).entries())
        if (/^((proxy-)?authorization|cookie|(x-|x-goog-|x-user-.*-|)(api-)?key)$/i.test(header.trim()))
          report(["forward_headers", index], `"${header}" is a credential, which another model must not get`)
    },
  },
  context_compression: {
    without: "models get the whole conversation",
    asks: enabled,
    options: map(
      {
        enabled: flag,
        mode: literals(["auto", "always"]),
        failure_mode: literals(["fail_open", "fail_closed"]),
        budget: map({ trigger_tokens: auto, target_tokens: auto, reserve_output_tokens: auto }, true),
        targets: map(
          {
            current_user: map({ mode: literals(["preserve", "extractive", "recoverable"]) }, true),
            tool_outputs: compressionTarget,
            history: compressionTarget,
            rag: compressionTarget,
            memory: compressionTarget,
          },
          true,
        ),
        scoring: map({ method: literals(["bm25", "embedding", "hybrid"]), embedding_model_ref: text }, true),
        recovery: map(
          {
            enabled: flag,
            store: literals(["redis", "valkey", "response_cache"]),
            ttl: Type.Union([Type.String(), Type.Integer()]),
            ttl_seconds: count,
            max_bytes_per_request: count,
            max_total_bytes: count,
            max_retrievals: count,
          },
          true,
        ),
        request_controls: map(
          {
            enabled: flag,
            header: text,
            allowed: Type.Array(literals(["bypass", "target"])),
            max_target_tokens: count,
          },
          true,
        ),
      },
      true,
    ),
    check({ budget, targets, scoring, recovery }, report) {
      const { enabled: recovers, store } = (recovery ?? {}) as Configuration
      if (recovers === true && store === undefined)
        report(["recovery", "store"], "is missing; say where the whole texts are kept")
      const { trigger_tokens: trigger, target_tokens: target } = (budget ?? {}) as Configuration
      if (typeof trigger === "number" && typeof target === "number" && target >= trigger)
        report(["budget", "target_tokens"], `must be less than trigger_tokens, ${trigger}, got ${target}`)
      for (const [name, each] of Object.entries((targets ?? {}) as Readonly<Record<string, Configuration>>)) {
        const { min_tokens: least, target_tokens: wanted } = each
        if (typeof least === "number" && typeof wanted === "number" && wanted >= least)
          report(["targets", name, "target_tokens"], `must be less than min_tokens, ${least}, got ${wanted}`)
      }
      const { method, embedding_model_ref: model } = (scoring ?? {}) as Configuration
      if ((method === "embedding" || method === "hybrid") && model === undefined)
        report(["scoring", "embedding_model_ref"], `is missing; method "${method}" needs it`)
    },
  },
  rag: {
    without: "models answer without the documents that would be searched",
    isNeeded: true,
    asks: enabled,
    options: map({
      enabled: flag,
      backend: literals(Object.keys(ragKeys)),
      similarity_threshold: share,
      top_k: positive,
      max_context_length: positive,
      injection_mode: literals(["tool_role", "system_prompt"]),
      on_failure: literals(["skip", "warn", "block"]),
      cache_results: flag,
      cache_ttl_seconds: count,
      min_confidence_threshold: share,
      rerank: map({ top_k: positive }),
    }),
    check(configuration, report) {
      const { backend, backend_config: settings } = configuration
      if (!enabled(configuration)) return
      if (typeof backend !== "string") return report(["backend"], "is missing; say where to search")
      requireKeys(settings, ragKeys[backend] ?? [], ["backend_config"], report)
      const { rerank, top_k: found = 5 } = configuration
      if (rerank === undefined) return
      const { top_k: kept } = (rerank ?? {}) as Configuration
      if (backend !== "vectorstore") report(["rerank"], `needs backend "vectorstore", got "${backend}"`)
      if (Number(kept) > Number(found)) report(["rerank", "top_k"], `must not be more than top_k, ${Number(found)}`)
    },
  },
  memory: {
    without: "nothing is remembered of a user's conversations",
    isNeeded: true,
    asks: enabled,
    options: map({
      enabled: flag,
      retrieval_limit: count,
      similarity_threshold: share,
      auto_store: flag,
      hybrid_search: flag,
      hybrid_mode: literals(["weighted", "rrf"]),
      reflection: map({ enabled: flag, algorithm: literals(["heuristic", "noop"]), dedup_threshold: share }),
    }),
  },
  image_gen: {
    without: "no image is made; the model of the decision answers with text",
    isNeeded: true,
    asks: enabled,
    options: map({
      enabled: flag,
      backend: literals(["vllm_omni", "openai"]),
      default_width: positive,
      default_height: positive,
      max_inference_steps: positive,
      timeout_seconds: positive,
    }),
    check(configuration, report) {
      const { backend, backend_config: settings } = configuration
      if (!enabled(configuration)) return
      if (typeof backend !== "string") return report(["backend"], "is missing; say what makes the image")
      requireKeys(settings, [backend === "openai" ? "api_key" : "base_url"], ["backend_config"], report)
    },
  },
  tools: {
    without: "models get the tools that the request brings, whatever these lists say",
    isNeeded: true,
    asks: enabled,
    options: map({
      enabled: flag,
      mode: literals(["none", "passthrough", "filtered"]),
      semantic_selection: flag,
      allow_tools: texts,
      block_tools: texts,
      strip_tool_history: flag,
      strategy: text,
      dynamic_retrieval: map({
        enabled: flag,
        strategy: literals(["semantic_only", "hybrid_history"]),
        history_window: count,
        min_history_confidence: share,
        weights: map({ semantic: weight, history: weight, decision_prior: weight, repetition_penalty: weight }),
      }),
    }),
    check(configuration, report) {
      const { mode, allow_tools: allowed, block_tools: blocked, strip_tool_history: strips } = configuration
      const { dynamic_retrieval: dynamic } = configuration
      if (!enabled(configuration)) return
      const hasList = [allowed, blocked].some((list) => Array.isArray(list) && list.length > 0)
      if (mode === "filtered" && !hasList) report(["mode"], '"filtered" needs allow_tools or block_tools')
      if (mode !== "filtered" && hasList)
        report(["mode"], 'must be "filtered" beside allow_tools or block_tools, which nothing else reads')
      if (strips === true && mode !== "none") report(["strip_tool_history"], 'needs mode "none"')
      const { enabled: retrieves, strategy, history_window: turns } = (dynamic ?? {}) as Configuration
      if (retrieves === true && strategy === "hybrid_history" && !(Number(turns) >= 1))
        report(["dynamic_retrieval", "history_window"], 'must be at least 1 for strategy "hybrid_history"')
    },
  },
  tool_selection: {
    without: "models get the tools that the request brings",
    isNeeded: true,
    asks: enabled,
    options: map({
      enabled: flag,
      mode: literals(["add", "filter"]),
      tools_db_path: text,
      top_k: count,
      similarity_threshold: share,
      strategy: text,
      fallback_to_empty: flag,
      relevance_threshold: share,
      preserve_count: count,
      advanced_filtering: advancedFiltering,
    }),
  },
  masking: {
    without: "personal data of requests goes to the backends",
    isNeeded: true,
    asks: unlessOff,
    options: map({ enabled: flag }),
  },
}

/** The entry of a plugin type. */
export const missingPluginOf = (type: string): MissingPlugin | undefined =>
  Object.hasOwn(missingPlugins, type) ? missingPlugins[type] : undefined
