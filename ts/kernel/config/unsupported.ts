// What the v0.3 format knows and the document schema does not have, and what has moved. Both are refused by name, never ignored.

import type { DocumentPath } from "../error.ts"
import type { Problem } from "../schema/problem.ts"
import { movedKeys } from "./moved-keys.ts"
import { type KeyTree, v03Keys, v03Values } from "./v03-keys.ts"

/**
 * Judges keys and words of a document that its schema refuses: `has moved to …`, `is not supported yet`, or undefined for
 * one that the format does not know either.
 */
export function unsupportedIn(document: unknown): (path: DocumentPath, word?: string) => Problem | undefined {
  return (path, value) => {
    if (value !== undefined)
      return isKnownWord(path, value)
        ? { path, code: "unsupported", message: `"${value}" is not supported yet` }
        : undefined
    const moved = movedKeys.find(([pattern]) => matches(pattern, path))
    if (moved !== undefined) return { path, code: "invalid", message: `has moved to ${moved[1]}` }
    return isKnownKey(path, document) ? { path, code: "unsupported", message: "is not supported yet" } : undefined
  }
}

/** Whether the format has a key at a place, whatever the schema has. */
export function isKnownKey(path: DocumentPath, document: unknown): boolean {
  let tree: KeyTree | undefined = v03Keys
  let node = document
  for (const [index, step] of path.entries()) {
    const free = index < path.length - 1
    tree = below(tree, String(step), node, free)
    if (tree === undefined) return false
    node = (node as Record<string | number, unknown> | null | undefined)?.[step]
  }
  return true
}

/**
 * What the format has below a key; `node` is the entry that holds it, whose type may add keys. A name that a document is
 * free to choose is no key of the format; `free` lets it through.
 */
function below(tree: KeyTree, step: string, node: unknown, free: boolean): KeyTree | undefined {
  if (typeof tree === "function") return below(tree(), step, node, free)
  if (typeof tree === "string") return tree.split(" ").includes(step) ? "" : undefined
  if (step !== "" && !step.startsWith("@") && Object.hasOwn(tree, step)) return tree[step]
  if (tree[""] !== undefined && below(tree[""], step, node, false) !== undefined) return ""
  const type = (node as { readonly type?: unknown } | null | undefined)?.type
  const variant = typeof type === "string" && Object.hasOwn(tree, `@${type}`) ? tree[`@${type}`] : undefined
  return (variant === undefined ? undefined : below(variant, step, node, free)) ?? (free ? tree["*"] : undefined)
}

/** A word with a position behind it (`cuda:1`) is the same word. */
function isKnownWord(path: DocumentPath, value: string): boolean {
  const found = v03Values.find(([pattern]) => matches(pattern, path))
  return found !== undefined && found[1].split(" ").some((word) => value === word || value.startsWith(`${word}:`))
}

/** Whether a path fits a pattern, in which `*` stands for one step and `**` for any number of them. */
export function matches(pattern: string, path: DocumentPath): boolean {
  const steps = pattern.split(".")
  const match = (step: number, position: number): boolean => {
    if (step === steps.length) return position === path.length
    if (steps[step] === "**") return match(step + 1, position) || (position < path.length && match(step, position + 1))
    return (
      position < path.length &&
      (steps[step] === "*" || steps[step] === String(path[position])) &&
      match(step + 1, position + 1)
    )
  }
  return match(0, 0)
}
