// Whether the built-in model answers about personal data, or one that the document binds.

import type { SignalSurroundings } from "../../../kernel/index.ts"

interface Bindings {
  readonly pii_classifier?: { readonly deployment?: string }
}

interface Sections {
  readonly routing?: { readonly model_bindings?: Bindings }
  readonly global?: {
    readonly model_catalog?: {
      readonly bindings?: Bindings
      readonly deployments?: Readonly<Record<string, { readonly artifact?: string }>>
    }
  }
}

/** The deployment that answers where a document binds none, and its package. */
const usual = { deployment: "default", artifact: "signals" }

/** True where the document says nothing else. */
export function asksBuiltInModel(document: SignalSurroundings["document"] = {}): boolean {
  const { routing, global } = document as Sections
  const catalog = global?.model_catalog
  const bound = routing?.model_bindings?.pii_classifier ?? catalog?.bindings?.pii_classifier
  const name = bound?.deployment ?? usual.deployment
  const artifact = catalog?.deployments?.[name]?.artifact
  return artifact === undefined ? name === usual.deployment : artifact === usual.artifact
}
