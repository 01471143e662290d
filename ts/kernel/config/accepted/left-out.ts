// Says what was left out of a document: one line for all places with the same reason, because a real document has many.

import type { DocumentPath } from "../../error.ts"
import { formatPath, invalid, type Problem } from "../../schema/problem.ts"

/**
 * What becomes of a document that needs a part which the router does not have: it is refused, or it is served without; `tell`
 * is for documents that are only checked, and warns that they would be refused.
 */
export type MissingParts = "refuse" | "tell" | "allow"

/** Why something is left out; places that share one are told together. */
export type Reason =
  | { readonly instead: string }
  | {
      /** What is so without it. */
      readonly without: string
      /** Somebody relies on it, so that it is missed by name. */
      readonly isNeeded?: true
    }

/** A place that is left out of the document, and why. */
export interface LeftOut {
  readonly path: DocumentPath
  readonly reason: Reason
  /** The word that is the reason, where it is no key. */
  readonly word?: string
  readonly plugin?: { readonly type: string; readonly decision: string }
}

/** The option of the command line that stands for `allow`. */
const flag = "--allow-missing-plugins"

export function tellLeftOut(found: readonly LeftOut[], missing: MissingParts): readonly Problem[] {
  const groups = new Map<Reason, LeftOut[]>()
  for (const each of found) groups.set(each.reason, [...(groups.get(each.reason) ?? []), each])
  return [...groups].map(([reason, places]) => {
    const paths = places.map(({ path }) => path)
    const [{ plugin: { type } = {}, word } = {}] = places
    const at = type === undefined ? commonPath(paths) : (paths[0] ?? [])
    const subject =
      type === undefined
        ? `${keysBelow(at, paths)}${word === undefined ? "" : `"${word}" `}`
        : `plugin "${type}" of ${decisionsOf(places)} `
    if (!("without" in reason))
      return warn(at, `${subject}${subject.includes(",") ? "have" : "has"} no effect: ${reason.instead}`)
    const missed = `${subject}is not supported yet`
    if (reason.isNeeded !== true) return warn(at, `${missed}; ${reason.without}`)
    if (missing === "refuse")
      return {
        ...invalid(at, `${missed}; without it ${reason.without}. rtr serve ${flag} serves the document without it`),
        code: "unsupported",
      }
    const refused = missing === "tell" ? `; rtr serve refuses the document without ${flag}` : ""
    return { ...warn(at, `${missed}; ${reason.without}${refused}`), code: "unsupported" }
  })
}

const warn = (path: DocumentPath, message: string): Problem => ({ ...invalid(path, message), severity: "warning" })

function commonPath([first = [], ...others]: readonly DocumentPath[]): DocumentPath {
  const length = first.findIndex((step, index) => others.some((path) => path[index] !== step))
  return length < 0 ? first : first.slice(0, length)
}

/** The places below their common section, with a space behind them; nothing for the section itself. */
function keysBelow(at: DocumentPath, paths: readonly DocumentPath[]): string {
  const keys = paths.flatMap((path) => (path.length === at.length ? [] : [formatPath(path.slice(at.length))]))
  return keys.length === 0 ? "" : `${keys.join(", ")} `
}

function decisionsOf(places: readonly LeftOut[]): string {
  const names = [...new Set(places.map(({ plugin }) => plugin?.decision))]
  return `${names.length === 1 ? "decision" : "decisions"} ${names.join(", ")}`
}
