// E-mail addresses that are spelled so that programs do not read them: `ann(at)example(dot)org`, `ann @ example.org`,
// `ann dot lee at example dot org`.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { execFrom, matchesOfStep, textBefore } from "./text-range.ts"

const at = "(?:at|ät|arroba|arobase|chiocciola|klammeraffe)"
const dot = "(?:dot|punkt|point|punto|punt|ponto|kropka)"
const bracketed = (word: string): string => `\\s?[([{<]\\s?${word}\\s?[)\\]}>]\\s?`

const sign = new RegExp(`${bracketed(at)}| {1,2}@ {1,2}| ${at} `, "gi")
const signs = "A-Za-z0-9\\u00c0-\\u024f"
const name = `[${signs}][${signs}._%+-]{0,63}`
const local = new RegExp(`${name}$`)
const localInWords = new RegExp(`(?:[${signs}_-]{1,24} ${dot} ){1,3}[${signs}_-]{1,24}$`, "i")
const host = new RegExp(`(?:[${signs}-]{1,63}(?:\\.|${bracketed(dot)}| ${dot} )){1,4}[A-Za-z]{2,24}(?![\\w(-])`, "iy")

export function* findSpelledEmails(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let matches = 0
  for (const { 0: written, index } of text.matchAll(sign)) {
    if (++matches % matchesOfStep === 0) yield
    const domain = execFrom(host, text, index + written.length)?.[0]
    if (domain === undefined) continue
    const before = text.slice(Math.max(0, index - 64), index)
    const account = (localInWords.exec(before) ?? local.exec(before))?.[0]
    if (account === undefined) continue
    const start = index - account.length
    if (start < (ranges.at(-1)?.end ?? 0) || !isMeant(account, written, domain, textBefore(text, start))) continue
    ranges.push({ start, end: index + written.length + domain.length })
  }
  return ranges
}

/**
 * In brackets without a space before them, or with the dot in brackets as well, a sign is one of an address. Behind a space, and as a mere word,
 * it may be one of the sentence, as in "we meet (at) cinema.de" and "find us at shop dot com": more must speak for an address.
 */
function isMeant(account: string, written: string, domain: string, before: string): boolean {
  const isBracketed = /[([{<]/.test(written)
  if (isBracketed && (!/^\s/.test(written) || /[([{]/.test(domain))) return true
  if (ofSentence.test(account)) return false
  const reasons = [
    // Programs multiply with the sign: `out = attn.softmax @ value.states`.
    !written.includes("@") && isAccount(account),
    / /.test(domain),
    provider.test(domain.replace(dotOnly, ".")),
    mail.test(before),
    unmistakable.test(written),
  ]
  return reasons.filter(Boolean).length >= (isBracketed || written.includes("@") ? 1 : 2)
}

/** Words in front of "at" that are no account. */
const ofSentence =
  /^(?:me|us|you|him|her|them|it|look(?:s|ed|ing)?|meet|met|is|are|was|were|live[sd]?|working|works?|stay|visit|find|more|here|online|shop|buy|sold|available|hosted|order|read|start(?:s|ed)?|arrive[sd]?|sign|log|login|in|up|out|on|or|and|not|page|site|website|account|address|e?-?mails?|news|store|docs?|details|info?rmation)$/i

/** `t.lindqvist` and `ann dot lee`, but not `Node.js` and `index.html`. */
const isAccount = (account: string): boolean =>
  account.includes(" ") ||
  (/\p{L}[._]\p{L}{3}/u.test(account) &&
    !/\.(?:com|net|org|html?|json|ya?ml|pdf|txt|css|png|jpe?g|exe|app|dev|toml|xml|csv|java|sql)$/i.test(account))

const mail =
  /(?<!\p{L})(?:e-?mails?|mail(?:en|t)?|mailto|write (?:to|me)|schreib\p{L}*|corr?eo|courriel|adres\p{L}*|address|reach|contact|kontakt)(?!\p{L})/iu
/** Nothing else has these names. */
const unmistakable = /arobase|chiocciola|klammeraffe|arroba/i
const provider =
  /^(?:(?:gmail|googlemail|gmx|posteo|outlook|hotmail|yahoo|ymail|icloud|aol|proton(?:mail)?|fastmail|tutanota|mailbox|yandex|rediffmail|zoho|t-online|freenet|laposte|libero|naver|seznam|bluewin)\.[a-z.]+|web\.de|mail\.ru|qq\.com|163\.com|wp\.pl|pm\.me)$/i

const signOnly = new RegExp(`${bracketed(at)}| {1,2}@ {1,2}| ${at} (?!.* ${at} )`, "i")
const dotOnly = new RegExp(`${bracketed("\\p{L}{3,6}")}| ${dot} `, "giu")

/** The address that is meant. */
export const toPlainEmail = (spelled: string): string => spelled.replace(signOnly, "@").replace(dotOnly, ".")
