// Secrets that are assigned to a name which says so: in files of variables, in code, in YAML, JSON, TOML and headers.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { findSecrets, isDrawnSecret, isPassword } from "./secret-value.ts"

/** A mark of assignment, behind the quotation mark or bracket that may close the name. */
const assigned = "(?:\\\\?[\"'`]|\\]){0,2}[ \\t]{0,4}(?:=>|:=|={1,3}|:(?!:)|>(?=[^<\\n]{4,128}</))[ \\t]{0,4}"
const value = "(?:[brf]?(\\\\?[\"'`])([^\\s\"'`\\\\]{4,512})\\2|([^\\s\"'`<>;,\\\\]{4,512}))"

const passwordName = "(?:pass(?:word|wd|phrase|wort)?|kennwort|pwd|pw)"
const keyName =
  "(?:secret|token|(?:api|access|private|secret|auth|account|encryption|signing|master|subscription)[_. -]?key)"

const passwordPattern = new RegExp(`(${passwordName})${assigned}${value}`, "gi")
const keyPattern = new RegExp(`(${keyName})${assigned}${value}`, "gi")

/** `DB_PASS=hunter2`, `"password": "Winter24"`, `PGPASSWORD=… psql`. */
export const findAssignedPasswords = (text: string): Work<readonly TextRange[]> =>
  findSecrets(text, passwordPattern, (match) => {
    const { 1: name = "", index } = match
    if (name.length <= 4 && (!beginsWord(text, index) || isNoun(text, match))) return undefined
    const range = valueOf(text, match)
    return range !== undefined && isPassword(text.slice(range.start, range.end)) ? range : undefined
  })

/** `AWS_SECRET_ACCESS_KEY=…`, `apiKey: "…"`, `X-Api-Key: …`. */
export const findAssignedKeys = (text: string): Work<readonly TextRange[]> =>
  findSecrets(text, keyPattern, (match) => {
    if (otherToken.test(text.slice(Math.max(0, match.index - 16), match.index))) return undefined
    const range = valueOf(text, match)
    return range !== undefined && isDrawnSecret(text.slice(range.start, range.end)) ? range : undefined
  })

/** Tokens that open nothing: places in a list, marks against forgery, words of a model, sums of contents. */
const otherToken =
  /(?:page|next|continuation|cursor|sync|resume|csrf|xsrf|pad|eos|bos|unk|sep|cls|mask|commit|sha\d{0,3}|hash|etag|digest|checksum)[_ -]?$/i

/** `compass` and `bypass` end in the same letters. */
function beginsWord(text: string, start: number): boolean {
  const [before, first] = [text.charAt(start - 1), text.charAt(start)]
  return !/\p{L}/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(first))
}

/** `first pass: O(n^2)`. */
const isNoun = (text: string, { 0: all, 1: name = "", index }: RegExpExecArray): boolean =>
  all.charAt(name.length) !== "=" && /\p{L} $/u.test(text.slice(Math.max(0, index - 2), index))

/** Without quotation marks a value ends before what closes a sentence or the next field of a query, and may be code. */
function valueOf(
  text: string,
  { 0: all, 3: quoted, 4: bare = "", index, ...groups }: RegExpExecArray,
): TextRange | undefined {
  const end = index + all.length
  if (quoted !== undefined) {
    const close = end - (groups[2] ?? "").length
    return { start: close - quoted.length, end: close }
  }
  const start = end - bare.length
  const own = bare.replace(/&[\w.-]+=.*$/, "").replace(/[.,)\]}:]+$/, "")
  return isVariable(text, own, start) ? undefined : { start, end: start + own.length }
}

/** A name in code: `password = password1`, `f(pw=pw2)`, `token: Sha256;`. Files of variables have no spaces around the mark. */
function isVariable(text: string, own: string, start: number): boolean {
  const next = text.charAt(start + own.length)
  if (/[<`]/.test(next)) return text.charAt(start - 1) !== ">"
  if (!/^[A-Za-z_$][\w$]*$/.test(own)) return false
  const before = text.slice(start - 3, start)
  return / [=]{1,3} ?$|>\s?$/.test(before) || /[),]/.test(next) || (next === ";" && /:\s*$/.test(before))
}
