// The modules that serve a document which names none of their kind.

import { RtrError } from "../error.ts"
import type { Registry } from "../modules/registry.ts"

export type DefaultKind = "selector" | "provider" | "store"

/** Id of the first registered module of a kind that says `isDefault`; undefined when none does. */
export function defaultModuleId(registry: Registry, kind: DefaultKind): string | undefined {
  return registry.all(kind).find(({ module }) => module.isDefault === true)?.id
}

/** The same where there has to be one. Throws `invalid_module`. */
export function requireDefaultModule(registry: Registry, kind: DefaultKind): string {
  const id = defaultModuleId(registry, kind)
  if (id === undefined)
    throw new RtrError("invalid_module", `No ${kind} is registered with isDefault, and the document names none`)
  return id
}
