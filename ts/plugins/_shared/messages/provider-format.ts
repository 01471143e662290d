// The Messages API as a protocol of a provider.

import type { ProviderFormat } from "../../../kernel/index.ts"
import { type FamilyAddress, jsonBackend } from "../chat-completions-provider.ts"

/** Every host knows this version; a client that names another gets that one. */
const headers = { "anthropic-version": "2023-06-01" }

/** How the backends of a family are asked in this protocol; `path` follows the base URL. */
export function messagesFormat(family: Omit<FamilyAddress, "chatPath">, path = "/v1/messages"): ProviderFormat {
  const address = { ...family, chatPath: path, headers: { ...headers, ...family.headers } }
  return {
    dialect: "messages",
    setup: (backend) => jsonBackend(backend, address),
    reasoning: async () => (await import("./reasoning.ts")).messagesReasoning,
  }
}
