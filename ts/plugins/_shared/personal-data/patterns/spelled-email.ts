// E-mail addresses that are spelled so that programs do not read them: `ann(at)example(dot)org`.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { execFrom, matchesOfStep } from "./text-range.ts"

const sign = /(\s?)[([{]\s?at\s?[)\]}]\s?/gi
const local = /[A-Za-z0-9\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f._%+-]{0,63}$/
const host =
  /(?:[A-Za-z0-9\u00c0-\u024f-]{1,63}(?:\.|\s?[([{]\s?(?:dot|punkt|point|punto|punt|kropka)\s?[)\]}]\s?)){1,4}[A-Za-z]{2,24}(?![\w(-])/iy

/** Behind a space a sign in brackets is a word of the sentence, unless the dot is spelled as well. */
export function* findSpelledEmails(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let matches = 0
  for (const { 0: at, 1: space = "", index } of text.matchAll(sign)) {
    if (++matches % matchesOfStep === 0) yield
    const name = local.exec(text.slice(Math.max(0, index - 64), index))?.[0]
    const domain = execFrom(host, text, index + at.length)?.[0]
    if (name === undefined || domain === undefined || (space !== "" && !/[([{]/.test(domain))) continue
    const start = index - name.length
    if (start >= (ranges.at(-1)?.end ?? 0)) ranges.push({ start, end: index + at.length + domain.length })
  }
  return ranges
}

/** The address that is meant. */
export const toPlainEmail = (spelled: string): string =>
  spelled.replace(/\s?[([{]\s?at\s?[)\]}]\s?/gi, "@").replace(/\s?[([{]\s?\p{L}{3,6}\s?[)\]}]\s?/gu, ".")
