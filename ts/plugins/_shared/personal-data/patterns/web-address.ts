// Addresses of the web, and names of hosts under top-level domains that words of a sentence hardly ever end in.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked } from "./text-range.ts"

const host = "(?:[a-z0-9\\u00c0-\\u024f](?:[a-z0-9\\u00c0-\\u024f-]{0,61}[a-z0-9\\u00c0-\\u024f])?\\.){1,8}"
const known =
  "(?:com|org|net|edu|gov|mil|int|info|biz|io|dev|app|ai|eu|uk|de|fr|es|nl|be|ch|at|pl|se|no|fi|dk|cz|pt|ie|ca|us|au|nz|jp|cn|kr|in|br|mx|ar|ru|za|tr|example|online|shop|xyz|cloud|tech)"
const path = "(?::\\d{1,5})?(?:[/?#][^\\s\"'`<>(){}\\[\\]|,;]{0,500})?"

const candidate = new RegExp(
  `(?<![\\w@.-])(?:(?:https?|ftps?|wss?)://[^\\s"'\`<>(){}\\[\\]|,;]{3,600}|www\\.${host}[a-z]{2,24}${path}|${host}${known}(?![\\w@-])${path})`,
  "gi",
)

export function* findWebAddresses(text: string): Work<readonly TextRange[]> {
  const found = yield* findChecked(
    text,
    candidate,
    ({ 0: address, index }) => text.charAt(index + address.length) !== "@",
  )
  return found.map(({ start, end }) => ({ start, end: withoutMarks(text, end) }))
}

/** The full stop or colon behind an address belongs to the sentence. */
function withoutMarks(text: string, end: number): number {
  while (/[.,:;!?*_]/.test(text.charAt(end - 1))) end--
  return end
}
