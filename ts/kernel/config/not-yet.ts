// What the v0.3 format knows and this version does not serve yet, and what has moved. Both are refused by name, never ignored.

import type { DocumentPath } from "../error.ts"
import type { Problem } from "../schema/problem.ts"

/** Keys, as paths. `*` stands for one step, `**` for any number of steps. */
export const laterKeys: readonly string[] = [
  "entrypoints",
  "recipes",
  "setup",
  "evaluation",
  "providers.models.*.reliability",
  "providers.models.*.reasoning",
  "providers.models.*.catalog",
  "providers.models.*.pricing.cache_write_per_1m",
  "routing.projections",
  "routing.model_bindings",
  "routing.candidate_requirements",
  "routing.data_policy",
  "routing.fallback",
  ...[
    "evaluations",
    "display_name",
    "publisher",
    "presentation",
    "distribution",
    "family",
    "revision",
    "released_at",
    "knowledge_cutoff",
    "lifecycle",
    "max_output_tokens",
    "modalities",
  ].map((key) => `routing.modelCards.*.${key}`),
  ...[
    "reasks",
    "preferences",
    "complexity",
    "role_bindings",
    "kb",
    "conversation",
    "events",
    "metadata",
    "classifiers",
    "decision",
    "safety",
    "hallucination",
    "input_modality",
  ].map((key) => `routing.signals.${key}`),
  ...["image_candidates", "negative_candidates", "negative_image_candidates"].map(
    (key) => `routing.signals.embeddings.*.${key}`,
  ),
  "routing.signals.domains.*.model_scores.*.use_reasoning",
  ...[
    "adaptations",
    "output_contract",
    "output_contract_spec",
    "candidateIterations",
    "emits",
    "annotations",
    "action",
  ].map((key) => `routing.decisions.*.${key}`),
  ...["weight", "reasoning_description", "reasoning_mode"].map((key) => `routing.decisions.*.modelRefs.*.${key}`),
  ...["on_error", "minimum_candidates"].map((key) => `routing.decisions.*.algorithm.${key}`),
  "routing.decisions.*.rules.**.label",
  "routing.decisions.*.plugins.*.configuration.default_max_tokens",
  ...[
    "clear_route_cache",
    "streamed_body",
    "skip_processing",
    "model_selection",
    "learning",
    "enabled",
    "fallback",
  ].map((key) => `global.router.${key}`),
  ...["response_api", "authz", "ratelimit", "router_replay", "startup_status"].map((key) => `global.services.${key}`),
  "global.services.api.batch_classification",
  "global.services.api.embeddings",
  "global.services.observability.tracing",
  "global.services.observability.profiling",
  "global.services.observability.metrics.windowed_metrics",
  "global.services.management_api.remote_exposure",
  "global.services.management_api.auth",
  "global.stores",
  "global.integrations",
  ...["system", "external", "kbs", "admission"].map((key) => `global.model_catalog.${key}`),
  ...["prompt_compression", "complexity", "safety"].map((key) => `global.model_catalog.modules.${key}`),
  ...["mcp", "pii", "preference"].map((key) => `global.model_catalog.modules.classifier.${key}`),
  ...[
    "model_ref",
    "model_id",
    "use_cpu",
    "use_modernbert",
    "use_mmbert_32k",
    "category_mapping_path",
    "enabled",
    "window",
    "max_sequence_length",
  ].map((key) => `global.model_catalog.modules.classifier.domain.${key}`),
  ...[
    "enabled",
    "model_ref",
    "model_id",
    "use_cpu",
    "variant",
    "protocol",
    "jailbreak_mapping_path",
    "on_unscanned",
    "window",
    "max_sequence_length",
  ].map((key) => `global.model_catalog.modules.prompt_guard.${key}`),
  ...["enabled", "on_hallucination_detected", "detector", "explainer"].map(
    (key) => `global.model_catalog.modules.hallucination_mitigation.${key}`,
  ),
  ...["model_ref", "model_id", "use_cpu", "use_mmbert_32k", "window", "max_sequence_length"].map(
    (key) => `global.model_catalog.modules.hallucination_mitigation.fact_check.${key}`,
  ),
  ...[
    "enabled",
    "model_ref",
    "model_id",
    "use_cpu",
    "use_modernbert",
    "use_mmbert_32k",
    "feedback_mapping_path",
    "window",
    "max_sequence_length",
  ].map((key) => `global.model_catalog.modules.feedback_detector.${key}`),
  ...["enabled", "prompt_prefixes", "classifier", "window", "max_sequence_length"].map(
    (key) => `global.model_catalog.modules.modality_detector.${key}`,
  ),
  ...[
    "qwen3_model_path",
    "gemma_model_path",
    "mmbert_model_path",
    "multimodal_model_path",
    "bert_model_path",
    "use_cpu",
    "endpoint",
  ].map((key) => `global.model_catalog.embeddings.semantic.${key}`),
  ...["backend", "model_type", "preload_embeddings", "target_dimension", "target_layer"].map(
    (key) => `global.model_catalog.embeddings.semantic.embedding_config.${key}`,
  ),
  ...["revision", "replicas", "precision"].map((key) => `global.model_catalog.deployments.*.${key}`),
  ...["adapter", "operating_point", "pair_scorer"].map((key) => `global.model_catalog.bindings.*.${key}`),
]

/** Values of keys that exist. */
export const laterValues: readonly (readonly [path: string, values: readonly string[]])[] = [
  ["routing.signals.embeddings.*.query_modality", ["image"]],
  ["routing.signals.jailbreak.*.direction", ["response"]],
  [
    "routing.decisions.*.rules.**.type",
    [
      "reask",
      "preference",
      "complexity",
      "authz",
      "kb",
      "conversation",
      "event",
      "metadata",
      "classifier",
      "projection",
      "decision",
      "safety",
      "hallucination",
      "input_modality",
    ],
  ],
  [
    "routing.decisions.*.algorithm.type",
    [
      "multi_factor",
      "latency_aware",
      "router_dc",
      "automix",
      "hybrid",
      "knn",
      "kmeans",
      "svm",
      "mlp",
      "prompt",
      "decision",
      "confidence",
      "ratings",
      "remom",
      "fusion",
      "workflows",
    ],
  ],
  [
    "routing.decisions.*.plugins.*.type",
    [
      "response_cache",
      "rag",
      "memory",
      "image_gen",
      "context_compression",
      "tools",
      "tool_selection",
      "router_replay",
      "hallucination",
      "response_jailbreak",
      "shadow_dispatch",
    ],
  ],
  ["providers.models.*.backend_refs.*.provider", ["anthropic", "rtr_omni"]],
  ["providers.models.*.api_format", ["anthropic"]],
  ["global.router.config_source", ["kubernetes"]],
  ["global.model_catalog.deployments.*.device", ["rocm", "xpu", "mps"]],
  ["global.model_catalog.deployments.*.input.overflow", ["window"]],
  ["global.model_catalog.deployments.*.provider", ["candle"]],
  ["global.model_catalog.bindings.*.contract", ["label_scores.v1", "relevance_scores.v1"]],
]

/** Keys of older documents, and where their content belongs now. */
export const movedKeys: readonly (readonly [path: string, home: string])[] = [
  ["routing.models", "routing.modelCards"],
  ...["default_model", "reasoning_families", "default_reasoning_effort"].map(
    (key) => [`providers.${key}`, `providers.defaults.${key}`] as const,
  ),
  ...["model_targets", "backends", "auth_profiles"].map(
    (key) => [`providers.${key}`, "providers.models[].backend_refs[]"] as const,
  ),
  ...["access", "endpoints", "access_key"].map((key) => [`providers.models.*.${key}`, "backend_refs[]"] as const),
  ...[
    "param_size",
    "context_window_size",
    "description",
    "capabilities",
    "loras",
    "quality_score",
    "modality",
    "tags",
  ].map((key) => [`providers.models.*.${key}`, `routing.modelCards[].${key}`] as const),
  ["global.modules", "global.model_catalog.modules"],
  ["global.model_catalog.embeddings.bert", "global.model_catalog.embeddings.semantic"],
  ["routing.decisions.*.modelSelectionAlgorithm", "routing.decisions[].algorithm"],
  ["routing.signals.category_kb", "routing.signals.kb and global.model_catalog.kbs"],
  ["routing.signals.taxonomy", "routing.signals.kb and global.model_catalog.kbs"],
  ["global.model_catalog.classifiers", "routing.signals.kb and global.model_catalog.kbs"],
  ...["tool_scope", "allow_tools", "block_tools"].map(
    (key) => [`routing.decisions.*.${key}`, "the tools plugin"] as const,
  ),
  ...["signals", "decisions", "strategy"].map((key) => [key, `routing.${key}`] as const),
  ["categories", "routing.signals.domains"],
  ["model_config", "providers.models and routing.modelCards"],
  ["vllm_endpoints", "providers.models[].backend_refs[]"],
  ["default_model", "providers.defaults.model"],
  ["routing.signals.structure.*.feature.normalize_by", "nothing: density is always normalised"],
]

/** The problem for a key (or its value) that is known but not served, or that has moved; undefined for any other. */
export function notYet(path: DocumentPath, value?: string): Problem | undefined {
  if (value === undefined) {
    const moved = movedKeys.find(([pattern]) => matches(pattern, path))
    if (moved !== undefined) return { path, code: "invalid", message: `has moved to ${moved[1]}` }
    if (laterKeys.some((pattern) => matches(pattern, path)))
      return { path, code: "not_supported", message: "is not supported yet" }
    return undefined
  }
  const known = laterValues.find(
    ([pattern, values]) =>
      matches(pattern, path) && values.some((later) => value === later || value.startsWith(`${later}:`)),
  )
  return known === undefined ? undefined : { path, code: "not_supported", message: `"${value}" is not supported yet` }
}

function matches(pattern: string, path: DocumentPath): boolean {
  const steps = pattern.split(".")
  const match = (step: number, position: number): boolean => {
    if (step === steps.length) return position === path.length
    if (steps[step] === "**") return match(step + 1, position) || (position < path.length && match(step, position + 1))
    return (
      position < path.length &&
      (steps[step] === "*" || steps[step] === String(path[position])) &&
      match(step + 1, position + 1)
    )
  }
  return match(0, 0)
}
