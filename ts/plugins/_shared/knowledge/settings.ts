// `global.model_catalog.kbs`: its keys, and the knowledge bases that are there without being declared.

import { literals, mapOf, section, type Static, Type } from "../../../kernel/index.ts"
import { prototypeScoring } from "../prototype-bank.ts"

const name = Type.String({ minLength: 1, pattern: "\\S" })
const share = Type.Number({ minimum: 0, maximum: 1 })

/** Labels are judged each for itself: none has to be ahead of the next. */
const { margin_threshold: _, ...scoring } = prototypeScoring.properties

export const knowledgeBase = section({
  name,
  source: section({
    path: Type.String({ minLength: 1, description: "Folder of the manifest, relative to this document" }),
    manifest: Type.Optional(
      Type.String({ minLength: 1, description: "File in that folder; labels.json when left out" }),
    ),
  }),
  threshold: Type.Optional(share),
  label_thresholds: Type.Optional(mapOf(share)),
  groups: Type.Optional(mapOf(Type.Array(name, { minItems: 1 }), { description: "Labels by the name of their group" })),
  metrics: Type.Optional(
    Type.Array(
      section({
        name,
        type: literals(["group_margin"]),
        positive_group: name,
        negative_group: name,
      }),
      {
        description:
          "Numbers for the scores of projections: how much more similar a text is to one group than to another",
      },
    ),
  ),
  prototype_scoring: Type.Optional(section(scoring)),
})

export const knowledgeBases = Type.Array(knowledgeBase, { description: "Labels with example sentences, for kb rules" })

export type KnowledgeBase = Static<typeof knowledgeBase>

/** Numbers that every knowledge base has, beside the `metrics` that it declares. */
export const ownMetrics = ["best_score", "best_matched_score"] as const

/** The knowledge bases of a document: those that it declares, or the built-in ones where it has no `kbs`. */
export const knowledgeBasesOf = (settings: unknown): readonly KnowledgeBase[] =>
  Array.isArray(settings) ? (settings as readonly KnowledgeBase[]) : builtin

/** The file of a manifest, relative to the document. */
export const manifestPath = ({ source: { path, manifest = "labels.json" } }: KnowledgeBase): string =>
  `${path.replace(/\/+$/, "")}/${manifest}`

const containment = ["prompt_injection", "credential_exfiltration", "jailbreak_role", "system_prompt_extraction"]
const policy = [
  "proprietary_code",
  "internal_document",
  "pii",
  "business_strategy",
  "trade_secret_ip",
  "operational_infrastructure",
  "locality_directive",
  "customer_data",
]
const frontier = ["architecture_analysis", "root_cause_analysis", "multi_step_tradeoffs"]
const standard = ["generic_coding", "simple_task", "general_knowledge"]

/** Names, groups and thresholds are those that the v0.3 format has by default; documents refer to them undeclared. */
const builtin: readonly KnowledgeBase[] = [
  {
    name: "privacy_kb",
    source: { path: "knowledge_bases/privacy" },
    threshold: 0.55,
    label_thresholds: { prompt_injection: 0.7 },
    groups: {
      security_containment: containment,
      privacy_policy: policy,
      frontier_reasoning: frontier,
      local_standard: standard,
      private: [...containment, ...policy],
      public: [...frontier, ...standard],
    },
    metrics: [{ name: "private_vs_public", type: "group_margin", positive_group: "private", negative_group: "public" }],
  },
  {
    name: "mmlu_kb",
    source: { path: "knowledge_bases/mmlu" },
    threshold: 0.25,
    groups: {
      escalate: [
        "biology",
        "business",
        "computer science",
        "economics",
        "history",
        "math",
        "other",
        "philosophy",
        "psychology",
      ],
      keep: ["chemistry", "engineering", "health", "law", "physics"],
    },
    metrics: [{ name: "escalate_vs_keep", type: "group_margin", positive_group: "escalate", negative_group: "keep" }],
  },
]
