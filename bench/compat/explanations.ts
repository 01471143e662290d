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
    document: /contract\/p038/,
    because:
      "0.4.0 cannot put backends of two host names into one cluster of its proxy; rtr calls each by its own name",
    isDeliberate: true,
  },
  {
    verdict: "valid",
    reason: /Cannot use the Redis server/,
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
  const found = explanations.find(
    ({ verdict, document: name, reason, holds }) =>
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
  const profiles = [document, ...(Array.isArray(document["recipes"]) ? (document["recipes"] as readonly Json[]) : [])]
  return profiles.flatMap((profile) => {
    const decisions = (profile["routing"] as Json | null | undefined)?.["decisions"]
    return Array.isArray(decisions) ? (decisions as readonly Json[]) : []
  })
}
