// Through which bindings a signal asks its models.

import type { RegisteredModule, SignalModule, SignalNeed } from "../types/module.ts"
import { signalConfigKey } from "../modules/registry.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { Binding } from "./schema/global.ts"
import { starterBindings } from "./starter.ts"

/** Names of bindings, by what they are for. Classes and spans come from one model. */
export interface SignalBindings {
  readonly reading: string | undefined
  readonly vectors: string | undefined
}

/** Bindings that the signal may have. */
export function bindingsOf(registered: RegisteredModule<SignalModule>): SignalBindings {
  return bindingsFor(registered, registered.module.needs ?? [])
}

/** Bindings that its rules in this document need. */
export function usedBindings(registered: RegisteredModule<SignalModule>, document: ConfigDocument): SignalBindings {
  const { id, module } = registered
  const rules = document.routing?.signals?.[signalConfigKey(id, module)] ?? []
  const settings = settingsOf(module, document)
  return bindingsFor(registered, module.asks?.(rules as never, settings as never) ?? module.needs ?? [])
}

function bindingsFor(
  { id, module: { binding = id, embeddingBinding = binding } }: RegisteredModule<SignalModule>,
  needs: readonly SignalNeed[],
): SignalBindings {
  return {
    reading: needs.some((need) => need !== "inference.embed") ? binding : undefined,
    vectors: needs.includes("inference.embed") ? embeddingBinding : undefined,
  }
}

/** The signal's section of `global`; empty when the document has none. */
export function settingsOf({ settings }: Pick<SignalModule, "settings">, { global }: ConfigDocument): object {
  const section = (settings?.path ?? []).reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key],
    global,
  )
  return (section as object | undefined) ?? {}
}

/** What a binding is in this document, or in the product when the document is silent. */
export function findBinding(name: string, document: ConfigDocument): Binding | undefined {
  return document.global?.model_catalog?.bindings?.[name] ?? starterBindings[name]
}
