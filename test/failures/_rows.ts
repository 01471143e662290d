// Every module that asks a model, with a document in which it does. A new one needs its row here.

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Asked } from "./_helper.ts"

export interface Row {
  /** Id of the module. */
  readonly id: string
  /** What it does here, where it asks in several ways. */
  readonly method?: string
  readonly asks: Asked
  /** Names of failures that are none here. */
  readonly unharmedBy?: readonly string[]
}

export interface SignalRow extends Row {
  /** Condition that matches when the helper is as it should be. */
  readonly condition: { readonly type: string; readonly name: string; readonly label?: string }
  /** Names of all facts of the rule, where they are several. */
  readonly facts?: readonly string[]
  /** Changes of the document. `port` is that of servers of others. */
  readonly changes: Readonly<Record<string, unknown>> | ((port: number) => Readonly<Record<string, unknown>>)
  /** What a chat model of others says. */
  readonly says?: string
  readonly messages?: readonly object[]
  /** Only the deployment of this name fails. */
  readonly failing?: string
  /** Counts as found while it is not read. */
  readonly guard?: true
  /** Failures of which it has an answer all the same, with what it makes of them. */
  readonly answers?: Readonly<Record<string, "match">>
}

/** Reads replies: while it does not, they go on without its warning. */
export interface ReplyRow extends Row {
  readonly plugin: { readonly type: string; readonly configuration: object }
  /** What its helper is asked through. */
  readonly binding: string
  readonly changes: Readonly<Record<string, unknown>>
  readonly messages: readonly object[]
}

export interface SelectorRow extends Row {
  /** The algorithm of the decision; `helper` is the model that it may ask. */
  readonly algorithm: Readonly<Record<string, unknown>>
  readonly changes?: Readonly<Record<string, unknown>>
  /** Chooses without its helper; what stands in `selection_reason` then. */
  readonly withoutHelper?: string
}

const user = (content: string): object => ({ role: "user", content })
const catalog = "global.model_catalog"

/** A classifier of a document's own, on a server of somebody else. */
const classifier = (type: string, entry: object) => (port: number) => ({
  [`${catalog}.external`]: [
    {
      name: "colours",
      model_role: "classification",
      llm_endpoint: { address: "127.0.0.1", port },
      llm_model_name: "colours",
      llm_timeout_seconds: 20,
    },
  ],
  "routing.signals.classifiers": [{ name: "colour", type, labels: ["blue", "red"], model: "colours", ...entry }],
})
const ofColours = {
  id: "classifiers",
  condition: { type: "classifier", name: "colour", label: "blue" },
  facts: ["colour:blue", "colour:red"],
}

/** A chat model on a server of somebody else that guards. */
const guardOfOthers = (port: number) => ({
  [`${catalog}.external`]: [
    {
      name: "guard",
      model_role: "guardrail",
      llm_endpoint: { address: "127.0.0.1", port },
      llm_model_name: "guard",
      parser_type: "qwen3guard",
    },
  ],
  [`${catalog}.modules.prompt_guard`]: { backend: { protocol: "http_chat", model: "guard" } },
  "routing.signals.jailbreak": [{ name: "attack" }],
})

export const signalRows: readonly SignalRow[] = [
  {
    id: "jailbreak",
    method: "http_chat",
    asks: "http_chat",
    guard: true,
    condition: { type: "jailbreak", name: "attack" },
    changes: guardOfOthers,
    says: "Safety: Unsafe\nCategories: Jailbreak",
  },
  {
    ...ofColours,
    method: "local",
    asks: "classify",
    changes: {
      [`${catalog}.deployments`]: { colours: { artifact: "models/colours" } },
      [`${catalog}.bindings`]: { "classifier.colour": { deployment: "colours", head: "colours" } },
      "routing.signals.classifiers": [{ name: "colour", type: "local", labels: ["blue", "red"] }],
    },
  },
  {
    ...ofColours,
    method: "llm",
    asks: "http_chat",
    changes: classifier("llm", { instructions: "Which?" }),
    says: '{"label": "blue"}',
  },
  {
    ...ofColours,
    method: "sequence_classifier",
    asks: "http_classify",
    changes: classifier("sequence_classifier", {}),
  },
  {
    id: "domain",
    asks: "classify",
    condition: { type: "domain", name: "math" },
    changes: { "routing.signals.domains": [{ name: "math" }] },
  },
  {
    id: "fact_check",
    asks: "classify",
    condition: { type: "fact_check", name: "needs_fact_check" },
    changes: { "routing.signals.fact_check": [{ name: "needs_fact_check" }] },
  },
  {
    id: "user_feedback",
    asks: "classify",
    condition: { type: "user_feedback", name: "wrong_answer" },
    changes: { "routing.signals.user_feedbacks": [{ name: "wrong_answer" }] },
    messages: [user("Is 91 prime?"), { role: "assistant", content: "Yes." }, user("No, it is blue")],
  },
  {
    id: "modality",
    asks: "classify",
    condition: { type: "modality", name: "DIFFUSION" },
    changes: { "routing.signals.modality": [{ name: "DIFFUSION" }] },
  },
  {
    id: "modality",
    method: "hybrid",
    asks: "classify",
    condition: { type: "modality", name: "DIFFUSION" },
    changes: {
      "routing.signals.modality": [{ name: "DIFFUSION" }],
      [`${catalog}.modules.modality_detector`]: { method: "hybrid", keywords: ["paint"] },
    },
  },
  {
    id: "jailbreak",
    asks: "classify",
    guard: true,
    condition: { type: "jailbreak", name: "attack" },
    changes: { "routing.signals.jailbreak": [{ name: "attack" }] },
  },
  {
    id: "jailbreak",
    method: "contrastive",
    asks: "embed",
    guard: true,
    condition: { type: "jailbreak", name: "attack" },
    changes: {
      "routing.signals.jailbreak": [
        { name: "attack", method: "contrastive", jailbreak_patterns: ["blue"], benign_patterns: ["red"] },
      ],
    },
  },
  {
    id: "jailbreak",
    method: "hybrid",
    asks: "classify",
    guard: true,
    condition: { type: "jailbreak", name: "attack" },
    changes: {
      "routing.signals.jailbreak": [{ name: "attack", method: "hybrid", jailbreak_patterns: ["red"] }],
    },
  },
  {
    id: "jailbreak",
    method: "second guard",
    asks: "classify",
    guard: true,
    condition: { type: "jailbreak", name: "attack" },
    failing: "second",
    changes: {
      "routing.signals.jailbreak": [{ name: "attack" }],
      [`${catalog}.modules.prompt_guard.second`]: { from: 0.05 },
      [`${catalog}.deployments.second`]: { artifact: "models/second" },
      [`${catalog}.bindings.prompt_guard`]: { deployment: "default", head: "doubtful" },
      [`${catalog}.bindings.prompt_guard_second`]: { deployment: "second", head: "jailbreak" },
    },
  },
  {
    id: "safety",
    asks: "classify",
    guard: true,
    condition: { type: "safety", name: "harmful" },
    changes: {
      "routing.signals.safety": [
        { name: "harmful", threshold: 0.5, labels: ["benign", "jailbreak"], unsafe_labels: ["jailbreak"] },
      ],
      [`${catalog}.bindings.safety`]: { deployment: "default", head: "jailbreak" },
    },
  },
  {
    id: "pii",
    asks: "spans",
    guard: true,
    condition: { type: "pii", name: "personal" },
    changes: { "routing.signals.pii": [{ name: "personal" }] },
  },
  {
    id: "embedding",
    asks: "embed",
    condition: { type: "embedding", name: "near" },
    changes: { "routing.signals.embeddings": [{ name: "near", threshold: 0.9, candidates: ["blue"] }] },
  },
  {
    id: "preference",
    asks: "embed",
    condition: { type: "preference", name: "brief" },
    changes: { "routing.signals.preferences": [{ name: "brief", threshold: 0.9, examples: ["blue"] }] },
  },
  {
    id: "complexity",
    asks: "embed",
    condition: { type: "complexity", name: "work:hard" },
    facts: ["work:easy", "work:medium", "work:hard"],
    changes: {
      "routing.signals.complexity": [{ name: "work", hard: { candidates: ["blue"] }, easy: { candidates: ["red"] } }],
    },
  },
  {
    id: "kb",
    asks: "embed",
    condition: { type: "kb", name: "colours" },
    changes: {
      [`${catalog}.kbs`]: [{ name: "Colours", source: { path: "colours/", manifest: "labels.json" }, threshold: 0.9 }],
      "routing.signals.kb": [{ name: "colours", kb: "Colours", target: { kind: "label", value: "blue" } }],
    },
  },
  {
    id: "reask",
    asks: "embed",
    // Both vectors come from the helper.
    unharmedBy: ["another width"],
    condition: { type: "reask", name: "again" },
    changes: { "routing.signals.reasks": [{ name: "again" }] },
    messages: [user("Is it blue?"), { role: "assistant", content: "Perhaps." }, user("It is blue?")],
  },
  {
    id: "judgment",
    method: "choice",
    asks: "decide",
    condition: { type: "decision", name: "kind", label: "blue" },
    facts: ["kind:red", "kind:blue"],
    changes: {
      "routing.signals.decision": [
        { name: "kind", question: { type: "choice", choices: [{ key: "red" }, { key: "blue" }] } },
      ],
    },
  },
  {
    id: "judgment",
    method: "noul",
    asks: "decide",
    condition: { type: "decision", name: "sure" },
    changes: { "routing.signals.decision": [{ name: "sure", question: { type: "noul", instructions: "Is it?" } }] },
    answers: { "unknown labels": "match" },
  },
]

/** Artefacts that choose `large` for texts with `blue`: two numbers of the vector, fourteen places of the domain. */
const folder = mkdtempSync(join(tmpdir(), "rtr-failures-"))
const towards = (place: 0 | 1): readonly number[] =>
  Array.from({ length: 2 + 14 }, (_, index) => (index === place ? 1 : 0))
const [red, blue] = [towards(0), towards(1)]
const names = ["small", "large"]
const artefacts: Readonly<Record<string, object>> = {
  knn: { k: 1, embeddings: [red, blue], labels: names },
  kmeans: { centroids: [red, blue], cluster_models: names },
  svm: {
    gamma: 1,
    kernel_type: "Linear",
    model_names: names,
    linear_classifiers: [red, blue].map((weights, index) => ({ model_name: names[index], weights, rho: 0 })),
  },
  mlp: { model_names: names, feature_dim: 16, layers: [{ type: "linear", weight: [red, blue], bias: [0, 0] }] },
}
for (const [algorithm, artefact] of Object.entries(artefacts))
  writeFileSync(join(folder, `${algorithm}_model.json`), JSON.stringify({ algorithm, trained: true, ...artefact }))

const cards = {
  "routing.modelCards": [
    { name: "small", description: "red things" },
    { name: "large", description: "blue things" },
  ],
}
const trained = { "global.router.model_selection": { ml: { models_path: folder } } }

/** Directions are compared, or a training knows how long vectors are. */
const anyLength = ["out of range"]

export const replyRows: readonly ReplyRow[] = [
  {
    id: "hallucination",
    asks: "spans",
    plugin: { type: "hallucination", configuration: { enabled: true } },
    binding: "hallucination_detector",
    changes: {
      "routing.signals.fact_check": [{ name: "needs_fact_check" }],
      [`${catalog}.modules.hallucination_mitigation.detector`]: { min_span_length: 1 },
    },
    messages: [
      user("What colour is it?"),
      {
        role: "assistant",
        tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content: "It is blue" },
    ],
  },
]

export const selectorRows: readonly SelectorRow[] = [
  { id: "router_dc", asks: "embed", algorithm: { type: "router_dc" }, changes: cards, unharmedBy: anyLength },
  {
    id: "hybrid",
    asks: "embed",
    algorithm: { type: "hybrid", hybrid: { router_dc_weight: 1 } },
    changes: cards,
    unharmedBy: anyLength,
    withoutHelper: "the best of 2 weighted parts (0.5)",
  },
  {
    id: "prompt",
    asks: "chat",
    algorithm: { type: "prompt", prompt: { model: "helper", instructions: "Choose by colour." } },
  },
  { id: "decision", asks: "decide", algorithm: { type: "decision", decision: { instructions: "Who?" } } },
  { id: "knn", asks: "embed", algorithm: { type: "knn" }, changes: trained, unharmedBy: anyLength },
  { id: "kmeans", asks: "embed", algorithm: { type: "kmeans" }, changes: trained, unharmedBy: anyLength },
  { id: "svm", asks: "embed", algorithm: { type: "svm" }, changes: trained, unharmedBy: anyLength },
  { id: "mlp", asks: "embed", algorithm: { type: "mlp" }, changes: trained, unharmedBy: anyLength },
]
