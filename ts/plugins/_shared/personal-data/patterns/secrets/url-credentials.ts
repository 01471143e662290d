// Addresses that carry a user name and a password: `postgres://ann:hunter2@db.example.com/shop`.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { execFrom, matchesOfStep } from "../text-range.ts"

/** Some write an `@` in the password as it is. */
const credentials =
  /([^\s/?#@:"'`<>]{0,64}):([^\s/?#@"'`<>]{1,128}(?:@[^\s/?#@"'`<>,;]{1,64}(?=@))?)@(?=[^\s/?#@"'`<>,;:])/y

/** What documentation writes where a password belongs. */
const placeholder =
  /^(?:(?:\w*[_-])?(?:my)?(?:passwd|password|pass|pwd|pw|secret|token|key)|user(?:name)?|changeme|your\W?\w*|[x*.]+|[$%{[(<].*)$/i

/** The passwords alone: the user and the host beside them open nothing. */
export function* findUrlCredentials(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let schemes = 0
  let from = 0
  for (let colon = text.indexOf("://"); colon !== -1; colon = text.indexOf("://", Math.max(from, colon + 3))) {
    if (++schemes % matchesOfStep === 0) yield
    const [found = "", user = "", password = ""] = execFrom(credentials, text, colon + 3) ?? []
    if (!hasScheme(text, colon) || password === "" || password === user || placeholder.test(password)) continue
    from = colon + 3 + found.length
    const start = colon + 3 + user.length + 1
    ranges.push({ start, end: start + password.length })
  }
  return ranges
}

const hasScheme = (text: string, colon: number): boolean =>
  /[A-Za-z][A-Za-z0-9+.-]*$/.test(text.slice(Math.max(0, colon - 24), colon))
