// Embeddings of a model's backend: the request goes there and the reply comes back as they are.

import { type OtherApi, parseBackendObject, RtrError, type Usage } from "../../../kernel/index.ts"
import { isCount, isObject } from "../dialect/wire.ts"
import { jsonReply } from "../json-form.ts"

/** The body is in the extensions of the request. */
export const backendApi: OtherApi = {
  path: "/embeddings",
  writeRequest: ({ extensions }, { model }) => ({ ...extensions, model }),
  readReply(text) {
    const body = parseBackendObject(text)
    if (body === undefined) throw new RtrError("upstream_error", "the reply is not a JSON object")
    if (!Array.isArray(body["data"])) throw new RtrError("upstream_error", '"data" of the reply is not a list')
    return jsonReply(text, usageIn(body["usage"])).reply
  },
}

function usageIn(usage: unknown): Usage | undefined {
  const tokens = isObject(usage) ? (usage["prompt_tokens"] ?? usage["total_tokens"]) : undefined
  return isCount(tokens) ? inputUsage(tokens) : undefined
}

/** Nothing is generated. */
export const inputUsage = (tokens: number): Usage => ({ inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0 })
