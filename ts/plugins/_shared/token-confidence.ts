// How sure a model was of its reply, from the log-probabilities of its tokens.

import { type ChatReply, RtrError, type TokenLogprob } from "../../kernel/index.ts"

/** Which tokens count: all, or those of tool-call arguments. A reply without a tool call is always read whole. */
export type TokenFilter = "all" | "tool_call_args"

/** 0 to 1: (mean log-probability + 3) / 3, cut at both ends. Throws `upstream_error` without log-probabilities. */
export function meanLogprobConfidence(reply: ChatReply, filter: TokenFilter): number {
  const tokens = tokensOf(reply, filter)
  const average = mean(tokens.map(({ logprob }) => logprob))
  return Math.min(1, Math.max(0, (average + 3) / 3))
}

/**
 * 0 to 1: 1 - e^(-m/3), where m is the mean distance between the likeliest two tokens at each position. Throws
 * `upstream_error` when no position has two.
 */
export function marginConfidence(reply: ChatReply, filter: TokenFilter): number {
  const margins = tokensOf(reply, filter).flatMap(({ top }) => {
    const [first, second] = top.map(({ logprob }) => logprob).toSorted((a, b) => b - a)
    return first === undefined || second === undefined ? [] : [first - second]
  })
  if (margins.length === 0) throw missing(reply, "two top log-probabilities")
  return 1 - Math.exp(-mean(margins) / 3)
}

function tokensOf(reply: ChatReply, filter: TokenFilter): readonly TokenLogprob[] {
  const [choice] = reply.choices
  // A token of probability 0 has no finite logarithm and would make every mean infinite.
  const tokens = (choice?.logprobs ?? []).filter(({ logprob }) => Number.isFinite(logprob))
  const calls = (choice?.blocks ?? []).flatMap((block) => (block.type === "tool_call" ? [block.arguments] : []))
  const kept = filter === "all" || calls.length === 0 ? tokens : tokensWithin(tokens, calls)
  if (kept.length === 0) throw missing(reply, "log-probabilities")
  return kept
}

/** Tokens that overlap one of these parts of the text that they spell together. */
function tokensWithin(tokens: readonly TokenLogprob[], parts: readonly string[]): readonly TokenLogprob[] {
  const text = tokens.map(({ token }) => token).join("")
  let from = 0
  const places = parts.flatMap((part) => {
    const start = part === "" ? -1 : text.indexOf(part, from)
    if (start < 0) return []
    from = start + part.length
    return [{ start, end: from }]
  })
  let position = 0
  return tokens.filter(({ token }) => {
    const start = position
    position += token.length
    return places.some((place) => start < place.end && position > place.start)
  })
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const missing = ({ model }: ChatReply, what: string): RtrError =>
  new RtrError("upstream_error", `Cannot tell how sure model "${model}" is: its reply has no ${what}`)
