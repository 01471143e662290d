// The names that an application gives its assistant: "You are Pia, the assistant of a parcel service", "Hi, I'm Pia". They are nobody's,
// and whoever talks to Pia writes "Thanks, Pia".

import { type ChatRequest, textOf } from "../../../kernel/index.ts"

/** One word: somebody who is called by a full name may be a person. */
const name = "(\\p{Lu}[\\p{L}\\p{M}-]{1,23})(?![\\p{L}\\p{N}]|['’]s|\\s+\\p{Lu})"

/** What system messages say of whom they speak to. */
const given = new RegExp(
  `(?<!\\p{L})(?:[Yy]ou(?: a|'|’)re(?: called| named| known as)?|[Yy]our name is|[Yy]ou go by|[Aa]ct as|[Dd]u (?:bist|heißt)|[Dd]ein Name ist|[Ss]ie sind|[Tt]u (?:es|t['’]appelles)|[Vv]ous êtes|[Tt]on nom est|[Ee]res|[Tt]e llamas|[Tt]u nombre es)\\s+["“„«]?${name}`,
  "gu",
)

/** What an assistant says of itself. */
const own = new RegExp(
  `(?<!\\p{L})(?:[Ii](?: a|'|’)m|[Mm]y name(?: i|'|’)s|[Ii]ch (?:bin|heiße)|[Mm]ein Name ist|[Jj]e (?:suis|m['’]appelle)|[Mm]on nom est|[Ss]oy|[Mm]e llamo|[Mm]i nombre es)\\s+["“„«]?${name}`,
  "gu",
)

/** Longest part of a message that is searched: who somebody is stands at its beginning. */
const longest = 2_000

/** Of a request, and of what a reply answers if there is something; in small letters. */
export function assistantNames(requests: readonly (ChatRequest | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { role, ...turn } of requests.flatMap((request) => request?.turns ?? [])) {
    if (role !== "system" && role !== "assistant") continue
    const text = textOf(turn).slice(0, longest)
    for (const [, found = ""] of text.matchAll(role === "system" ? given : own)) names.add(found.toLowerCase())
  }
  return names
}
