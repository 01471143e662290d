// `global.stores`: where the router keeps data.

import { Type, type TObject, type TOptional, type TUnsafe } from "typebox"
import type { DocumentPath } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import type { Problem } from "../../schema/problem.ts"
import { section, taggedUnion } from "../../schema/shapes.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { requireDefaultModule } from "../default-modules.ts"
import { type LaterProblems, moduleProblems } from "../module-problems.ts"

export interface StoreEntry {
  readonly type: string
  readonly configuration?: Readonly<Record<string, unknown>>
}

const statePath: DocumentPath = ["global", "stores", "state"]

/** Schema of `global.stores`; `state` has one variant for each store. */
export function storesSchema(registry: Registry): TObject<{ state: TOptional<TUnsafe<StoreEntry>> }> {
  const variants = registry.all("store").map(({ id, module }) => {
    const { options } = module
    // Options that must be said make the configuration one that must be there.
    const configuration = (options.required ?? []).length > 0 ? options : Type.Optional(options)
    return section({ type: Type.Literal(id), configuration }, { description: module.about })
  })
  const state = taggedUnion<StoreEntry>("type", variants, {
    description: "Store for what modules remember between requests",
  })
  return section({ state: Type.Optional(state) })
}

export function checkStores(document: ConfigDocument, registry: Registry, later: LaterProblems): readonly Problem[] {
  const state = document.global?.stores?.state
  if (state === undefined) return []
  const registered = registry.find("store", state.type)
  if (registered === undefined) return []
  return moduleProblems(registered, [...statePath, "configuration"], later, (report) =>
    registered.module.check?.((state.configuration ?? {}) as never, report),
  )
}

/** The store for state: the document's, or the default one. Throws `invalid_module` when there is none. */
export function stateStore(document: ConfigDocument, registry: Registry): Required<StoreEntry> {
  const { type, configuration = {} } = document.global?.stores?.state ?? {
    type: requireDefaultModule(registry, "store"),
  }
  return { type, configuration }
}
