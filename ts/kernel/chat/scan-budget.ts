// Which texts of a request fit into the budget of a guard's rule: messages before other fields, and the newest first, because
// what an agent was told last is what it acts on.

/** Letters of a token of a guard's model: English words have about five, and most are one token. */
const lettersOfToken = 4

/**
 * The texts that take at most so many tokens together, in their order; the first `ofTurns` are of messages, the oldest first.
 * One that does not fit beside the newer ones is left out; older and shorter ones may still be read.
 */
export function textsWithin(texts: readonly string[], maxTokens: number, ofTurns: number): readonly string[] {
  let left = maxTokens
  const fits = (text: string): boolean => {
    const tokens = tokensUpTo(left, text)
    if (tokens > left) return false
    left -= tokens
    return true
  }
  const newestFirst = texts.slice(0, ofTurns).toReversed()
  const read = new Set([...newestFirst, ...texts.slice(ofTurns)].filter(fits))
  return texts.filter((text) => read.has(text))
}

/** About how many tokens a text has, rather too many than too few; some number above `limit` if it has more than that. */
function tokensUpTo(limit: number, text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length && tokens <= limit; at++) {
    const code = text.charCodeAt(at)
    // Spaces are in no token; letters and digits of ASCII share one, and whatever else there is may be one of its own.
    if (code > 0x20) tokens += isPlainLetter(code) ? 1 / lettersOfToken : 1
  }
  return Math.ceil(tokens)
}

const isPlainLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)
