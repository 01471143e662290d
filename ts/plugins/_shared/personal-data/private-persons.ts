// Which names are private data. Most prompts that name somebody ask about public people or make people up; a name alone says
// nothing private of them. So a name counts where the text is about a person whom its writer deals with: docs/why/private-persons.md.

import type { TextRange } from "../../../kernel/index.ts"
import type { Entity } from "./entities.ts"
import { isDealtWith } from "./dealt-with.ts"
import { privateKinds } from "./kinds.ts"
import { publicIn } from "./public-data.ts"

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
  const counts = (entity: Entity): boolean =>
    entity.kind !== "PERSON" ||
    entity.probability === 1 ||
    isDealtWith(text, entity) ||
    !(isTask || isAskedAbout(text, entity) || isPublished(text, entity) || isOfHistory(text))
  const kept = found.filter(counts)
  return kept.some(({ kind }) => kind === "PERSON") ? kept : kept.filter(({ kind }) => !needsPerson.has(kind))
}

/** Prompts say what is to be done before or behind what they are about. */
const edge = 400

/** Whether a text sets a task, and so may name people only to say what it is about. */
const setsTask = (text: string): boolean =>
  beginning.test(text.slice(0, edge)) ||
  [text.slice(0, edge), text.length > edge ? text.slice(-edge) : ""].some(
    (part) => task.test(part) || label.test(part),
  ) ||
  endsInQuestion.test(text.slice(-edge))

const endsInQuestion = /[?？][^.!?？]{0,120}$/u

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

const polite =
  "(?:(?:please|pls|and|now|then|next|also|can you|could you|would you|will you|i want you to|i(?:'d| would) like you to|i need you to|you (?:must|should|will)|let's|help me(?: to)?|do not|don't|briefly|instructions?|question|task|context|prompt|to)[\\s,:]+){0,3}"
/** The commonest ones in German, French and Spanish. */
const otherTasks =
  "(?:bitte )?(?:beantworte|beschreibe?|erkläre?|erstelle?|fasse?|formuliere?|gib|korrigiere?|liste|nenne?|prüfe?|schreibe?|übersetze?|vergleiche?|zeige?)|compare[rz]?|corrige[rz]?|décri(?:s|vez)|donne[rz]?(?:-moi)?|écri(?:s|vez)|explique[rz]?|rédige[rz]?|résume[rz]?|tradui(?:s|re|sez)|compara|dame|describe|enumera|escribe|explica|haz|redacta|resume|traduce"
/** Verbs of tasks, at the beginning of a sentence or a line. */
const task = new RegExp(
  `(?:^|[\\n.!?:;"”)*#>-]\\s*)${polite}(?:act as|analy[sz]e|assume|brainstorm|categori[sz]e|check (?:it|this|that|these|whether|if)|classify|compare|compose|compute|construct|continue|convert|craft|create|critique|debate|define|describe|design|determine|develop|discuss|draft|edit|elaborate|embody|estimate|evaluate|examine|explain|explore|extract|generate|fact[ -]check|feedback on|comments? on|give me|give the|grade|guess|highlight|identify|imagine|implement|infer|interpret|introduce|invent|list|make (?:me|it|this|an?|one|two|three|four|five|ten|some|\\d+)|name|outline|paraphrase|parse|polish|pretend|proofread|prove|rank|rate|recommend|rephrase|rewrite|roleplay|shorten|simplify|simulate|solve|suggest|summari[sz]e|suppose|tell me|tell the story|tighten|translate|transform|turn (?:it|this|that|the|these|them)|write|you are|you're|${otherTasks})(?![\\p{L}\\p{N}])`,
  "iu",
)
/** What stands over the parts of a task. */
const label =
  /(?:^|\n)[#*\s]{0,4}(?:chapter|prologue|epilogue|scene|act|kapitel|chapitre|capítulo)(?: [\p{L}\d-]{1,12})?[*:.]{0,3}\n|(?:^|\n)[^\p{L}\n]*(?:questions?|tasks?|instructions?|prompt|problem|exercise|passage|role|options|choices|answer)\b[^\p{L}\n]{0,4}:|(?:the|this) (?:following|above|given|provided|below) (?:text|passage|paragraph|story|article|conversation|dialogue|list|table|sentence|question|statement|scenario)/iu
/** Verbs that begin sentences of other kinds as well: at the beginning of the text alone. */
const beginning = new RegExp(
  `^[^\\p{L}\\p{N}]*${polite}(?:add|answer|apply|ask|calculate|change|check|choose|come up|complete|consider|correct|count|decide|draw|expand|express|fill|find|fix|format|give|improve|include|is|are|was|were|did|does|do|has|have|can|could|should|would|judge|look up|make|match|offer|organi[sz]e|perform|pick|plan|play|predict|prepare|present|produce|propose|provide|read|refer|research|respond|retrieve|return|review|revise|say|search|select|show|sort|speak|start|state|take|talk|teach|tell|think|title|try|turn|use|watch|who|who's|whose|whom|what|what's|when|where|which|why|how)(?![\\p{L}\\p{N}])`,
  "iu",
)
