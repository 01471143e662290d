// The Messages API as a protocol of a provider.

import type { ProviderFormat } from "../../../kernel/index.ts"
import { type FamilyAddress, jsonBackend } from "../chat-completions-provider.ts"
import { withThinking } from "./thinking.ts"

/** Every host knows this version; a client that names another gets that one. */
const headers = { "anthropic-version": "2023-06-01" }

/** How the backends of a family are asked in this protocol; `path` follows the base URL. */
export function messagesFormat(family: Omit<FamilyAddress, "chatPath">, path = "/v1/messages"): ProviderFormat {
  const address = { ...family, chatPath: path, headers: { ...headers, ...family.headers } }
  return {
    dialect: "messages",
    setup: (backend) =>
      // A client that says itself how long to think is not overruled.
      jsonBackend(
        backend,
        address,
        () =>
          (body, { enabled, effort }) =>
            enabled && !("thinking" in body) ? withThinking(body, effort) : body,
      ),
  }
}
