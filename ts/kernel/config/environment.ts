// Replaces environment references in string values, after parsing, so that a value can never become structure.

import type { DocumentPath } from "../error.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export interface Expanded {
  readonly value: unknown
  /** Paths whose text came from the environment, joined with NUL; their strings may stand for numbers and booleans. */
  readonly expandedPaths: ReadonlySet<string>
  /** Names that a document refers to without a default and that are not set. */
  readonly unset: readonly NamedPlace[]
  /** Names behind a `${` that no brace closes. */
  readonly unclosed: readonly NamedPlace[]
  /** What stands for what: each value with the reference as it is written, and where. */
  readonly replaced: readonly { readonly path: DocumentPath; readonly value: string; readonly written: string }[]
}

interface NamedPlace {
  readonly name: string
  readonly path: DocumentPath
}

/** `$$`, `${NAME}`, `${NAME:-default}`, `${NAME-default}` and `$NAME`; and the actions of templates, whose `$name` is their own. */
export const reference = /\{\{[^]*?\}\}|\$\$|\$\{([A-Za-z_]\w*)(?:(:?-)([^}]*))?\}|\$([A-Za-z_]\w*)/g

/** Expands every string value (not keys). An unset name without a default becomes an empty string and is reported. */
export function expandEnvironment(value: unknown, environment: Environment): Expanded {
  const expandedPaths = new Set<string>()
  const unset: NamedPlace[] = []
  const unclosed: NamedPlace[] = []
  const replaced: Expanded["replaced"][number][] = []

  const expandText = (text: string, path: DocumentPath): string => {
    if (!text.includes("$")) return text
    const [, open] = /\$\{([A-Za-z_]\w*)[^}]*$/.exec(text.replaceAll("$$", "")) ?? []
    if (open !== undefined) unclosed.push({ name: open, path })
    const result = text.replace(
      reference,
      (
        whole,
        braced: string | undefined,
        operator: string | undefined,
        fallback: string | undefined,
        bare: string | undefined,
      ) => {
        if (whole === "$$") return "$"
        if (whole[0] === "{") return whole
        const name = braced ?? bare ?? ""
        const found = readVariable(environment, name)
        if (found !== undefined && found !== "") replaced.push({ path, value: found, written: whole })
        if (operator !== undefined)
          return found === undefined || (operator === ":-" && found === "") ? (fallback ?? "") : found
        if (found === undefined) unset.push({ name, path })
        return found ?? ""
      },
    )
    if (result !== text) expandedPaths.add(pathKey(path))
    return result
  }

  const walk = (node: unknown, path: DocumentPath): unknown => {
    if (typeof node === "string") return expandText(node, path)
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]))
    if (typeof node === "object" && node !== null)
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]))
    return node
  }

  return { value: walk(value, []), expandedPaths, unset, unclosed, replaced }
}

/** How a message calls a variable that a document names. A key that was pasted in place of a name must not be shown. */
export const shownVariable = (name: string): string =>
  /^[A-Z_][A-Z0-9_]*$/.test(name)
    ? `environment variable ${name}`
    : "the environment variable that it names (not shown: usual names are upper-case, such as OPENAI_API_KEY, and this may be a key)"

export function pathKey(path: DocumentPath): string {
  return path.join("\0")
}

/** A variable's value. Every object answers to names such as `constructor`; only what was set counts. */
export function readVariable(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}
