// Who made a program, as its files say for everybody to read: authors in the manifest of a package, lines of copyright, and
// handles that lead to a public profile. They stand in nearly every repository. A rule that names kinds finds them all the same.

import type { Entity } from "./entities.ts"

const kinds: ReadonlySet<string> = new Set(["PERSON", "EMAIL_ADDRESS", "USERNAME"])

/** Says of the findings in a text whether they are part of such credits. */
export function creditsIn(text: string): (finding: Entity) => boolean {
  const once = (pattern: RegExp): (() => boolean) => {
    let known: boolean | undefined
    return () => (known ??= pattern.test(text))
  }
  const [mayHold, isManifest] = [once(words), once(manifest)]
  return ({ kind, start, end }) => {
    if (!kinds.has(kind)) return false
    const before = text.slice(Math.max(0, start - mostOfList), start)
    if (kind === "USERNAME" && /\[@?$/.test(before.slice(-2)) && /^\]\(https?:/.test(text.slice(end, end + 8)))
      return true
    if (!mayHold()) return false
    const line = before.slice(Math.max(before.lastIndexOf("\n") + 1, before.length - mostOfLine))
    return copyright.test(line) || comment.test(line) || (isManifest() && (metadata.test(line) || listed.test(before)))
  }
}

/** Every credit has one of these. */
const words = /author|contribut|maintain|copyright|©|\(c\)|(?:written|created|developed|ported) by/i

const mostOfLine = 240
const mostOfList = 4000

const copyright = /©|\(c\) ?(?:19|20)\d\d|copyright (?:\(c\)|(?:19|20)\d\d)/i
/** In a comment of code. */
const comment =
  /^\s*(?:[*#;%"]|\/[/*]|--|<!--|"""|\.\\")[^\n]*(?:@author|(?:written|created|developed|contributed|maintained|authored|ported|rewritten) by|(?:authors?|maintainers?|contributors?)\s*:)/i
/** In a field of the metadata of a package of Python. */
const metadata = /^(?:Author|Maintainer)(?:-email)?: /
/** In a value of the key: a string, an object or a list of them, in a file or in JSON that holds one. */
const listed =
  /(?:authors?|author_email|contributors|maintainers?|maintainer_email)(?:\\?["'])?\s{0,4}[:=]\s{0,4}(?:\\?["'][^"'\n]{0,240}|\{[^{}[\]]{0,400}|\[(?:[^{}[\]]|\{[^{}[\]]*\})*(?:\{[^{}[\]]*)?)$/i
/** What the manifest of a package says beside them. */
const manifest =
  /"(?:licen[cs]e|(?:dev|peer)?dependencies|repository|engines)\\?"\s*:|(?:^|\\n)\[(?:package|project|tool\.poetry|dependencies)\]|(?:^|\\n)[ \t]*(?:licen[cs]e|requires-python|edition)\s*=|\bsetup\(|^Metadata-Version: |(?:\b|\\n)authors = \[\s{0,8}\\?"[^"<\n]{1,80}<[^<>"\n]{3,80}>/im
