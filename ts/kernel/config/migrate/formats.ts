// Formats of documents that are not the current one: those of other programs, and the older ones, which can be migrated.

import { parseAllDocuments } from "yaml"
import { movedFrom } from "./flat-keys.ts"
import { isJson } from "./json.ts"

/** A key that only documents of a program have, among those that rtr knows the names of. */
const programs: Readonly<Record<string, string>> = {
  model_list: "LiteLLM",
  litellm_settings: "LiteLLM",
  targets: "Portkey",
  virtual_key: "Portkey",
}

const groups: Readonly<Record<string, string>> = {
  "aigateway.envoyproxy.io": "Envoy AI Gateway",
  "gateway.networking.k8s.io": "the Kubernetes Gateway API",
}

/** Says of a document that it is one of another program, with what to do; undefined for any other document. */
function foreignFormat(document: unknown): string | undefined {
  if (!isJson(document) || "routing" in document || "providers" in document) return undefined
  const { apiVersion, kind } = document
  if (typeof apiVersion === "string" && typeof kind === "string") {
    const [group = ""] = apiVersion.split("/")
    return group === "vllm.ai"
      ? `is a Kubernetes resource (${kind}); put it into a folder, and name that with --crd beside a document of rtr`
      : notOurs(groups[group] ?? `Kubernetes (${kind})`)
  }
  const key = Object.keys(programs).find((each) => each in document)
  return key === undefined ? undefined : notOurs(programs[key] ?? "")
}

/** The documents of a text that can be read: files for Kubernetes have several. */
export function documentsIn(text: string): readonly unknown[] {
  try {
    return [...parseAllDocuments(text, { uniqueKeys: false })].flatMap((document) =>
      document.errors.length > 0 ? [] : [document.toJS() as unknown],
    )
  } catch {
    return []
  }
}

/** A message that names the other program which these documents are for; undefined when there is none. */
export const foreignIn = (documents: readonly unknown[]): string | undefined =>
  documents.map(foreignFormat).find((said) => said !== undefined)

const notOurs = (program: string): string =>
  `is a document of ${program}, which rtr neither reads nor migrates; start from the output of rtr config init, with its models under providers.models and its rules under routing.decisions`

const olderKeys: readonly string[] = [...movedFrom.map(([from]) => from), "model_config", "vllm_endpoints"]

/** Whether a document is of a format before v0.3, whose keys stand at its root. */
export const isOlder = (document: unknown): boolean =>
  isJson(document) && olderKeys.some((key) => Object.hasOwn(document, key))

/** Whether anything of a document is to be migrated. */
export const hasOlderKeys = (document: unknown): boolean =>
  olderKeys.some((pattern) => hasKeyAt(document, pattern.split(".")))

function hasKeyAt(node: unknown, [step = "", ...rest]: readonly string[]): boolean {
  if (typeof node !== "object" || node === null) return false
  if (step === "*") return Object.values(node).some((each) => hasKeyAt(each, rest))
  if (!isJson(node) || !Object.hasOwn(node, step)) return false
  return rest.length === 0 || hasKeyAt(node[step], rest)
}
