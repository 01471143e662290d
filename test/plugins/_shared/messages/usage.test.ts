import { expect, test } from "vitest"
import { mergeUsage, readUsage, writeUsage } from "../../../../ts/plugins/_shared/messages/usage.ts"

test("tokens of the cache are among those of the input in the canonical form, and beside them on the wire", () => {
  const wire = {
    input_tokens: 2,
    output_tokens: 5,
    cache_read_input_tokens: 7,
    cache_creation_input_tokens: 1,
    output_tokens_details: { thinking_tokens: 3 },
  }
  const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 7, cacheWriteTokens: 1, reasoningTokens: 3 }
  expect([readUsage(wire), writeUsage(usage)]).toEqual([usage, wire])
})

test("a backend that counts more tokens of the cache than of the input has no negative count", () => {
  const counted = { outputTokens: 1, cachedInputTokens: 7 }
  for (const usage of [
    { ...counted, inputTokens: 4 },
    { ...counted, inputTokens: 8, cacheWriteTokens: 2 },
  ])
    expect([usage, writeUsage(usage)["input_tokens"]]).toEqual([usage, 0])
})

test("the later event of a stream wins where it counts", () => {
  const first = { input_tokens: 4, output_tokens: 1 }
  const cases = [
    [first, { output_tokens: 9 }, { input_tokens: 4, output_tokens: 9 }],
    [first, { output_tokens: 9, input_tokens: null }, { input_tokens: 4, output_tokens: 9 }],
    [first, { output_tokens: 9, input_tokens: 0 }, { input_tokens: 0, output_tokens: 9 }],
    [first, undefined, first],
    [null, first, first],
  ] as const
  for (const [one, later, merged] of cases) expect([one, later, mergeUsage(one, later)]).toEqual([one, later, merged])
})
