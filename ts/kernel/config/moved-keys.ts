// Data: keys of older documents, and where their content belongs now. `*` stands for one step.

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
  ...[
    "session_aware",
    "model_switch_gate",
    "lookup_tables",
    "elo",
    "rl_driven",
    "gmtrouter",
    "bandit",
    "personalization",
  ].map((key) => [`global.router.model_selection.${key}`, "global.router.learning"] as const),
  ["global.router.learning.adaptations", "global.router.learning.adaptation and protection"],
  ...["signals", "decisions", "strategy"].map((key) => [key, `routing.${key}`] as const),
  ["categories", "routing.signals.domains"],
  ["model_config", "providers.models and routing.modelCards"],
  // Of LiteLLM.
  ["model_list", "providers.models, whose entries have their addresses in backend_refs"],
  ["vllm_endpoints", "providers.models[].backend_refs[]"],
  ["default_model", "providers.defaults.model"],
  ["routing.signals.structure.*.feature.normalize_by", "nothing: density is always normalised"],
]
