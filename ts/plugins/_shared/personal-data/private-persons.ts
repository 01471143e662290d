// Which names are private data. Most prompts that name somebody ask about public people or make people up; a name alone says
// nothing private of them. So a name counts where the text is about a person whom its writer deals with: docs/why/private-persons.md.

import type { TextRange } from "../../../kernel/index.ts"
import type { Entity } from "./entities.ts"
import { isDealtWith } from "./dealt-with.ts"
import { privateKinds } from "./kinds.ts"
import { publicIn } from "./public-data.ts"
import { setsTask } from "./sets-task.ts"
import { isListedWord } from "./single-words.ts"

/** Kinds that say nothing of anybody by themselves, as the age in "18-year-old whisky" and the code in "90210". */
const needsPerson: ReadonlySet<string> = new Set(["AGE", "ZIP_CODE"])

const isPrivate: ReadonlySet<string> = new Set(privateKinds)

/** The findings of a text without names that say nothing private, and without what stands beside no person. */
export function keepPrivate(text: string, found: readonly Entity[]): readonly Entity[] {
  if (!found.some(({ kind }) => kind === "PERSON" || needsPerson.has(kind))) return found
  const isPublic = publicIn(text)
  const hasOthers = found.some(
    (each) => isPrivate.has(each.kind) && each.kind !== "PERSON" && !needsPerson.has(each.kind) && !isPublic(each),
  )
  if (hasOthers) return found
  const isTask = setsTask(text)
  let history: boolean | undefined
  const isHistory = (): boolean => (history ??= isOfHistory(text))
  const counts = (entity: Entity): boolean =>
    entity.kind !== "PERSON" ||
    entity.probability === 1 ||
    !(isTask || isAskedAbout(text, entity) || isPublished(text, entity) || isHistory() || isListedWord(text, entity)) ||
    isDealtWith(text, entity)
  const kept = found.filter(counts)
  return kept.some(({ kind }) => kind === "PERSON") ? kept : kept.filter(({ kind }) => !needsPerson.has(kind))
}

/** Who is cited, or named with a page of their own: "Oke (1982)", "Lewis et al.", "Khattab & Zaharia 2020", "Ann Lee (https://…". */
const isPublished = (text: string, { end }: TextRange): boolean => published.test(text.slice(end, end + 80))
const year = "(?:1[5-9]|20)\\d\\d[a-z]?"
const published = new RegExp(
  `^(?:['’]s)?,? ?(?:et al(?!\\p{L})|\\(${year}[),:;]|${year}[),:;]|(?:&|and|und|et|y) \\p{Lu}[\\p{L}'’-]{1,30},? \\(?${year}(?!\\d)|\\((?:\\[[^\\]\\n]{0,60}\\]\\()?https?:)`,
  "u",
)

/** A text that names such a year tells of people who are dead. */
const isOfHistory = (text: string): boolean => yearLongAgo.test(text)
const yearLongAgo =
  /(?<!\p{L})(?:in|since|until|born|died|january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)(?: de)?|im jahr|en|seit) \(?1[0-8]\d\d(?![\d.,:%-]*\d| ?(?:[€$£%]|(?:kg|g|km|cm|mm|m|eur|euros?|usd|dollars?|words?|characters?|tokens?|people|users?|rows?|items?|points?|calories|steps|met(?:er|re)s?|miles)(?!\p{L})))/iu

/** Whether the sentence of a name is a question. */
function isAskedAbout(text: string, { end }: TextRange): boolean {
  return /^[^.!?？\n]*[?？]/u.test(text.slice(end, end + 160))
}
