// Tokens of a call. This wire counts those of the cache beside the others, the canonical form among them.

import type { JsonValue, Usage, WireObject } from "../../../kernel/index.ts"
import { isCount, isObject, withoutUndefined } from "../dialect/wire.ts"

/** Undefined unless both counts are there. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined
  const { input_tokens: input, output_tokens: output, output_tokens_details: details } = value
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = value
  const thinking = isObject(details) ? details["thinking_tokens"] : undefined
  if (!isCount(input) || !isCount(output)) return undefined
  const cached = isCount(read) ? read : 0
  const created = isCount(written) ? written : 0
  return {
    inputTokens: input + cached + created,
    outputTokens: output,
    cachedInputTokens: cached,
    ...(created > 0 && { cacheWriteTokens: created }),
    ...(isCount(thinking) && { reasoningTokens: thinking }),
  }
}

export function writeUsage(usage: Usage): WireObject {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0, reasoningTokens } = usage
  return withoutUndefined({
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens_details: reasoningTokens === undefined ? undefined : { thinking_tokens: reasoningTokens },
  })
}

/** Counts of a stream come in two events; the later one wins where it counts. */
export function mergeUsage(first: JsonValue | undefined, later: JsonValue | undefined): WireObject {
  return {
    ...(isObject(first) && first),
    ...(isObject(later) && Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null))),
  }
}
