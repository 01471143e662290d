// Upstream's end-to-end cases: which document each group belongs to, what a case wants, and which signals explain a miss.

import { join } from "node:path"
import type { Outcome } from "./outcome.ts"

export interface Case {
  readonly prompt: string
  /** What was wanted and is not so; undefined where the case passes. */
  readonly miss: (outcome: Outcome) => string | undefined
}

export interface Group {
  readonly name: string
  /** In the folder of cases. */
  readonly file: string
  /** Relative to the corpus, or a file of this folder. */
  readonly document: string
  /** Signals whose numbers explain a miss. */
  readonly signals: readonly string[]
  /** Undefined for a case that the document has no part for. */
  readonly read: (row: Row) => Case | undefined
}

/** The columns of all files; each has some of them. */
export interface Row {
  readonly query: string
  readonly question: string
  readonly category: string
  readonly signal_name: string
  readonly expected_match: boolean
  readonly expected_decision: string
  readonly expected_category: string
  readonly expected_method: string
  readonly expected_blocked: boolean
  readonly expect_pii_block: boolean
  readonly expect_prompt_applied: boolean
  readonly plugin_type: string
  readonly decision: string
  readonly expected_models: readonly string[]
}

/** The profile that upstream runs most of its cases against. */
const gateway = "configs/033-profile-ai-gateway.yaml"
const trained = "configs/041-profile-ml-model-selection.yaml"
const own = join(import.meta.dirname, "embedding.yaml")

const wants = (what: string, holds: boolean): string | undefined => (holds ? undefined : `wants ${what}`)
const decides = (name: string, { decision }: Outcome): string | undefined => wants(name, decision === name)
const blocks = (name: string, expected: boolean, { decision }: Outcome): string | undefined =>
  wants(expected ? name : `not ${name}`, (decision === name) === expected)
const decisionOf = (category: string): string => `${category.replaceAll(" ", "_")}_decision`

export const groups: readonly Group[] = [
  {
    name: "keyword routing",
    file: "keyword_routing_cases.json",
    document: gateway,
    signals: [],
    read: ({ query, expected_category: name }) => ({ prompt: query, miss: (outcome) => decides(name, outcome) }),
  },
  {
    name: "embedding signal",
    file: "embedding_signal_cases.json",
    document: own,
    signals: ["embedding", "domain"],
    // Upstream compares the decision of matches only: those of the others do not fit what they say.
    read: ({ query, signal_name: rule, expected_match: matches, expected_decision: decision }) => ({
      prompt: query,
      miss: (outcome) =>
        wants(`${rule} ${matches ? "matched" : "not matched"}`, isMatched(outcome, "embeddings", rule) === matches) ??
        (matches ? decides(decision, outcome) : undefined),
    }),
  },
  {
    name: "decision fallback",
    file: "decision_fallback_cases.json",
    document: gateway,
    signals: ["domain"],
    read: ({ query, expected_decision: name }) => ({ prompt: query, miss: (outcome) => decides(name, outcome) }),
  },
  {
    name: "routing fallback",
    file: "routing_fallback_cases.json",
    document: gateway,
    signals: ["domain"],
    // The rule of meaning and the regular expression are in another document.
    read: ({ query, expected_category: name, expected_method: method }) =>
      method === "embedding" || name === "regex_pattern_match"
        ? undefined
        : {
            prompt: query,
            miss: (outcome) => decides(method === "keyword" ? name : decisionOf(name), outcome),
          },
  },
  {
    name: "plugins of decisions",
    file: "plugin_config_cases.json",
    document: gateway,
    signals: ["domain"],
    read: ({ query, expected_decision: name, plugin_type: plugin }) => ({
      prompt: query,
      miss: (outcome) =>
        decides(name, outcome) ??
        (plugin === "system_prompt" ? wants("its prompt", outcome.plugins[plugin] === "changed") : undefined),
    }),
  },
  {
    name: "plugins behind guards",
    file: "plugin_chain_cases.json",
    document: gateway,
    signals: ["pii", "domain"],
    read: ({ query, expect_pii_block: blocked, expect_prompt_applied: prompted }) => ({
      prompt: query,
      miss: (outcome) =>
        blocks("block_pii", blocked, outcome) ??
        wants(prompted ? "a prompt" : "no prompt", (outcome.plugins["system_prompt"] === "changed") === prompted),
    }),
  },
  {
    name: "domain",
    file: "domain_classify_cases.json",
    document: gateway,
    signals: ["domain"],
    read: ({ question, category }) => ({
      prompt: question,
      miss: (outcome) => decides(decisionOf(category), outcome),
    }),
  },
  {
    name: "domain: likeliest label",
    file: "domain_classify_cases.json",
    document: gateway,
    signals: ["domain"],
    // The model alone, without thresholds, guards and other decisions.
    read: ({ question, category }) => ({
      prompt: question,
      miss: ({ values }) => wants(category, likeliest(values, "domain") === category),
    }),
  },
  {
    name: "PII",
    file: "pii_detection_cases.json",
    document: gateway,
    signals: ["pii"],
    read: ({ question, expected_blocked: blocked }) => ({
      prompt: question,
      miss: (outcome) => blocks("block_pii", blocked, outcome),
    }),
  },
  {
    name: "jailbreak",
    file: "jailbreak_detection_cases.json",
    document: gateway,
    signals: ["jailbreak"],
    read: ({ question, expected_blocked: blocked }) => ({
      prompt: question,
      miss: (outcome) => blocks("block_jailbreak", blocked, outcome),
    }),
  },
  {
    name: "trained selection",
    file: "model_selection_cases.json",
    document: trained,
    signals: ["domain"],
    read: ({ query, decision: name, expected_models: models }) => ({
      prompt: query,
      miss: (outcome) =>
        decides(name, outcome) ??
        wants(models.join(" or "), outcome.model !== undefined && models.includes(outcome.model)),
    }),
  },
]

const likeliest = (values: Outcome["values"], signal: string): string | undefined =>
  Object.entries(values)
    .filter(([name]) => name.startsWith(`${signal}:`))
    .toSorted(([, a], [, b]) => b - a)[0]?.[0]
    .slice(signal.length + 1)

const isMatched = ({ matched }: Outcome, signal: string, rule: string): boolean =>
  matched[signal]?.includes(rule) === true
