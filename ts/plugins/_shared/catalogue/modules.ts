// The provider modules of the catalogue.

import { defineProvider, type ProviderFormat, type ProviderModule } from "../../../kernel/index.ts"
import { chatCompletionsProvider, type FamilyAddress } from "../chat-completions-provider.ts"
import { messagesFormat } from "../messages/provider-format.ts"
import { responsesFormat } from "../responses-format.ts"
import { catalogue, type CatalogueEntry } from "./providers.ts"

/** By id; another name of a provider has the same module, which says whose it is. */
export const catalogueModules: Readonly<Record<string, ProviderModule>> = Object.fromEntries(
  catalogue.flatMap((entry) => {
    const module = moduleOf(entry)
    return [
      [entry.id, module],
      ...(entry.aliases ?? []).map((alias): [string, ProviderModule] => [alias, { ...module, aliasOf: entry.id }]),
    ]
  }),
)

function moduleOf({
  name,
  url,
  key,
  dialect,
  formats = [],
  header,
  path,
  reasoning,
  instead,
  source,
}: CatalogueEntry): ProviderModule {
  const address = { authHeader: header ?? "authorization", authPrefix: header === undefined ? "Bearer " : "" }
  const facts = {
    about: name,
    source,
    ...(url !== undefined && { baseUrl: url }),
    ...(key !== undefined && { keyVariable: key }),
    ...(instead !== undefined && { useInstead: instead }),
  }
  if (dialect === "messages") {
    const format = messagesFormat(address, path)
    return defineProvider({ ...facts, ...format, formats: { anthropic: format } })
  }
  return chatCompletionsProvider({
    ...facts,
    ...address,
    ...(reasoning !== undefined && { reasoning }),
    chatPath: path ?? "/chat/completions",
    formats: Object.fromEntries(formats.map((format) => [format, formatOf(format, address)])),
  })
}

function formatOf(format: "responses" | "anthropic", address: Omit<FamilyAddress, "chatPath">): ProviderFormat {
  return format === "responses" ? responsesFormat(address, "/responses") : messagesFormat(address)
}
