// Data: why a verdict differs from upstream's, or a document is not served. The first entry that fits is told.

import { parse } from "yaml"
import type { Judged } from "./report.ts"

export interface Explanation {
  /** Fits `set/file`. */
  readonly document?: RegExp
  /** Fits a problem, a warning or the outcome of the start. */
  readonly reason?: RegExp
  /** Holds for the document's value. */
  readonly holds?: (document: Json) => boolean
  /** Whether it is for documents that rtr takes, or for those that it refuses. */
  readonly verdict: "valid" | "refused"
  /** Says why a start fails; the others say why the verdicts differ. */
  readonly ofStart?: true
  readonly because: string
  /** rtr differs on purpose. Otherwise something is missing. */
  readonly isDeliberate: boolean
}

type Json = Readonly<Record<string, unknown>>

export const explanations: readonly Explanation[] = [
  {
    verdict: "valid",
    reason: /is the older spelling of/,
    because: "the spelling of August 2026, which 0.4.0 refuses until it is migrated; rtr takes both and warns",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => /"reasoning_famil(y|ies)"|"quality_score"|"semantic_cache"/.test(JSON.stringify(document)),
    because: "the spelling of August 2026, which 0.4.0 refuses until it is migrated; rtr takes both",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) =>
      decisionsOf(document).some((decision) => !("priority" in decision) || !("description" in decision)),
    because:
      "0.4.0 wants a priority and a description for each decision; rtr, like upstream's own router, takes 0 and none",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => /"backend_refs":null|"decisions":null/.test(JSON.stringify(document)),
    because: "a key without a value is the same as none",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /is only described|without a backend the model is listed/,
    because:
      "a model without a backend is described only; 0.4.0 wants a backend where it writes the proxy's configuration",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    document: /^configs\//,
    holds: (document) =>
      at(document, "providers", "defaults", "model") !== undefined || /"model_bindings"/.test(JSON.stringify(document)),
    because: "the spelling of 0.4.0, which the snapshot of August does not know; rtr takes both",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /plugin "image_gen"/,
    because:
      "0.4.0 has dropped image_gen; rtr names it as missing, and serves the document only with --allow-missing-plugins",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /\.provider: is no provider; write/,
    because: "0.4.0's own migration takes a backend of type chat for a provider chat; rtr takes it for vllm and warns",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /windowed_metrics: is not supported|domains\[\d+\]\.system_prompt/,
    because: "keys of older documents that 0.4.0 no longer knows; rtr warns that they have no effect",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /^global\.integrations\.tools: is not supported/,
    holds: (document) => at(document, "global", "integrations", "tools", "model_type") !== undefined,
    because:
      "a model of its own for tools, which 0.4.0 no longer knows; rtr warns that the whole section has no effect",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => listAt(document, "routing", "signals", "domains").some((rule) => !("description" in rule)),
    because: "0.4.0 wants a description for each domain; rtr, like the snapshot of August, takes none",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => modelsOf(document).some(({ reasoning }) => isToldEfforts(reasoning)),
    because:
      "0.4.0 wants the levels of a model that is told efforts, which its own migration does not write; rtr tells it each effort that the document names",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => refsOf(document, (ref) => ref["use_reasoning"] === false).some(isSwitched),
    because:
      "0.4.0 takes reasoning without modes, as its own migration writes it, for reasoning that is always on; rtr switches it off, as the document says",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    holds: (document) => modelsOf(document).some(hasTwoHosts),
    because:
      "0.4.0 cannot put backends of two providers or host names into one cluster of its proxy; rtr calls each in its own way",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /query_modality: is image, and the built-in model reads none/,
    ofStart: true,
    because:
      "a rule about images needs a model that reads them: 0.4.0 wants it named in the document; rtr warns, and does not serve a decision that asks the rule before one is bound",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    document: /^configs-v04\//,
    reason: /^Signal binding "safety\./,
    ofStart: true,
    because:
      "a safety rule needs a model, which upstream has built in and rtr has not; rtr warns, and serves the document once global.model_catalog.bindings names one",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /modules\.safety\..*: has no effect/,
    because: "rtr does not check the value of a key that has no effect here, and warns of the key",
    isDeliberate: true,
  },
  {
    verdict: "refused",
    reason: /classifier\.mcp\.command: is missing/,
    because: "a server that is started needs a command; 0.4.0 finds out only when it starts one",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /Cannot use the Redis server/,
    ofStart: true,
    because: "the document keeps its state on a server, which is not there in this comparison",
    isDeliberate: true,
  },
  {
    verdict: "refused",
    reason: /^evaluation: is not supported/,
    because: "records of benchmarks are not read yet",
    isDeliberate: false,
  },
  {
    verdict: "refused",
    reason: /\.catalog: is not supported/,
    because: "there is no catalogue of model cards yet",
    isDeliberate: false,
  },
  {
    verdict: "refused",
    reason: /is not supported yet/,
    because: "the router does not have this yet, and somebody may rely on it",
    isDeliberate: false,
  },
]

/** Both refuse a document, and nothing better is known of it. */
const refusedByBoth: Explanation = {
  verdict: "refused",
  because: "upstream refuses it too",
  isDeliberate: true,
}

/** Why a document differs; undefined where nobody has said. */
export function explain({ document, judgement }: Judged): Explanation | undefined {
  const { problems, warnings, started, valid } = judgement
  const reasons = [...problems, ...warnings, started?.outcome ?? ""]
  let value: Json | undefined
  const read = (): Json => (value ??= readValue(document.text))
  const isSame = valid === document.accepted
  const found = explanations.find(
    ({ verdict, document: name, reason, holds, ofStart }) =>
      (!isSame || ofStart === true) &&
      verdict === (valid ? "valid" : "refused") &&
      (name === undefined || name.test(`${document.set}/${document.file}`)) &&
      (reason === undefined || reasons.some((each) => reason.test(each))) &&
      (holds === undefined || holds(read())),
  )
  return found ?? (!valid && document.accepted === false ? refusedByBoth : undefined)
}

function readValue(text: string): Json {
  try {
    return (parse(text, { maxAliasCount: 1000 }) ?? {}) as Json
  } catch {
    return {}
  }
}

function decisionsOf(document: Json): readonly Json[] {
  return [document, ...listAt(document, "recipes")].flatMap((profile) => listAt(profile, "routing", "decisions"))
}

const modelsOf = (document: Json): readonly Json[] => listAt(document, "providers", "models")

/** The models of the candidates that fit. */
function refsOf(document: Json, fits: (ref: Json) => boolean): readonly Json[] {
  const names = new Set(
    decisionsOf(document).flatMap((decision) =>
      listAt(decision, "modelRefs").flatMap((ref) => (fits(ref) ? [ref["model"]] : [])),
    ),
  )
  return modelsOf(document).filter(({ name }) => names.has(name))
}

const isToldEfforts = (reasoning: unknown): boolean =>
  String(at(reasoning, "type")).endsWith("reasoning_effort") && at(reasoning, "levels") === undefined

const isSwitched = ({ reasoning }: Json): boolean =>
  at(reasoning, "type") === "chat_template_kwargs" && at(reasoning, "modes") === undefined

function hasTwoHosts(model: Json): boolean {
  const hosts = listAt(model, "backend_refs").map(({ provider, base_url: url }) => {
    const host = typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : ""
    return `${String(provider)} ${host}`
  })
  return new Set(hosts).size > 1
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(
    (outer: unknown, key) => (typeof outer === "object" && outer !== null ? (outer as Json)[key] : undefined),
    value,
  )
}

function listAt(value: unknown, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? (found as readonly Json[]) : []
}
