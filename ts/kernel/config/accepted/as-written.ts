// Plain YAML values that the schema wants as text: a bare `2e5` in a list of keywords is the text as it is written.

import type { DocumentPath } from "../../error.ts"
import type { Work } from "../../host/work.ts"
import type { documentSchema } from "../document-schema.ts"
import type { SourceDocument } from "../source-document.ts"
import type { AcceptTools } from "./resolve-accepting.ts"

/** The document with the source text of numbers, booleans and list entries `null` wherever the schema has a string. */
export function* asWritten(
  source: SourceDocument,
  schema: ReturnType<typeof documentSchema>,
  {
    applyAliases,
    validateInSteps,
    withValuesAt,
  }: Pick<AcceptTools, "applyAliases" | "validateInSteps" | "withValuesAt">,
): Work<SourceDocument> {
  const { value: document, written } = applyAliases(source.value)
  const texts: (readonly [path: DocumentPath, text: string])[] = []
  yield* validateInSteps(schema, document, [], (path, { what, value, node }) => {
    if (what !== "type" || (node as { readonly type?: unknown }).type !== "string") return undefined
    // A key with nothing behind it is no text, and neither is an entry.
    if (value === null && typeof path.at(-1) !== "number") return undefined
    const at = written(path)
    const text = source.textAt?.(at)
    if (text !== undefined && stands(text, value)) texts.push([at, text])
    return undefined
  })
  if (texts.length === 0) return source
  return { ...source, value: withValuesAt(source.value, texts) }
}

/** Whether a text is how this value can be written. */
function stands(text: string, value: unknown): boolean {
  if (typeof value === "number") return text !== "" && Number(text) === value
  return (typeof value === "boolean" || value === null) && text.toLowerCase() === String(value)
}
