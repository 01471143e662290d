// Data: keys of the v0.3 format that do nothing here, and what to use instead. A key that the schema has is served and never
// looked up here. `*` stands for one step of a path.

import type { Reason } from "./left-out.ts"

export interface Advice {
  /** Completes "these keys have no effect: …". */
  readonly instead: string
  /** The keys, by the section that has them. */
  readonly keys: readonly (readonly [section: string, keys: string])[]
}

const catalog = "global.model_catalog"
const modules = `${catalog}.modules`
const semantic = `${catalog}.embeddings.semantic`
const runtime = "model_ref model_id use_cpu use_modernbert use_mmbert_32k max_sequence_length window"

export const noEffect: readonly Advice[] = [
  {
    instead:
      "rtr runs its own signal models; to run others, name their packages under global.model_catalog.deployments and bind them under global.model_catalog.bindings",
    keys: [
      [
        `${catalog}.system`,
        "prompt_guard domain_classifier pii_classifier fact_check_classifier hallucination_detector hallucination_explainer feedback_detector safety hazard",
      ],
      [`${modules}.prompt_guard`, `${runtime} variant jailbreak_mapping_path`],
      [`${modules}.classifier.domain`, `${runtime} variant category_mapping_path`],
      [`${modules}.classifier.pii`, `${runtime} variant backend pii_mapping_path`],
      [`${modules}.classifier.preference`, `${runtime} embedding_model`],
      [`${modules}.hallucination_mitigation.fact_check`, `${runtime} variant backend fact_check_mapping_path`],
      [
        `${modules}.hallucination_mitigation.detector`,
        `${runtime} variant backend context_window_size include_explanation`,
      ],
      [`${modules}.feedback_detector`, `${runtime} variant backend feedback_mapping_path`],
      [`${modules}.safety.safety`, runtime],
      [`${modules}.safety.hazard`, runtime],
      [`${modules}.modality_detector`, "max_sequence_length window"],
      [`${modules}.modality_detector.classifier`, "model_path use_cpu max_sequence_length"],
      [semantic, "qwen3_model_path gemma_model_path mmbert_model_path multimodal_model_path bert_model_path use_cpu"],
      [`${semantic}.embedding_config`, "model_type preload_embeddings target_layer full_context"],
      [`${catalog}.bindings.*`, "mapping_path adapter operating_point pair_scorer"],
      ["routing.model_bindings.*", "mapping_path adapter operating_point pair_scorer"],
      ["recipes.*.routing.model_bindings.*", "mapping_path adapter operating_point pair_scorer"],
      [
        `${catalog}.deployments.*`,
        "revision precision external_model custom_ops_profile compilation_cache_dir tokenizer_path",
      ],
    ],
  },
  {
    instead: "switch_margin and stability_weight beside it say what a switch has to gain",
    keys: [["global.router.learning.protection.tuning", "progress_gate"]],
  },
  {
    instead: "each rule of pii has its own threshold, and without one that of the model holds",
    keys: [[`${modules}.classifier.pii`, "threshold"]],
  },
  {
    instead: "the detector alone says which parts of a reply nothing supports; no second model looks at them",
    keys: [
      ["routing.signals.hallucination.*", "use_nli"],
      ["recipes.*.routing.signals.hallucination.*", "use_nli"],
      ["routing.decisions.*.plugins.*.configuration", "use_nli"],
      ["recipes.*.routing.decisions.*.plugins.*.configuration", "use_nli"],
    ],
  },
  {
    instead: "the plugin hallucination of a decision says whether replies are judged, and what becomes of them",
    keys: [[`${modules}.hallucination_mitigation`, "enabled on_hallucination_detected"]],
  },
  {
    instead: "a signal asks its model when a decision uses one of its rules, and never otherwise",
    keys: [
      [`${modules}.prompt_guard`, "enabled"],
      [`${modules}.classifier.domain`, "enabled"],
      [`${modules}.classifier.pii`, "enabled"],
      [`${modules}.hallucination_mitigation.fact_check`, "enabled"],
      [`${modules}.feedback_detector`, "enabled"],
      [`${modules}.modality_detector`, "enabled"],
      [catalog, "admission"],
    ],
  },
  {
    instead: "rtr is the listener itself and has no proxy in front of it to tune",
    keys: [
      ["global.router", "clear_route_cache streamed_body skip_processing streamed_body_mode"],
      ["global.router", "max_streamed_body_bytes streamed_body_timeout_sec"],
      ["global.integrations.looper", "endpoint grpc_max_msg_size_mb"],
    ],
  },
  {
    instead: "a decision names its algorithm, and the algorithm has its settings",
    keys: [
      ["global.router.model_selection", "enabled method momentum"],
      ["global.router.model_selection.ml", "model_type"],
      ["global.integrations.looper", "retry_count"],
      ["routing.signals.embeddings.*", "model"],
    ],
  },
  {
    instead: "a workflow that waits for tools is kept in the key-value store of global.stores",
    keys: [["global.integrations.looper.flow.state", "store_backend file redis"]],
  },
  {
    instead: "a request is hard above hard_above and easy below easy_below",
    keys: [["routing.signals.complexity.*", "hard_below easy_above"]],
  },
  {
    instead: "rtr has no batch endpoint",
    keys: [["global.services.api", "batch_classification"]],
  },
  {
    instead: "rtr keeps one connection to Redis, which reconnects by itself",
    keys: [
      [
        "global.services.response_api.redis",
        "pool_size min_idle_conns max_retries dial_timeout read_timeout write_timeout config_path",
      ],
    ],
  },
  {
    instead: "use rtr serve --metrics-port and --metrics-address",
    keys: [["global.services.observability.metrics", "port address path"]],
  },
  {
    instead: "write a plugin system_prompt in the decision",
    keys: [["routing.signals.domains.*", "system_prompt"]],
  },
  {
    instead: "write use_reasoning at the modelRefs of the decision",
    keys: [["routing.signals.domains.*.model_scores.*", "use_reasoning"]],
  },
  {
    instead: "rtr has no dashboard that would read it",
    keys: [["", "setup"]],
  },
  {
    instead: "best_weight and top_m say how the examples of a rule count",
    keys: [
      ["routing.signals.*.*.prototype_scoring", "margin_threshold"],
      ["recipes.*.routing.signals.*.*.prototype_scoring", "margin_threshold"],
      [`${semantic}.embedding_config.prototype_scoring`, "margin_threshold"],
      [`${modules}.complexity.prototype_scoring`, "margin_threshold"],
      [`${modules}.classifier.preference.prototype_scoring`, "margin_threshold"],
      [`${catalog}.kbs.*.prototype_scoring`, "margin_threshold"],
    ],
  },
  {
    instead: "the router observes real calls instead of asking a path",
    keys: [["providers.models.*.reliability", "health_check_path health_check_interval health_check_timeout"]],
  },
]

/** Words of a key that the router does not have otherwise; the document is read without the key. */
export const wordsLeftOut: readonly { readonly path: string; readonly word: string; readonly reason: Reason }[] = [
  ...["rocm", "xpu", "mps", "metal"].map((word) => ({
    path: `${catalog}.deployments.*.device`,
    word,
    reason: { without: "the worker runs on cpu and cuda, and chooses" },
  })),
  {
    path: `${catalog}.deployments.*.input.overflow`,
    word: "window",
    reason: { without: "each signal reads long texts in pieces where it has to read all of them" },
  },
  {
    path: "global.router.config_source",
    word: "kubernetes",
    reason: { without: "the routing is that of this document; --crd FOLDER takes it from Kubernetes files" },
  },
]

/** Values that say what the router does anyway: their keys are accepted without a word. */
export const asItIs: readonly (readonly [path: string, value: unknown])[] = [
  ["global.router.enabled", true],
  ["global.services.api.embeddings.enabled", true],
  [`${semantic}.embedding_config.model_type`, "remote"],
  ["global.services.response_api.redis.cluster_mode", false],
  ["global.services.response_api.redis.tls_enabled", false],
  [`${modules}.prompt_guard.enabled`, true],
  [`${modules}.classifier.domain.enabled`, true],
  [`${modules}.classifier.pii.enabled`, true],
  [`${modules}.classifier.preference.use_contrastive`, true],
  [`${modules}.hallucination_mitigation.enabled`, true],
  [`${modules}.hallucination_mitigation.fact_check.enabled`, true],
  [`${modules}.feedback_detector.enabled`, true],
  [`${modules}.modality_detector.enabled`, true],
  ["global.router.skip_processing.enabled", false],
  ["global.router.streamed_body.enabled", false],
]
