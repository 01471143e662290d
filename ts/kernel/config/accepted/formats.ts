// Backends without a provider speak what `api_format` of their model says; older documents name no provider there.

import { isMap } from "./plugins-in.ts"
import { providersOfFormat } from "./provider-words.ts"

/** The document with a provider for the backends that have none, where the format of their model tells it. */
export function expandFormats(document: unknown): unknown {
  if (!isMap(document) || !isMap(document["providers"]) || !Array.isArray(document["providers"]["models"]))
    return document
  const models = document["providers"]["models"].map((model: unknown): unknown => {
    if (!isMap(model) || model["provider"] !== undefined) return model
    const { api_format: format, backend_refs: refs } = model
    const known = Object.hasOwn(providersOfFormat, String(format)) ? providersOfFormat[String(format)] : undefined
    if (known === undefined || !Array.isArray(refs)) return model
    return {
      ...model,
      backend_refs: refs.map((ref: unknown): unknown =>
        isMap(ref) && ref["provider"] === undefined && ref["type"] === undefined
          ? { ...ref, provider: (ref["endpoint"] ?? ref["base_url"]) === undefined ? known.vendor : known.own }
          : ref,
      ),
    }
  })
  return { ...document, providers: { ...document["providers"], models } }
}
