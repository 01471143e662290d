// The end of a text that fits a number of tokens.

import type { Usage } from "../../../kernel/index.ts"

/** Of English text. Other scripts have fewer or more, so what the backend counted is taken where it did. */
const usualBytesPerToken = 4

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** How many bytes of a reply one of its tokens has; `texts` are all that the tokens were for. */
export function bytesPerToken(texts: readonly string[], usage: Usage | undefined): number {
  const bytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  const tokens = usage?.outputTokens ?? 0
  return tokens > 0 && bytes > 0 ? bytes / tokens : usualBytesPerToken
}

/** The last bytes of the text that these tokens have room for, from the beginning of a character. */
export function lastTokens(text: string, tokens: number, bytesOfToken: number): string {
  const bytes = encoder.encode(text)
  let start = Math.max(0, bytes.length - Math.max(1, Math.ceil(tokens * bytesOfToken)))
  // Within a character.
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return start === 0 ? text : decoder.decode(bytes.subarray(start))
}
