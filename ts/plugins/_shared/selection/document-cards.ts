// Model cards and configured models of a document that fits its schema, for checks of selectors.

type Entry = Readonly<Record<string, unknown>> & { readonly name: string }

interface Document {
  readonly routing?: { readonly modelCards?: readonly Entry[] }
  readonly providers?: { readonly models?: readonly Entry[] }
}

const byName = (entries: readonly Entry[] = []): ReadonlyMap<string, Entry> =>
  new Map(entries.map((entry) => [entry.name, entry]))

export const cardsOf = (document: object): ReadonlyMap<string, Entry> =>
  byName((document as Document).routing?.modelCards)

/** Undefined for a document without providers, which is checked and not served. */
export function providerModelsOf(document: object): ReadonlyMap<string, Entry> | undefined {
  const { providers } = document as Document
  return providers?.models === undefined ? undefined : byName(providers.models)
}
