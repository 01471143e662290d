// One thing that is wrong with a value, and how it reads.

import type { DocumentPath } from "../error.ts"
import type { Report } from "../types/module-base.ts"
import { editDistance } from "./edit-distance.ts"

export interface Position {
  readonly line: number
  readonly column: number
}

export interface Problem {
  readonly path: DocumentPath
  readonly message: string
  /**
   * `unsupported` marks a key or word that the format knows and this version does not serve yet, `restart_required` a
   * change that a running router cannot take up.
   */
  readonly code: "invalid" | "unsupported" | "restart_required"
  /** The document is served all the same, and told what has no effect. An error when left out. */
  readonly severity?: "warning"
  readonly position?: Position
}

export function invalid(path: DocumentPath, message: string): Problem {
  return { path, message, code: "invalid" }
}

/** Collects what a module's check reports, with paths below `at`. */
export function reportInto(problems: Problem[], at: DocumentPath): Report {
  return (path, message, severity) => {
    problems.push({ ...invalid([...at, ...path], message), ...(severity !== undefined && { severity }) })
  }
}

/** `routing.decisions[0].name`; the document itself is `(document)`. */
export function formatPath(path: DocumentPath): string {
  if (path.length === 0) return "(document)"
  return path
    .map((step, index) =>
      typeof step === "number"
        ? `[${step}]`
        : /^[\w-]+$/.test(step)
          ? `${index === 0 ? "" : "."}${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join("")
}

/** The known word that a mistyped one most likely means: at most three edits, and fewer for a short word. */
export function closest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.min(4, Math.max(2, Math.ceil(word.length / 2)))
  const lower = word.toLowerCase()
  for (const candidate of known) {
    // So many letters have to be added or left out at least.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const edits = editDistance(lower, candidate.toLowerCase())
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}

/** Comparisons with the words of one set, for all that are not in it. Nobody reads more suggestions than these find. */
const maxComparisons = 100_000
/** Only documents have so many names; a set of fewer may stand in the code, where it lives as long as the process. */
const manyNames = 200
const comparisons = new WeakMap<ReadonlySet<string>, number>()

/**
 * ` (did you mean "x"?)`, or nothing when no known word is near. A large set is not searched any more after many searches: a document
 * may have thousands of names, and as many that are wrong.
 */
export function suggestion(word: string, known: Iterable<string> | ReadonlySet<string>): string {
  if (known instanceof Set && known.size > manyNames) {
    const made = comparisons.get(known) ?? 0
    if (made >= maxComparisons) return ""
    comparisons.set(known, made + known.size)
  }
  const near = closest(word, known)
  return near === undefined ? "" : ` (did you mean "${near}"?)`
}

/** `"a", "b" or "c"`; a list that nobody would read is left out. */
export function oneOf(values: readonly unknown[]): string {
  if (values.length > 40) return "a known word"
  const quoted = values.map((value) => (typeof value === "string" ? `"${value}"` : String(value)))
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}
