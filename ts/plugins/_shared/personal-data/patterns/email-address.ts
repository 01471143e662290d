// E-mail addresses.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { matchesOfStep, textAfter, textBefore } from "./text-range.ts"

/** Letters of scripts with spaces between words, and accents that stand apart from them; others would join an address with the sentence around it. */
const letters = "A-Za-z\\u00c0-\\u024f\\u0300-\\u052f"
const ofLocal = new RegExp(`[${letters}0-9._%+'-]`)
const ofDomain = new RegExp(`[${letters}0-9.-]`)
const label = new RegExp(`^[${letters}0-9](?:[${letters}0-9-]*[${letters}0-9])?$`)
const topLevel = new RegExp(`^(?:[${letters}]{2,24}|xn--[a-z0-9-]{2,59})$`, "i")

/**
 * Endings of files and of systemd units, which stand behind an at sign in `icon@2x.png` and `backup@db1.service`. None of them is
 * a top-level domain.
 */
const endingOfName =
  /^(?:png|jpe?g|gif|svg|webp|ico|bmp|pdf|json|ya?ml|html?|css|scss|tsx?|jsx?|mjs|cjs|txt|xml|csv|exe|dll|tgz|gz|service|socket|timer|mount|automount|slice|scope|swap)$/i

/** What stands for the sign in addresses of the web and in pages. */
export const encodedSign: RegExp = /%40|&#0{0,4}64;|&#x0{0,4}40;|&commat;/i
const sign = new RegExp(`@|${encodedSign.source}`, "gi")

/** Looks left and right of each at sign, so a text without one costs nothing. */
export function* findEmailAddresses(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let signs = 0
  for (const { 0: written, index: at } of text.matchAll(sign)) {
    if (++signs % matchesOfStep === 0) yield
    const start = startOfLocal(text, at)
    const end = endOfDomain(text, at + written.length)
    if (start < at && end !== undefined && !isOfUrlOrCopy(text, start, at, end)) ranges.push({ start, end })
  }
  return ranges
}

function startOfLocal(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < 64 && ofLocal.test(text.charAt(start - 1))) {
    if (text.charAt(start - 1) === "." && (start === at || text.charAt(start) === ".")) break
    start--
  }
  while (start < at && /[.'-]/.test(text.charAt(start))) start++
  return start
}

/** Undefined when what follows the at sign is no name of a host. */
function endOfDomain(text: string, from: number): number | undefined {
  let end = from
  while (end < text.length && end - from < 253 && ofDomain.test(text.charAt(end))) end++
  // `imports@env.await_promise` goes on as a name of code.
  if (text.charAt(end) === "_" && /[^_\W]/.test(text.charAt(end + 1))) return undefined
  while (end > from && /[.-]/.test(text.charAt(end - 1))) end--
  const labels = text.slice(from, end).split(".")
  const last = labels.at(-1) ?? ""
  // A hyphen there is a dash of the sentence.
  const dash = last.toLowerCase().startsWith("xn--") ? -1 : last.indexOf("-")
  const name = dash === -1 ? last : last.slice(0, dash)
  const isHost = labels.length > 1 && labels.every((each) => each.length <= 63 && label.test(each))
  return isHost && topLevel.test(name) && !endingOfName.test(name) ? end - (last.length - name.length) : undefined
}

/** `ssh://ann@host.org`, `ann@host.org:path/to` and `git@host.org` name an account on a machine. */
function isOfUrlOrCopy(text: string, start: number, at: number, end: number): boolean {
  return (
    text.slice(start, at).toLowerCase() === "git" ||
    /:\/\/[^\s/@]*$/.test(textBefore(text, start)) ||
    /^:[\w.~-]*\//.test(textAfter(text, end))
  )
}
