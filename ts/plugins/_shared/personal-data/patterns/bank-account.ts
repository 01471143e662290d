// Numbers of bank accounts beside the code of their bank: a word for an account alone is one of many things.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { findRanges } from "./text-range.ts"

const gap = "[^\\p{L}\\d\\n]{0,4}(?:is )?"
const bank = `(?:sort[ -]?codes?|routing (?:number|no\\.?)|bsb|blz|bankleitzahl)${gap}\\d[\\d -]{4,10}\\d`
const account = `(?<!\\p{L})(?:accounts?|acct?\\.?|a/c|konto)(?:[ -]?(?:numbers?|num|no\\.?|nr\\.?|nummer))?${gap}`
const number = "(\\d(?:[ -]?\\d){5,11})(?![\\d\\p{L}])"
const between = "[^\\d\\n]{0,24}?"

const behindBank = new RegExp(`(?<!\\p{L})${bank}${between}${account}${number}`, "giu")
const beforeBank = new RegExp(`${account}${number}${between}(?<!\\p{L})${bank}`, "giu")

export function* findBankAccounts(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  for (const pattern of [behindBank, beforeBank])
    ranges.push(
      ...(yield* findRanges(text, pattern, ({ 0: all, 1: found = "", index }) => {
        const start = index + (pattern === behindBank ? all.length - found.length : all.indexOf(found))
        return { start, end: start + found.length }
      })),
    )
  return ranges.toSorted((a, b) => a.start - b.start)
}
