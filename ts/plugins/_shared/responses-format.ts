// The Responses API as a further protocol of a provider.

import type { ProviderFormat, ReasoningChoice, WireObject } from "../../kernel/index.ts"
import { type FamilyAddress, jsonBackend } from "./chat-completions-provider.ts"

/** How the backends of a family are asked in this protocol; `path` follows the base URL. */
export function responsesFormat(family: Omit<FamilyAddress, "chatPath">, path: string): ProviderFormat {
  const address = { ...family, chatPath: path }
  return { dialect: "responses", setup: (backend) => jsonBackend(backend, address, () => withReasoning) }
}

/** Every model of this API is told in the same way. What switches reasoning off differs, so a model that shall not reason is left as it is. */
function withReasoning(body: WireObject, { enabled, effort }: ReasoningChoice): WireObject {
  if (!enabled) return body
  const { reasoning } = body
  return { ...body, reasoning: { ...(typeof reasoning === "object" && reasoning), effort } }
}
