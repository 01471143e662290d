// Which bindings a document has: those of the profile that the signals belong to, and those of all.

interface Bindings {
  readonly routing?: { readonly model_bindings?: object }
  readonly global?: { readonly model_catalog?: { readonly bindings?: object } }
}

export function boundNames(document: object): ReadonlySet<string> {
  const { routing, global } = document as Bindings
  return new Set([...Object.keys(routing?.model_bindings ?? {}), ...Object.keys(global?.model_catalog?.bindings ?? {})])
}
