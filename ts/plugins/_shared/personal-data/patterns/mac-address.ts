// Addresses of network hardware: six pairs of hexadecimal digits (IEEE 802), in the three ways in which they are written.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findChecked } from "./text-range.ts"

const candidate =
  /(?<![\w:.-])(?:[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})(?![\w:-]|\.\w)/gi

/** Digits alone are times and dates; letters alone are examples, or mean every machine. */
export function findMacAddresses(text: string): Work<readonly TextRange[]> {
  return findChecked(text, candidate, ({ 0: found }) => /[a-f]/i.test(found) && /\d/.test(found))
}
