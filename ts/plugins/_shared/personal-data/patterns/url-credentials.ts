// Addresses that carry a user name and a password: `postgres://ann:hunter2@db.example.com/shop`.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { execFrom, matchesOfStep } from "./text-range.ts"

const credentials = /([^\s/?#@:"'`<>]{0,64}):([^\s/?#@"'`<>]{1,128})@[^\s/?#@"'`<>]{1,253}/y

/** What documentation writes where a password belongs. */
const placeholder =
  /^(?:(?:\w*[_-])?(?:my)?(?:passwd|password|pass|pwd|pw|secret|token|key)|user(?:name)?|changeme|your\W?\w*|[x*.]+|[$%{[(<].*)$/i

/** From the scheme to the host; path and query are searched for other kinds. */
export function* findUrlCredentials(text: string): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let schemes = 0
  let from = 0
  for (let colon = text.indexOf("://"); colon !== -1; colon = text.indexOf("://", Math.max(from, colon + 3))) {
    if (++schemes % matchesOfStep === 0) yield
    const start = startOfScheme(text, colon, from)
    const [found = "", user = "", password = ""] = execFrom(credentials, text, colon + 3) ?? []
    if (start === colon || password === "" || password === user || placeholder.test(password)) continue
    from = colon + 3 + found.length
    while (/[.,;:!?)\]}]/.test(text.charAt(from - 1))) from--
    ranges.push({ start, end: from })
  }
  return ranges
}

/** Not before `least`, where the last address ended. */
function startOfScheme(text: string, colon: number, least: number): number {
  let start = colon
  while (start > least && colon - start < 24 && /[A-Za-z0-9+.-]/.test(text.charAt(start - 1))) start--
  while (start < colon && !/[A-Za-z]/.test(text.charAt(start))) start++
  return start
}
