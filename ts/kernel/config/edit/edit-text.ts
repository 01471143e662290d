// Changes values of a YAML or JSON text and leaves the rest of it as it is written.

import { type DocumentPath, RtrError } from "../../error.ts"
import { formatPath } from "../../schema/problem.ts"
import type { DocumentChange } from "../../types/capability.ts"

type Json = Record<string | number, unknown>

/**
 * An alias whose anchor goes with a change is written out. Rejects with `invalid_config` where a path leads through an alias, which other places
 * share.
 */
export async function editText(text: string, values: DocumentChange["values"]): Promise<string> {
  if (text.trimStart().startsWith("{")) return editJson(text, values) ?? editYaml(text, values)
  return editYaml(text, values)
}

/** Undefined for a text that begins like JSON and is none. */
function editJson(text: string, values: DocumentChange["values"]): string | undefined {
  let root: Json
  try {
    root = JSON.parse(text) as Json
  } catch {
    return undefined
  }
  for (const [path, value] of values) setAt(root, path, value)
  return `${JSON.stringify(root, null, 2)}\n`
}

function setAt(root: Json, path: DocumentPath, value: unknown): void {
  let node = root
  for (const [place, key] of path.slice(0, -1).entries())
    node = (node[key] ??= typeof path[place + 1] === "number" ? [] : {}) as Json
  const last = path.at(-1) as string | number
  if (value !== undefined) node[last] = value
  else if (Array.isArray(node)) node.splice(Number(last), 1)
  else delete node[last]
}

async function editYaml(text: string, values: DocumentChange["values"]): Promise<string> {
  const { isAlias, isMap, isScalar, parseDocument } = await import("yaml")
  const { writeOutAliases } = await import("./aliases.ts")
  const document = parseDocument(text, { strict: true, merge: true, resolveKnownTags: false })
  if (document.contents === null) document.contents = document.createNode({}) as never
  const writeOut = writeOutAliases(document)
  for (const [path, value] of values) {
    for (let length = 1; length < path.length; length++) {
      const node: unknown = document.getIn(path.slice(0, length), true)
      const merged = isMap(node) && node.items.some(({ key }) => isScalar(key) && key.source === "<<")
      if (isAlias(node) || merged)
        throw new RtrError(
          "invalid_config",
          `Cannot change ${formatPath(path)}: the document takes ${formatPath(path.slice(0, length))} from a YAML alias; write it out there`,
        )
    }
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, document.createNode(value))
  }
  writeOut()
  return document.toString({ lineWidth: 0 })
}
