// A document in which every built-in signal is read.

import { documentWith } from "./document.ts"

const keywords = Array.from({ length: 300 }, (_, index) => `keyword${index}x`)

const signals = {
  jailbreak: [
    { name: "attack", include_history: true },
    { name: "contrast", method: "contrastive", jailbreak_patterns: ["ignore the rules"], benign_patterns: ["hello"] },
  ],
  pii: [{ name: "personal", include_history: true }],
  domains: [{ name: "law" }],
  fact_check: [{ name: "needs_fact_check" }],
  user_feedbacks: [{ name: "wrong_answer" }],
  modality: [{ name: "DIFFUSION" }],
  embeddings: [{ name: "near", threshold: 0.9, candidates: ["close my account"] }],
  language: [{ name: "fr" }],
  context: [{ name: "long", min_tokens: "100K" }],
  keywords: [
    { name: "exact", operator: "OR", keywords },
    { name: "each", operator: "AND", keywords: keywords.slice(0, 50) },
    { name: "fuzzy", operator: "OR", method: "fuzzy", keywords: keywords.slice(0, 20) },
    { name: "ranked", operator: "OR", method: "bm25", keywords },
    { name: "ngram", operator: "OR", method: "ngram", keywords: keywords.slice(0, 20) },
    {
      name: "pattern",
      operator: "OR",
      method: "regex",
      keywords: ["\\b(refund|chargeback|money back)\\b", "[\\w.]+@[\\w.]+\\.\\w{2,}z", "(a|b)*a(a|b){40}c"],
    },
  ],
  structure: [
    { name: "count", feature: { type: "count", source: { type: "regex", pattern: "[?!]" } }, predicate: { gt: 5 } },
    {
      name: "density",
      feature: { type: "density", source: { type: "keyword_set", keywords: keywords.slice(0, 50) } },
      predicate: { gt: 0.5 },
    },
    { name: "order", feature: { type: "sequence", source: { type: "sequence", sequences: [["first", "then"]] } } },
    { name: "bytes", feature: { type: "count", source: { type: "text_bytes" } }, predicate: { gt: 1e9 } },
  ],
} as const

const types: Readonly<Record<keyof typeof signals, string>> = {
  jailbreak: "jailbreak",
  pii: "pii",
  domains: "domain",
  fact_check: "fact_check",
  user_feedbacks: "user_feedback",
  modality: "modality",
  embeddings: "embedding",
  language: "language",
  context: "context",
  keywords: "keyword",
  structure: "structure",
}

const conditions = Object.entries(signals).flatMap(([key, rules]) =>
  rules.map(({ name }) => ({ type: types[key as keyof typeof signals], name })),
)

export const everySignal = documentWith({
  "global.model_catalog.signal_timeout_ms": 60_000,
  "routing.signals": signals,
  "routing.decisions": [{ name: "all", rules: { operator: "OR", conditions }, modelRefs: [{ model: "large" }] }],
})
