// Tokens and log probabilities of a reply.

import type { JsonValue, TokenLogprob, Usage, WireObject } from "../../../kernel/index.ts"
import { readTokens } from "../dialect/logprobs.ts"
import { isCount, isObject, toList } from "../dialect/wire.ts"

/** Undefined unless both counts are numbers. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined
  const { input_tokens: input, output_tokens: output, input_tokens_details: ins, output_tokens_details: outs } = value
  if (!isCount(input) || !isCount(output)) return undefined
  const { cached_tokens: cached, cache_write_tokens: written } = isObject(ins) ? ins : {}
  const reasoning = isObject(outs) ? outs["reasoning_tokens"] : undefined
  return {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens: isCount(cached) ? cached : 0,
    // The API always has these counts, also where there is nothing to count.
    ...(isCount(written) && written > 0 && { cacheWriteTokens: written }),
    ...(isCount(reasoning) && reasoning > 0 && { reasoningTokens: reasoning }),
  }
}

export function writeUsage(usage: Usage): WireObject {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0, reasoningTokens = 0 } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

/** Undefined where there are none. */
export const readLogprobs = (value: JsonValue | undefined): readonly TokenLogprob[] | undefined =>
  toList(value).length === 0 ? undefined : readTokens(value)
