// Data: every key of the v0.3 format and the words of its closed lists. What the document schema has of them is served, the
// rest is refused by name. Names of modules stand here because the format has them; nothing looks modules up by this file.

/**
 * Keys below one place. A text lists keys that have none below them; `""` does so beside keys that have. `*` is any key or
 * position, `@x` what an entry of type `x` adds, and a function a part that holds itself.
 */
export type KeyTree = string | { readonly [key: string]: KeyTree } | (() => KeyTree)

const prototypeScoring = {
  prototype_scoring: "enabled cluster_similarity_threshold max_prototypes best_weight top_m margin_threshold",
}
const predicate = { predicate: "gt gte lt lte" }
const redis = "address password db database key_prefix"

const rule = (): KeyTree => ({
  "": "operator type name label on_error on_unknown",
  ...predicate,
  conditions: { "*": rule },
})

const modelCard: KeyTree = {
  "":
    "name param_size context_window_size description capabilities quality_score modality tags display_name publisher " +
    "presentation distribution family revision released_at knowledge_cutoff lifecycle max_output_tokens",
  loras: { "*": "name description" },
  evaluations: { "*": "benchmark metrics benchmark_profile reasoning_effort source measured_at" },
  modalities: "input output",
}

const feature: KeyTree = {
  feature: {
    "": "type",
    source: "type role pattern case_sensitive keywords sequences",
  },
  ...predicate,
}

const signals: KeyTree = {
  keywords: {
    "*":
      "name description operator keywords case_sensitive method fuzzy_match fuzzy_threshold bm25_threshold ngram_threshold " +
      "ngram_arity",
  },
  embeddings: {
    "*": {
      "":
        "name description threshold candidates aggregation_method query_modality image_candidates negative_candidates " +
        "negative_image_candidates",
      ...prototypeScoring,
    },
  },
  domains: {
    "*": { "": "name description mmlu_categories", model_scores: { "*": "model score use_reasoning" } },
  },
  fact_check: { "*": "name description" },
  user_feedbacks: { "*": "name description" },
  reasks: { "*": "name description threshold lookback_turns" },
  preferences: { "*": "name description examples threshold" },
  language: { "*": "name description threshold" },
  context: { "*": "name description min_tokens max_tokens" },
  structure: { "*": { "": "name description", ...feature } },
  complexity: {
    "*": {
      "": "name description threshold hard_above easy_below",
      hard: "candidates image_candidates",
      easy: "candidates image_candidates",
      composer: rule,
      ...prototypeScoring,
    },
  },
  modality: { "*": "name description" },
  role_bindings: { "*": { "": "name description role", subjects: { "*": "kind name" } } },
  pii: { "*": "name description threshold pii_types_allowed include_history" },
  jailbreak: {
    "*": "name description method threshold include_history jailbreak_patterns benign_patterns direction",
  },
  kb: { "*": { "": "name description kb match", target: "kind value" } },
  conversation: { "*": { "": "name description", ...feature } },
  events: { "*": "name description event_types severities action_codes temporal" },
  metadata: { "*": { "": "name description key", predicate: "equals in exists" } },
  classifiers: { "*": "name description type labels model_path use_cpu model instructions" },
  decision: {
    "*": {
      "": "name description deployment timeout_ms",
      question: {
        "": "type instructions levels labels threshold head",
        choices: { "*": "key description" },
      },
      ...predicate,
    },
  },
  safety: {
    "*": { "": "name description model labels unsafe_labels threshold", hazard: "labels categories threshold" },
  },
  hallucination: { "*": "name description use_nli" },
  input_modality: { "*": "name description modality" },
}

const projections: KeyTree = {
  partitions: { "*": "name semantics temperature members default" },
  scores: {
    "*": { "": "name method", inputs: { "*": "type name kb metric weight value_source match miss" } },
  },
  mappings: {
    "*": {
      "": "name source method",
      calibration: "method slope",
      outputs: { "*": "name lt lte gt gte" },
    },
  },
}

const automix =
  "verification_threshold max_escalations cost_aware_routing cost_quality_tradeoff discount_factor use_logprob_verification"
const routerDc =
  "temperature min_similarity dimension_size use_query_contrastive use_model_contrastive require_descriptions use_capabilities"
const hybrid = "experience_weight router_dc_weight automix_weight cost_weight quality_gap_threshold normalize_scores"
const rounds = "max_concurrent max_completion_tokens round_timeout_seconds min_successful_responses temperature"

const algorithm: KeyTree = {
  "": "type on_error minimum_candidates",
  "@multi_factor": {
    multi_factor: {
      "": "latency_percentile on_no_candidates expected_output_tokens latency_metric",
      weights: "quality latency cost load",
      slo: "max_tpot_ms max_ttft_ms max_cost_per_1m max_inflight",
      objective: "strategy",
      quality: "index on_missing min_coverage min_score",
    },
  },
  "@latency_aware": { latency_aware: "tpot_percentile ttft_percentile description" },
  "@router_dc": { router_dc: routerDc },
  "@automix": { automix },
  "@hybrid": { hybrid },
  "@prompt": { prompt: "model instructions timeout_seconds" },
  "@decision": { decision: "deployment instructions candidates timeout_ms" },
  "@confidence": {
    confidence: {
      "":
        "confidence_method threshold on_error escalation_order cost_quality_tradeoff token_filter verifier_server_url " +
        "verifier_timeout_seconds max_response_bytes",
      hybrid_weights: "logprob_weight margin_weight",
    },
  },
  "@ratings": { ratings: "max_concurrent on_error" },
  "@remom": {
    remom:
      `breadth_schedule model_distribution include_reasoning compaction_strategy compaction_tokens synthesis_template ` +
      `synthesis_model max_responses_per_round shuffle_seed include_intermediate_responses on_error ${rounds}`,
  },
  "@fusion": {
    fusion: {
      "":
        `model analysis_models include_analysis include_intermediate_responses on_error analysis_template ` +
        `synthesis_template judge_prompt_version analysis_mode quorum_failure_policy quorum_fallback_target ${rounds}`,
      analysis_overrides: { "*": "model temperature max_completion_tokens" },
      grounding: "enabled reference policy min_score min_keep nli_contradiction_penalty on_error",
    },
  },
  "@workflows": {
    workflows: {
      "": `mode template max_steps max_parallel include_intermediate_responses on_error ${rounds}`,
      roles: { "*": "name models prompt access_list" },
      final: "model prompt",
      planner: "model max_completion_tokens",
    },
  },
}

const configured = (configuration: KeyTree): KeyTree => ({ configuration })
const advancedFiltering: KeyTree = {
  "":
    "enabled retrieval_strategy candidate_pool_size min_lexical_overlap min_combined_score use_category_filter " +
    "category_confidence_threshold allow_tools block_tools",
  weights: "embed lexical tag name category",
  hybrid_history:
    "history_horizon min_history_steps history_confidence_threshold weight_semantic weight_history_transition " +
    "weight_decision_prior repetition_penalty_strength",
}

const plugin: KeyTree = {
  "": "type",
  "@fast_response": configured("message"),
  "@response_cache": configured({
    "": "enabled mode scope ttl_seconds similarity_threshold allow_request_controls control_header",
    semantic: "similarity_threshold",
    request_controls: "enabled header allowed max_ttl_seconds",
    personalized: "mode",
    revision: "cache_epoch model_revision prompt_revision policy_revision",
  }),
  "@system_prompt": configured("enabled system_prompt mode"),
  "@header_mutation": configured({ "": "delete", add: { "*": "name value" }, update: { "*": "name value" } }),
  "@request_params": configured("blocked_params max_tokens_limit max_n strip_unknown default_max_tokens"),
  "@hallucination": configured(
    "enabled use_nli hallucination_action unverified_factual_action include_hallucination_details",
  ),
  "@response_jailbreak": configured("enabled threshold action"),
  "@router_replay": configured(
    "enabled max_records capture_request_body capture_response_body max_body_bytes max_tool_trace_bytes max_tool_trace_steps",
  ),
  "@memory": configured({
    "": "enabled retrieval_limit similarity_threshold auto_store hybrid_search hybrid_mode",
    reflection: "enabled algorithm max_inject_tokens recency_decay_days dedup_threshold block_patterns",
  }),
  "@rag": configured({
    "":
      "enabled backend similarity_threshold top_k max_context_length injection_mode backend_config on_failure cache_results " +
      "cache_ttl_seconds min_confidence_threshold",
    rerank: "top_k",
  }),
  "@tools": configured({
    "": "enabled mode semantic_selection allow_tools block_tools strip_tool_history strategy",
    dynamic_retrieval: {
      "": "enabled strategy history_window min_history_confidence fallback_on_low_confidence",
      weights: "semantic history decision_prior repetition_penalty",
    },
  }),
  "@tool_selection": configured({
    "":
      "enabled mode tools_db_path top_k similarity_threshold strategy fallback_to_empty relevance_threshold preserve_count " +
      "sticky",
    advanced_filtering: advancedFiltering,
  }),
  "@context_compression": configured({
    "": "enabled mode failure_mode",
    budget: "trigger_tokens target_tokens reserve_output_tokens",
    targets: {
      tool_outputs: "mode min_tokens target_tokens",
      history: "mode min_tokens target_tokens",
      rag: "mode min_tokens target_tokens",
      memory: "mode min_tokens target_tokens",
    },
    scoring: "method embedding_model_ref",
    recovery: "enabled store ttl max_bytes_per_request max_total_bytes max_retrievals",
    request_controls: "enabled header allowed max_target_tokens",
  }),
  "@image_gen": configured(
    "enabled backend backend_config modality_detection default_width default_height max_inference_steps timeout_seconds",
  ),
  "@shadow_dispatch": configured(
    "enabled model arms budget sample_rate max_concurrency max_queue_depth timeout_seconds max_response_bytes max_retries " +
      "capture_response_body max_capture_bytes tls_skip_verify forward_headers",
  ),
}

const decision: KeyTree = {
  "": "name description priority tier output_contract annotations",
  rules: rule,
  modelRefs: {
    "*": "model lora_name weight use_reasoning reasoning_effort reasoning_description reasoning_mode",
  },
  algorithm,
  plugins: { "*": plugin },
  adaptations: {
    "": "mode",
    adaptation: "mode candidate_set",
    protection: "mode stability_weight switch_margin",
  },
  output_contract_spec: {
    "": "type",
    choice_set: "values",
    json_schema: "schema_ref",
    reference: "source id_format",
    extract: "mode sources",
    normalize: "field_order defaults",
    postprocess: { "*": "type" },
    render: "mode template",
    on_violation: "repair fallback",
  },
  candidateIterations: { "*": { "": "variable source models", outputs: { "*": "type value" } } },
  emits: {
    "*": { "": "kind", retention: "drop ttl_turns keep_current_model prefer_prefix_retention" },
  },
  action: "type destination",
}

const fallback: KeyTree = {
  "": "version enabled max_attempts total_timeout per_attempt_timeout retryable_status_codes",
  circuit_breaker: "consecutive_failures cooldown_period half_open_probes",
}

const binding: KeyTree = {
  "": "deployment contract adapter head",
  operating_point: "path sha256",
  pair_scorer: "layer dimension",
}

const routing: KeyTree = {
  "": "strategy",
  modelCards: { "*": modelCard },
  signals,
  projections,
  decisions: { "*": decision },
  model_bindings: { "*": binding },
  candidate_requirements: "capabilities context",
  data_policy: "replay",
  fallback,
}

const providers: KeyTree = {
  defaults: {
    "": "model reasoning_effort",
    reasoning_families: { "*": "type parameter" },
  },
  models: {
    "*": {
      "": "name reasoning_family provider_model_id api_format external_model_ids catalog",
      pricing: "currency prompt_per_1m completion_per_1m cached_input_per_1m cache_write_per_1m",
      backend_refs: {
        "*":
          "name endpoint protocol weight base_url provider auth_header auth_prefix extra_headers api_version chat_path " +
          "api_key api_key_env",
      },
      reliability:
        "lb_policy retry_count retry_on consecutive_5xx base_ejection_time max_ejection_percent health_check_path " +
        "health_check_interval health_check_timeout",
      reasoning: "family type parameter activation_parameter effort_flags levels default disabled modes default_mode",
    },
  },
}

const router: KeyTree = {
  "": "config_source strategy auto_model_name auto_model_names include_config_models_in_list clear_route_cache enabled",
  streamed_body: "enabled max_bytes timeout_sec",
  skip_processing: "enabled",
  model_selection: {
    "": "enabled method momentum",
    router_dc: routerDc,
    automix,
    hybrid,
    ml: {
      "": "models_path embedding_dim",
      knn: "k pretrained_path",
      kmeans: "num_clusters efficiency_weight pretrained_path",
      svm: "kernel gamma pretrained_path",
      mlp: "device pretrained_path",
    },
  },
  learning: {
    "": "enabled",
    adaptation: "enabled candidate_set strategy",
    protection: {
      "": "enabled scope",
      identity: { headers: "session conversation" },
      tuning: "idle_timeout_seconds min_turns_before_switch switch_margin stability_weight progress_gate",
    },
    state_store: { "": "backend ttl_seconds timeout_ms", redis },
  },
  fallback,
}

const services: KeyTree = {
  api: {
    batch_classification: {
      "": "max_batch_size concurrency_threshold max_concurrency",
      metrics:
        "enabled sample_rate batch_size_ranges duration_buckets size_buckets detailed_goroutine_tracking high_resolution_timing",
    },
    routing_preview: "request_timeout_seconds max_concurrency",
    embeddings: "enabled",
  },
  response_api: {
    "": "enabled store_backend ttl_seconds max_responses",
    redis:
      `${redis} cluster_mode cluster_addresses pool_size min_idle_conns max_retries dial_timeout read_timeout write_timeout ` +
      "tls_enabled tls_cert_path tls_key_path tls_ca_path config_path",
  },
  observability: {
    metrics: {
      "": "enabled",
      windowed_metrics: "enabled time_windows update_interval model_metrics queue_depth_estimation max_models",
    },
    tracing: {
      "": "enabled provider",
      exporter: "type endpoint insecure",
      sampling: "type rate",
      resource: "service_name service_version deployment_environment",
    },
    profiling: "enabled port bind",
  },
  authz: {
    "": "fail_open",
    identity: "user_id_header user_groups_header",
    providers: { "*": "type headers" },
  },
  ratelimit: {
    "": "fail_open",
    providers: {
      "*": {
        "": "type address domain",
        rules: { "*": { "": "name requests_per_unit tokens_per_unit unit", match: "user group model" } },
      },
    },
  },
  management_api: {
    "": "bind_address port remote_exposure",
    auth: { "": "mode roles", tokens: { "*": "env role" } },
  },
  router_replay: {
    "": "enabled store_backend ttl_seconds async_writes",
    redis,
    postgres: "host port database user password ssl_mode pool table_name",
    milvus: "address collection shard_num",
    qdrant: "host port api_key use_tls collection_name",
  },
  startup_status: { "": "store_backend", redis: "address password db" },
}

const tls = "enabled cert_file key_file ca_file"
const qdrant = "host port api_key use_tls connect_timeout collection_name"
const cacheServer: KeyTree = {
  connection: { "": "host port database password timeout", tls },
  index: {
    "": "name prefix index_type",
    vector_field: "name dimension metric_type",
    params: "M efConstruction",
  },
  search: "topk",
  development: "drop_index_on_startup auto_create_index verbose_errors",
  logging: "level enable_query_log enable_metrics",
}

const stores: KeyTree = {
  response_cache: {
    "": "enabled backend_type similarity_threshold max_entries ttl_seconds eviction_policy embedding_model",
    redis: cacheServer,
    valkey: cacheServer,
    milvus: {
      connection: { "": "host port database timeout", auth: "enabled username password", tls },
      collection: { "": "name description", vector_field: "name dimension metric_type", index: "type params" },
      search: { "": "topk consistency_level", params: "ef" },
      performance: "",
      data_management: "",
      development: "drop_index_on_startup auto_create_index verbose_errors",
      logging: "level enable_query_log enable_metrics",
    },
    qdrant,
    polarity_guard: "mode",
  },
  memory: {
    "":
      "enabled backend auto_store disabled_routes disabled_models embedding_model extraction_batch_size " +
      "default_retrieval_limit default_similarity_threshold hybrid_search hybrid_mode adaptive_threshold persistence",
    quality_scoring: "initial_strength_days prune_threshold max_memories_per_user",
    reflection: "enabled algorithm max_inject_tokens recency_decay_days dedup_threshold block_patterns",
    milvus: "address collection dimension num_partitions",
    valkey:
      "host port database password timeout collection_prefix index_name dimension metric_type index_m index_ef_construction",
    qdrant,
    redis_cache: "enabled address ttl_seconds db key_prefix password",
  },
  vector_store: {
    "":
      "enabled backend_type file_storage_dir max_file_size_mb embedding_model embedding_dimension ingestion_workers " +
      "ingestion_drain_timeout_seconds supported_formats metadata_store metadata_postgres milvus",
    memory: "max_entries_per_store",
    llama_stack: "endpoint auth_token embedding_model request_timeout_seconds search_type",
    valkey: "host port database password connect_timeout collection_prefix metric_type index_m index_ef_construction",
    qdrant,
  },
  tool_sessions: "",
}

const windowed: KeyTree = { "": "max_sequence_length", window: "size overlap" }

const modules: KeyTree = {
  prompt_compression:
    "enabled profile max_tokens min_length skip_signals textrank_weight position_weight tfidf_weight novelty_weight " +
    "position_depth preserve_first_n preserve_last_n",
  prompt_guard: {
    ...windowed,
    "":
      "enabled model_ref model_id threshold use_cpu variant protocol jailbreak_mapping_path positive_labels on_error " +
      "on_unscanned max_sequence_length",
  },
  classifier: {
    domain: {
      ...windowed,
      "":
        "model_ref model_id threshold use_cpu use_modernbert use_mmbert_32k category_mapping_path fallback_category enabled " +
        "max_sequence_length",
    },
    mcp: "enabled transport_type command args env url tool_name threshold timeout_seconds",
    pii: {
      ...windowed,
      "":
        "model_ref model_id threshold use_cpu use_modernbert use_mmbert_32k pii_mapping_path enabled on_error on_unscanned " +
        "max_sequence_length",
    },
    preference: { "": "use_contrastive embedding_model", ...prototypeScoring },
  },
  complexity: prototypeScoring,
  hallucination_mitigation: {
    "": "enabled on_hallucination_detected",
    fact_check: { ...windowed, "": "model_ref model_id threshold use_cpu use_mmbert_32k max_sequence_length" },
    detector:
      "backend endpoint model_ref model_id use_cpu threshold min_span_length min_span_confidence context_window_size " +
      "enable_nli_filtering nli_entailment_threshold include_explanation",
    explainer: "model_ref model_id use_cpu threshold",
  },
  feedback_detector: {
    ...windowed,
    "": "enabled model_ref model_id threshold use_cpu use_modernbert use_mmbert_32k feedback_mapping_path max_sequence_length",
  },
  modality_detector: {
    ...windowed,
    "": "enabled prompt_prefixes method keywords both_keywords confidence_threshold lower_threshold_ratio max_sequence_length",
    classifier: "model_path use_cpu",
  },
  safety: {
    "": "on_error on_unscanned",
    safety: { ...windowed, "": "model_ref model_id use_cpu max_sequence_length" },
    hazard: { ...windowed, "": "model_ref model_id use_cpu max_sequence_length" },
  },
}

const modelCatalog: KeyTree = {
  "": "signal_timeout_ms",
  system:
    "prompt_guard domain_classifier pii_classifier fact_check_classifier hallucination_detector hallucination_explainer " +
    "feedback_detector safety hazard decision_model",
  embeddings: {
    semantic: {
      "": "qwen3_model_path gemma_model_path mmbert_model_path multimodal_model_path bert_model_path use_cpu",
      endpoint: "base_url model api_key_env timeout_seconds max_retries dimensions",
      embedding_config: {
        "":
          "backend model_type preload_embeddings target_dimension target_layer enable_soft_matching top_k " +
          "min_score_threshold",
        ...prototypeScoring,
      },
    },
  },
  external: {
    "*": {
      "":
        "name llm_provider model_role llm_model_name llm_timeout_seconds parser_type threshold access_key max_tokens " +
        "temperature reasoning max_request_bytes max_response_bytes",
      llm_endpoint: "address port protocol name use_chat_template prompt_template",
    },
  },
  kbs: {
    "*": {
      "": "name threshold label_thresholds groups",
      source: "path manifest",
      metrics: { "*": "name type positive_group negative_group" },
      ...prototypeScoring,
    },
  },
  modules,
  deployments: {
    "*": {
      "": "provider artifact revision device profile precision process endpoint served_name",
      input: "max_tokens overflow",
      replicas: { "*": "device endpoint served_name" },
    },
  },
  bindings: { "*": binding },
  admission: { "*": "max_concurrency max_queue queue_timeout_ms on_overflow" },
}

const integrations: KeyTree = {
  tools: {
    "": "enabled top_k similarity_threshold tools_db_path fallback_to_empty",
    advanced_filtering: advancedFiltering,
  },
  looper: {
    "": "endpoint timeout_seconds grpc_max_msg_size_mb max_response_bytes_mb retry_count headers",
    remom: "model_names",
    fusion: "model_names",
    flow: {
      "": "model_names",
      state: {
        "": "store_backend ttl_seconds",
        file: "directory",
        redis: `${redis} use_tls tls_skip_verify max_retries pool_size`,
      },
    },
  },
}

/** The whole format, in the current spelling of its keys. */
export const v03Keys: KeyTree = {
  "": "version",
  listeners: { "*": "name address port timeout api_keys" },
  providers,
  routing,
  entrypoints: { "*": "model_names recipe name description" },
  recipes: { "*": { "": "name description version", routing } },
  global: { router, services, stores, model_catalog: modelCatalog, integrations },
  setup: "mode state created_by created_at",
  evaluation: {
    "": "benchmarks indices",
    records: { "*": "model benchmark metrics benchmark_profile reasoning_effort source measured_at" },
  },
}

/** Words of keys that allow a closed list. `*` in a path stands for one step, `**` for any number of steps. */
export const v03Values: readonly (readonly [path: string, words: string])[] = [
  ["routing.strategy", "priority confidence"],
  ["routing.signals.keywords.*.operator", "AND OR NOR"],
  ["routing.signals.keywords.*.method", "regex bm25 ngram fuzzy"],
  ["routing.signals.embeddings.*.aggregation_method", "max any mean"],
  ["routing.signals.embeddings.*.query_modality", "text image"],
  ["routing.signals.jailbreak.*.method", "classifier contrastive"],
  ["routing.signals.jailbreak.*.direction", "request response"],
  [
    "routing.decisions.*.rules.**.type",
    "keyword embedding domain fact_check user_feedback reask preference language context structure complexity modality authz " +
      "jailbreak pii kb conversation event metadata classifier projection decision safety hallucination input_modality",
  ],
  [
    "routing.decisions.*.algorithm.type",
    "static multi_factor latency_aware router_dc automix hybrid knn kmeans svm mlp prompt decision confidence ratings remom " +
      "fusion workflows",
  ],
  [
    "routing.decisions.*.algorithm.confidence.confidence_method",
    "avg_logprob margin hybrid self_verify automix_entailment",
  ],
  ["routing.decisions.*.algorithm.confidence.on_error", "skip fail"],
  ["routing.decisions.*.algorithm.confidence.escalation_order", "size small_to_large declared cost automix"],
  ["routing.decisions.*.algorithm.confidence.token_filter", "all tool_call_args"],
  [
    "routing.decisions.*.plugins.*.type",
    "fast_response response_cache rag memory image_gen context_compression tools tool_selection system_prompt request_params " +
      "header_mutation router_replay hallucination response_jailbreak shadow_dispatch",
  ],
  ["providers.defaults.reasoning_families.*.type", "chat_template_kwargs reasoning_effort top_level_reasoning_effort"],
  ["providers.models.*.api_format", "openai anthropic"],
  ["providers.models.*.backend_refs.*.protocol", "http https"],
  [
    "providers.models.*.backend_refs.*.provider",
    "vllm openai anthropic azure-openai bedrock gemini vertex-ai minimax rtr_omni",
  ],
  ["global.router.config_source", "file kubernetes"],
  ["global.router.strategy", "priority confidence"],
  ["global.services.management_api.auth.mode", "disabled bearer"],
  ["global.services.response_api.store_backend", "memory redis"],
  ["global.model_catalog.deployments.*.provider", "model_runtime candle"],
  ["global.model_catalog.deployments.*.device", "auto cpu cuda rocm xpu mps"],
  ["global.model_catalog.deployments.*.input.overflow", "truncate reject window"],
  [
    "global.model_catalog.bindings.*.contract",
    "label_distribution.v1 label_scores.v1 token_spans.v1 embedding.v1 relevance_scores.v1",
  ],
  ["global.model_catalog.modules.prompt_guard.on_error", "allow block"],
  ["global.model_catalog.modules.modality_detector.method", "classifier keyword hybrid"],
]
