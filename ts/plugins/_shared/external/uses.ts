// Which external models a document asks, and where.

import type { BackendKeys } from "./backend.ts"
import { backendUse, modelOfUse } from "./backend.ts"
import type { McpClassifier } from "./domain.ts"
import { type ExternalModel, findExternal } from "./settings.ts"

interface Modules {
  readonly prompt_guard?: BackendKeys
  readonly classifier?: {
    readonly domain?: BackendKeys
    readonly mcp?: McpClassifier
    readonly preference?: { readonly use_contrastive?: boolean }
  }
}

interface Profile {
  readonly routing?: { readonly signals?: { readonly classifiers?: readonly { readonly model?: string }[] } }
}

interface Asking extends Profile {
  readonly recipes?: readonly Profile[]
  readonly global?: { readonly model_catalog?: { readonly modules?: Modules } }
}

export const modulesOf = (document: object): Modules => (document as Asking).global?.model_catalog?.modules ?? {}

/** All external models that some part of the document asks. */
export function askedExternals(document: object): ReadonlySet<ExternalModel | undefined> {
  const { prompt_guard: guard = {}, classifier: { domain = {}, preference } = {} } = modulesOf(document)
  const [guardUse, domainUse] = [backendUse(guard), backendUse(domain)]
  const classifiers = [document as Asking, ...((document as Asking).recipes ?? [])].flatMap(
    ({ routing }) => routing?.signals?.classifiers ?? [],
  )
  return new Set([
    guardUse && modelOfUse(document, guardUse, "guardrail"),
    domainUse && modelOfUse(document, domainUse, "classification"),
    preference?.use_contrastive === false ? findExternal(document, { role: "preference" }) : undefined,
    ...classifiers.map(({ model }) =>
      model === undefined ? undefined : findExternal(document, { name: model, role: "classification" }),
    ),
  ])
}
