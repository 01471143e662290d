// `global.router.model_selection`: what selectors share. Values of a decision's own block go before these.

import { type DocumentPath, literals, mapOf, type Report, section, type Static, Type } from "../../../kernel/index.ts"

/** `router_dc`, in a decision and for all. */
export const routerDcOptions = section({
  temperature: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: "How much a small difference counts; 0.07 when left out" }),
  ),
  min_similarity: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Score that the best model needs; 0.3 when left out" }),
  ),
  require_descriptions: Type.Optional(
    Type.Boolean({ description: "Refuse a document in which a candidate has no description; false when left out" }),
  ),
  use_capabilities: Type.Optional(
    Type.Boolean({ description: "Compare with the card's capabilities as well; true when left out" }),
  ),
  dimension_size: Type.Optional(Type.Integer({ minimum: 1, description: "No effect" })),
  use_query_contrastive: Type.Optional(Type.Boolean({ description: "No effect" })),
  use_model_contrastive: Type.Optional(Type.Boolean({ description: "No effect" })),
})

/** `automix`, in a decision and for all. */
export const automixOptions = section({
  verification_threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "A model that passes it gains a tenth; 0.7 when left out" }),
  ),
  cost_aware_routing: Type.Optional(Type.Boolean({ description: "Whether prices count; true when left out" })),
  cost_quality_tradeoff: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "How much the price counts: 0.5 when a decision leaves it out, 0.3 when the global section does",
    }),
  ),
  discount_factor: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "No effect" })),
  max_escalations: Type.Optional(Type.Integer({ minimum: 0, description: "No effect" })),
  use_logprob_verification: Type.Optional(Type.Boolean({ description: "No effect" })),
})

/** `hybrid`, in a decision and for all. */
export const hybridOptions = section({
  experience_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "0.3 when left out" })),
  router_dc_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "0.3 when left out" })),
  automix_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "0.2 when left out" })),
  cost_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "0.2 when left out" })),
  normalize_scores: Type.Optional(
    Type.Boolean({ description: "Put the scores of each part on a scale from 0 to 1; true when left out" }),
  ),
  quality_gap_threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "No effect" })),
})

const path = Type.String({
  minLength: 1,
  description: "File of the artefact; KIND_model.json of models_path when left out",
})

const schema = section({
  router_dc: Type.Optional(routerDcOptions),
  automix: Type.Optional(automixOptions),
  hybrid: Type.Optional(hybridOptions),
  ml: Type.Optional(
    section({
      models_path: Type.Optional(
        Type.String({ minLength: 1, description: "Folder of the artefacts; .cache/ml-models when left out" }),
      ),
      cost_weight: Type.Optional(
        Type.Number({
          minimum: 0,
          description:
            "Chance of a right answer that is given up to save a dollar in a thousand calls, where a predictor with selection.json chooses; 0 when left out",
        }),
      ),
      measured_as: Type.Optional(
        mapOf(Type.String(), {
          description: "Names of models here, and under which name the predictor has measured each",
        }),
      ),
      embedding_dim: Type.Optional(Type.Integer({ minimum: 0, description: "No effect" })),
      knn: Type.Optional(
        section({
          k: Type.Optional(Type.Integer({ minimum: 0, description: "No effect" })),
          pretrained_path: Type.Optional(path),
        }),
      ),
      kmeans: Type.Optional(
        section({
          num_clusters: Type.Optional(Type.Integer({ minimum: 0, description: "No effect" })),
          efficiency_weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "No effect" })),
          pretrained_path: Type.Optional(path),
        }),
      ),
      svm: Type.Optional(
        section({
          kernel: Type.Optional(literals(["rbf", "linear"], { description: "No effect" })),
          gamma: Type.Optional(Type.Number({ minimum: 0, description: "No effect" })),
          pretrained_path: Type.Optional(path),
        }),
      ),
      mlp: Type.Optional(
        section({
          device: Type.Optional(literals(["cpu", "cuda", "metal"], { description: "No effect" })),
          pretrained_path: Type.Optional(path),
        }),
      ),
    }),
  ),
})

export type ModelSelection = Static<typeof schema>

export const modelSelection = { path: ["router", "model_selection"], schema, check: checkUnused } as const

const unusedKeys = {
  router_dc: ["dimension_size", "use_query_contrastive", "use_model_contrastive"],
  automix: ["discount_factor", "max_escalations", "use_logprob_verification"],
  hybrid: ["quality_gap_threshold"],
} as const

/** Warns of the keys of a block that the format has and nothing reads. */
export function reportUnused(
  kind: keyof typeof unusedKeys,
  block: object,
  report: Report,
  at: DocumentPath = [],
): void {
  for (const key of unusedKeys[kind])
    if (key in block) report([...at, key], `has no effect: ${kind} does not read it`, "warning")
}

function checkUnused(settings: ModelSelection, report: Report): void {
  for (const kind of ["router_dc", "automix", "hybrid"] as const)
    if (settings[kind] !== undefined) reportUnused(kind, settings[kind], report, [kind])
  const { ml = {} } = settings
  const trained: readonly (readonly [keyof typeof ml, readonly string[]])[] = [
    ["knn", ["k"]],
    ["kmeans", ["num_clusters", "efficiency_weight"]],
    ["svm", ["kernel", "gamma"]],
    ["mlp", ["device"]],
  ]
  for (const [kind, keys] of trained)
    for (const key of keys)
      if (typeof ml[kind] === "object" && key in ml[kind])
        report(["ml", kind, key], "has no effect: it is for the training, and the artefact has its own", "warning")
  if (ml.embedding_dim !== undefined)
    report(["ml", "embedding_dim"], "has no effect: the artefact says how long its vectors are", "warning")
}
