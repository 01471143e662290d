// Words that tags of HTML part, and what shows nothing.

import { englishBits } from "./letter-pairs.ts"
import { isCode, type Segment } from "./segment.ts"

const tag = `<[!/A-Za-z][^<>"']{0,200}(?:(?:"[^"\\n]{0,200}"|'[^'\\n]{0,200}')[^<>"']{0,60}){0,8}>`
const nothing =
  "&(?:shy|zwn?j|NoBreak|ZeroWidthSpace|#(?:0*(?:173|820[3-5]|8288)|[xX]0*(?:[aA][dD]|200[bBcCdD]|2060)));"
/** Long texts are read in pieces. */
const cutTag = `^[\\w:-]+=[^<>]{0,200}>|<[!/A-Za-z][^<>]{0,200}$`
const marks = new RegExp(`(?:${tag}|${cutTag}|${nothing}|&nbsp;)+`, "g")
const endsWord =
  /<\/?(?:p|div|br|li|ul|ol|td|th|tr|table|tbody|thead|h[1-6]|section|article|option|dd|dt|dl|pre|blockquote)\b/i
const showsNothing = new RegExp(`^(?:<wbr ?/?>|<!--[^>]*-->|<(\\w+)[^<>]*></\\1>|${nothing})+$`)

/** A search from each `<` and `&` is fast. */
const mayBeParted = new RegExp(
  `<(?<=[A-Za-z\\d]\\s{0,3}.)[!/A-Za-z][^<>]{0,300}>\\s{0,3}(?:<|&|[A-Za-z\\d](?:[a-z]|\\s{0,3}<))|${nothing}`,
)

/** Words have a letter set off here and there, and tables a column of them. */
const fewest = { broken: 5, single: 12 }
const shortPart = 3
/** English without blanks says up to 6 bits with each letter. */
const mostBits = 6.1

/** Words whose letters stand in tags of their own, or with something between them that shows nothing. */
export function withoutTags(text: string): readonly Segment[] {
  if (!mayBeParted.test(text)) return []
  const segments: Segment[] = []
  let [broken, singles, at] = [0, "", 0]
  for (const { 0: found, index } of text.matchAll(marks)) {
    const end = index + found.length
    const isEnd = endsWord.test(found)
    if (!isEnd)
      broken += breaks(
        text.slice(Math.max(0, index - shortPart - 1), index),
        text.slice(end, end + shortPart + 1),
        found,
      )
    const between = text.slice(at, Math.min(index, at + longestBetween))
    if (between.length === 1 || between.trim().length === 1) singles += between.length === 1 ? between : between.trim()
    if (found.includes("&nbsp;")) singles += " "
    segments.push({ start: index, end, plain: isEnd ? "\n" : found.includes("&nbsp;") ? " " : "" })
    at = end
  }
  const isSpelt = singles.replaceAll(/\s/g, "").length >= fewest.single
  if (broken >= fewest.broken || (isSpelt && englishBits(singles) <= mostBits)) return segments
  return isSpelt && isCode(singles) ? [{ start: 0, end: text.length, plain: singles, isCode: true }] : []
}

const longestBetween = 40

/** Pages have `<wbr>` within names. */
const isCamel = /\p{Ll}\p{Lu}/u

/** What shows nothing is in a word for nothing else than to part it. */
function breaks(before: string, behind: string, found: string): number {
  const left = /\p{L}+$/u.exec(before)?.[0].length ?? 0
  const right = /^\p{L}+/u.exec(behind)?.[0].length ?? 0
  if (left === 0 || right === 0 || isCamel.test(before.slice(-1) + behind.charAt(0))) return 0
  if (showsNothing.test(found)) return 2
  return Math.min(left, right) <= shortPart ? 1 : 0
}
