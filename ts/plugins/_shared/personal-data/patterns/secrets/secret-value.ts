// What tells a secret from what documentation and code write in its place.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { findRanges } from "../text-range.ts"

/** Parts of a text that are secrets. A match without one is read again only where it is short, because secrets are long. */
export const findSecrets = (
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => TextRange | undefined,
): Work<readonly TextRange[]> => findRanges(text, pattern, read, 400)

/** The text that base64 stands for; undefined where it is none. */
export function decodedBase64(encoded: string): string | undefined {
  try {
    return atob(encoded)
  } catch {
    return undefined
  }
}

/** Whether a value looks drawn by a machine: long, of many signs, with letters and digits that take turns. */
export function isDrawnSecret(value: string): boolean {
  if (value.length < 16 || new Set(value).size < 8 || !/^[\w+/=.~:!@#$%^&*?|-]+$/.test(value)) return false
  const mixes = turns(value) >= 3 && /[A-Za-z].*[A-Za-z].*[A-Za-z]/.test(value)
  return (mixes || isDrawnOfLetters(value.replace(/[^A-Za-z]/g, ""))) && !isPlaceholder(value) && !isCode(value)
}

/** How often a letter stands beside a digit: words with numbers behind them have one such place each. */
const turns = (value: string): number => value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0

/** Letters of both cases, often two capital ones in a row: names in camel case have few of them, and apart. */
export function isDrawnOfLetters(value: string): boolean {
  const capitals = value.match(/[A-Z]/g)?.length ?? 0
  const small = value.match(/[a-z]/g)?.length ?? 0
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0
  return (
    value.length >= 16 &&
    capitals * 4 >= value.length &&
    Math.min(small, changes) * 5 >= value.length &&
    /[A-Z]{2}/.test(value)
  )
}

/** Whether a value could be what a person chose: letters with a digit or a sign among them. */
export function isPassword(value: string): boolean {
  if (value.length < 4 || value.length > 128 || isPlaceholder(value) || isCode(value)) return false
  return /\p{L}/u.test(value) && /\d|[@#$%^&*+~=]|[!?](?=.*[\p{L}\d])/u.test(value)
}

/** What documentation writes: `changeme`, `your-key`, `xxxx`, `<token>`, `${TOKEN}`, `%s`. */
export const isPlaceholder = (value: string): boolean => placeholders.some((pattern) => pattern.test(value))

const placeholders: readonly RegExp[] = [
  // Brackets, variables and formats: `<token>`, `$TOKEN`, `%s`, `{{ token }}`, `!Ref`.
  /^(?:\W?[{[(<].*|\W?\$(?:[A-Za-z_{(]|\d+$).*|%[\w(%].*|!\p{L}+)$/u,
  /\{\{|\}\}/,
  // What is blacked out or made up.
  /^(?:.*[*•.…]{3}.*|.*[xX]{4}.*)$/u,
  /redacted|dummy|fake|deadbeef/i,
  // Words that tell the reader to put something there.
  /your|example|sample|change[_-]?(?:me|this|it)|placeholder|replace|insert|todo|goes[_-]?here/i,
  // What fingers type.
  /12345678|abcdefg|foo-?bar|^abcd?\d{0,6}$/i,
  // A name for what should stand there: `my-api-key`, `super_secret`, `admin123`, `P@ssw0rd!`.
  /super[_-]?secret|(?:some|my|the|test)[_-]?(?:super|secret|api|token|pass|pw|key|long|strong)/i,
  /^(?:(?:my|the|an?|new|old|user|admin|test|db|root|default)?[_-]?(?:pass(?:word|wd|phrase|code)?|p[a@][s$]{2}w[o0]rd|pwd?|user(?:name)?|login|secret|token|key|string|value|test|admin|root)[_-]?\d{0,4}[!.]?|n\/a)$/i,
]

/** Whether code computes a value, or holds in quotes what stands for a password. `before` is the sign in front of it. */
export const isNoPassword = (value: string, before: string): boolean =>
  isCode(value) || (/["'`]/.test(before) && isPlaceholder(value))

/** Whether code computes a value, or says where it stands. */
export const isCode = (value: string): boolean =>
  expressions.some((pattern) => pattern.test(value)) || references.some((pattern) => pattern.test(value))

const expressions: readonly RegExp[] = [
  // Calls: `get_password()`, `os.environ[`, `config?.`.
  /^[A-Za-z_$][\w$]*(?:\??\.[\w$]+|::[\w$]+)*!?(?:[([{]|\?\.)/,
  // Members: `process.env.TOKEN`, `Secret::new`.
  /^[A-Za-z_$][\w$]{0,19}(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]{0,19})+$/,
  /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)+$/,
  // Numbers, alone or with a unit, versions and times.
  /^(?:0x[\da-f]{1,8}|\d+[.,/][\d.,/]*|[\d.,/]+(?:ms|s|min|h|d|px|[kmg]b?|x|%))$/i,
  /^(?:v?\d+(?:\.\d+)+|\d{4}-\d\d-\d\dT.*)$/i,
  // Names: `:password`, `&token`, `db_password2`.
  /^[@:&*!#?][A-Za-z_]+\d?$/,
  /^[a-z_]*(?:pass(?:word|wd|phrase)|pwd|secret|token)[a-z_]*\d?$/i,
  // Types and algorithms: `Uint8Array`, `sha256`, `bcrypt_12`.
  /^[a-z]{0,6}[_-]?(?:utf|base|sha|md|int|uint|float|char|string|bytes?|aes|rsa|hs|rs|es|argon|pbkdf|bcrypt|scrypt|hmac)[_-]?\d{1,4}\w{0,8}$/i,
  // Operators.
  /=>|[=!]==?\w|&&|\|\||\?\?\w|^\w{1,12}\+{1,2}\w{0,12}$/,
]

/** Paths, files and addresses, behind which the secret stands elsewhere. */
const references: readonly RegExp[] = [
  /:\/\//,
  /^(?:[.~]{0,2}\/(?:[\w.-]{0,14}\/|[\w.-]{0,20}$)|[A-Za-z]:\\)/,
  /\.(?:pem|key|crt|json|ya?ml|toml|txt|env|html?|php|[jt]sx?|py|go|rb|sh|com|org|net|io)$/i,
  /^[\w.+-]+@[\w-]+\.[a-z]{2,}$/i,
]
