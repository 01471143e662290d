// The Responses API as a further protocol of a provider.

import type { ProviderFormat } from "../../kernel/index.ts"
import { type FamilyAddress, jsonBackend } from "./chat-completions-provider.ts"

/** How the backends of a family are asked in this protocol; `path` follows the base URL. */
export function responsesFormat(family: Omit<FamilyAddress, "chatPath">, path: string): ProviderFormat {
  const address = { ...family, chatPath: path }
  return {
    dialect: "responses",
    setup: (backend) => jsonBackend(backend, address),
    reasoning: async () => (await import("./responses/reasoning.ts")).responsesReasoning,
  }
}
