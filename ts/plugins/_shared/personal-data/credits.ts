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
    const behind = text.slice(end, end + 240)
    if (profile.test(behind) || (kind === "PERSON" && isLinkedWord(text, start, end))) return true
    const line = lineOf(before)
    if (profileBefore.test(line)) return true
    if (!mayHold()) return false
    if (inCredits(before) || field.test(line)) return true
    if (endsInNames(line, copyright) && !isOfList.test(before)) return true
    if (endsInNames(line, comment) && !isItem(line, before)) return true
    return isManifest() && (metadata.test(line) || listed.test(before))
  }
}

/** `__author__ = ` of Python, `:author: ` of AsciiDoc and reStructuredText. */
const field = /__(?:author|maintainer|credits|copyright)__\s*=[^\n]*$|^\s*:(?:author|copyright|maintainer)s?:/

/** What stands of the line in front of a finding. */
const lineOf = (before: string): string =>
  before.slice(Math.max(before.lastIndexOf("\n") + 1, before.length - mostOfLine))

const pages =
  "https?://(?:www\\.)?(?:(?:avatars\\d?\\.)?github(?:usercontent)?\\.com|gitlab\\.com|codeberg\\.org|bitbucket\\.org|twitter\\.com|x\\.com|bsky\\.app|npmjs\\.com|[a-z]{2,3}\\.wikipedia\\.org)/"
/** A link with the name leads to a public page of its bearer: `[Ann Lee](https://github.com/ann)`, `Ann Lee <https://github.com/ann>`. */
const profile = new RegExp(`^[^\\[\\]()<>\\n]{0,40}(?:\\(@[\\w-]{1,40}\\))?(?:\\]\\(|\\*{0,2} ?[<(])${pages}`, "i")
/** The page, and then name and mail address: `[ann](https://github.com/ann) - **Ann Lee** <ann@lee.dev>`. */
const profileBefore = new RegExp(
  `\\]\\(${pages}[\\w-]{1,40}/?\\)[\\s*:–—-]{1,8}[\\p{L}\\p{M} .'’"-]{0,60}\\**\\s?<{0,2}$`,
  "iu",
)
/** One word that is a link names a program or a company. */
const isLinkedWord = (text: string, start: number, end: number): boolean =>
  text.charAt(start - 1) === "[" && /^\]\(https?:/.test(text.slice(end, end + 8)) && !/\s/.test(text.slice(start, end))

/** Whether the heading above says that those below have made something. */
function inCredits(before: string): boolean {
  // Of Markdown, or of the documentation of Perl.
  const last = Math.max(before.lastIndexOf("\n#"), before.lastIndexOf("\n=head")) + 1
  const title = /^(?:#{1,6}|=head\d) ([^\n]{1,80})\n/.exec(before.slice(last, last + 100))?.[1]
  return title !== undefined && creditsTitle.test(title)
}
const creditsTitle =
  /^\W*(?:core |original |past |current |active )?(?:authors?|contributors?|maintainers?|collaborators?|credits?|acknowledge?ments?|special thanks|thanks|thank you|sponsors?|backers?|licen[cs]e|copyright)\b/i

/** Every credit has one of these. */
const words =
  /sponsor|backer|thanks|credits|acknowledg|collaborat|licen[cs]e|(?:definitions|implementation) by|author|contribut|maintain|copyright|©|\(c\)|(?:written|created|developed|ported) by|"(?:bugs|support|publisher|_?npmUser)/i

const mostOfLine = 240
const mostOfList = 4000

const year = "(?:19|20)\\d\\d(?: ?[-–—] ?(?:\\d{1,4}|present|now)?|\\+)?"
/** A mark alone is also the third of a list, so a year stands behind it. */
const copyright = new RegExp(
  `(?:copyright:?\\s*(?:\\(c\\)|©)|©)(?:[\\s,:&]*${year})*|(?:copyright:?|\\(c\\))(?:[\\s,:&]*${year})+`,
  "i",
)
const isOfList = /(?:^|\s)\(b\)\s/

/** A comment of code begins so, and what was written is a part of a program: everything else may be "created by" a customer. */
const comment = new RegExp(
  `^\\s*(?:[#;%*]+|"(?:\\s|(?=this))|//+!?|/\\*+|--|<!--|"""|\\.\\\\")[^\\n\\w@]*(?:${[
    "[^\\n]{0,80}@(?:author|maintainer)s?:?",
    "[^\\n.:!?]{0,60}(?<!\\w)(?:contributed|ported|rewritten|definitions|implementation) by:?",
    "[^\\n!?]{0,60}(?<!\\w)licen[cs]e\\.",
    "(?:(?:this|the|original(?:ly)?|initial(?:ly)?|first|current|lead|main|vim|syntax|config(?:uration)?|file|script|code|module|program|plug-?in|theme|class|library|package|driver|tool|function|header|source|version|implementation|product|includes|cryptographic|software|python|was|is|has|been|and|for)[ ,:]+){0,8}(?:(?:written|created|developed|maintained|authored) by:?|(?:authors?|maintainers?|contributors?)\\s*:)",
  ].join("|")})`,
  "i",
)
/** A star begins an item of a list as well, outside of a block of comments. Tags and licences stand in no other. */
const isItem = (line: string, before: string): boolean =>
  /^\s*\*/.test(line) &&
  !/@author|contributed by|this product/i.test(line) &&
  before.lastIndexOf("/*") <= before.lastIndexOf("*/")

/** Whether behind a credit nothing stands but those whom it names. */
function endsInNames(line: string, credit: RegExp): boolean {
  const found = credit.exec(line)
  if (found === null) return false
  const rest = line.slice(found.index + found[0].length).replaceAll("&lt;", "<")
  return names.test(rest) || (/copyright.*[c©]/i.test(found[0]) && holder.test(rest))
}

/**
 * Words with a capital, mail addresses, pages and what joins them. The first may be a handle. A sentence or another field says that
 * the finding is somebody else. Each word ends before one of the signs between words, so that there is one way to read a line.
 */
const names = new RegExp(
  `^[\\s:—–-]*(?:by )?(?:@?[\\w.-]{2,39}(?= ?[<(]))?(?:[\\s,;&<>()"[\\]/]*(?:${[
    "(?:\\p{Lu}\\.)+|v\\.|\\p{Lu}[\\p{L}\\p{M}\\d'’-]*(?:\\.(?:com|org|io|js))?|\\p{Lo}[\\p{Lo}\\p{M}'’-]*|(?:Inc|Ltd|Jr|Sr|Dr|Co|Corp|LLC)\\.",
    "by|and|und|et|al\\.|the|of|for|van|von|der|den|de|del|du|di|da|la|y|i|e|contributors|authors|[aA]ll [rR]ights [rR]eserved\\.?",
    `[\\w.+-]{1,64}@[\\w.-]{1,64}|https?://[^\\s<>()"]{1,120}|mailto:|©|${year}|-`,
  ].join("|")})(?=[\\s,;&<>()"[\\]/]|$|(?<=mailto:)))*[\\s,;&<("[]*$`,
  "u",
)
/** "Copyright (c) 2010 some name <" */
const holder = /^[^.:!?;\n]{0,80}<$/

/** In a field of the metadata of a package of Python. */
const metadata = /^(?:Author|Maintainer)(?:-email)?: /
/** In a value of the key: a string, an object or a list of them, in a file or in JSON that holds one. */
const listed =
  /(?:authors?|author_email|contributors|maintainers?|maintainer_email|(?<=")(?:bugs|support|publisher|_?npmUser))(?:\\?["'])?\s{0,4}[:=]\s{0,4}(?:\\?["'][^"'\n]{0,240}|\{[^{}[\]]{0,400}|\[(?:[^{}[\]]|\{[^{}[\]]*\})*(?:\{[^{}[\]]*)?)$/i
/** What the manifest of a package says beside them. */
const manifest =
  /"(?:licen[cs]e|(?:dev|peer)?dependencies|repository|engines)\\?"\s*:|(?:^|\\n)\[(?:package|project|tool\.poetry|dependencies)\]|(?:^|\\n)[ \t]*(?:licen[cs]e|requires-python|edition)\s*=|\bsetup\(|^Metadata-Version: |(?:\b|\\n)authors = \[\s{0,8}\\?"[^"<\n]{1,80}<[^<>"\n]{3,80}>/im
