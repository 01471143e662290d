// What the head `pii` of the built-in package says, as findings: whole words, of kinds without a form, as sure as their kind needs.

import type { TextSpan } from "../../../kernel/index.ts"
import { type Entity, toEntities } from "./entities.ts"
import { patternKinds } from "./kinds.ts"
import { operatingPoints } from "./operating-points.ts"
import { isAnnounced } from "./dealt-with.ts"
import { isOfTheDead, saysBirth, wholeDate } from "./patterns/birth-date.ts"
import { isTypeOfName, isTypeName } from "./patterns/code-names.ts"
import { isWordOfCode } from "./single-words.ts"
import { isUserName } from "./user-names.ts"
import { isOneAddress, isWithoutCapitals, toAddress, toNames, toValue } from "./span-ends.ts"

const withForm: ReadonlySet<string> = new Set(patternKinds)
const names: ReadonlySet<string> = new Set(["PERSON", "ORGANIZATION", "GPE", "NRP", "TITLE"])
const values: ReadonlySet<string> = new Set(["ID", "PASSWORD", "US_DRIVER_LICENSE", "USERNAME"])

/** `spans` are what the head marks with its own threshold, in the order of the text; `points` what each kind needs. */
export function toFindings(
  text: string,
  spans: readonly TextSpan[],
  points: Readonly<Record<string, number>> = operatingPoints,
): readonly Entity[] {
  const marked = toEntities(spans).filter(({ kind }) => !withForm.has(kind))
  const addresses = addressesIn(text, marked)
  const others = marked.filter(
    (each) => !addresses.some((address) => each.start < address.end && address.start < each.end),
  )
  const isLowerCase = isWithoutCapitals(text)
  const found = withoutRepeated(others.flatMap((entity) => completed(text, entity, isLowerCase)))
  return [...addresses, ...surestValues(found)].filter((each) => each.probability >= pointOf(text, each, points))
}

/** A title or a relation before a name says what the model is not sure of. */
const announcedPerson = 0.4

const pointOf = (text: string, entity: Entity, points: Readonly<Record<string, number>>): number =>
  entity.kind === "PERSON" && isAnnounced(text, entity)
    ? Math.min(announcedPerson, points.PERSON ?? 0)
    : (points[entity.kind] ?? 0)

/** Marks in one date of birth are one finding, as sure as the surest. */
function withoutRepeated(found: readonly Entity[]): readonly Entity[] {
  const surest = new Map<number, Entity>()
  for (const each of found)
    if (each.kind === "BIRTH_DATE" && each.probability > (surest.get(each.start)?.probability ?? 0))
      surest.set(each.start, each)
  return found.filter((each) => each.kind !== "BIRTH_DATE" || surest.get(each.start) === each)
}

/** Two kinds that share a value were marked in one word: the surer one stands. */
function surestValues(found: readonly Entity[]): readonly Entity[] {
  const surer = (a: Entity, b: Entity): boolean =>
    values.has(b.kind) && a.start < b.end && b.start < a.end && a.kind !== b.kind && a.probability < b.probability
  return found.filter((each) => !values.has(each.kind) || !found.some((other) => surer(each, other)))
}

/** Streets with the town and the code beside them. */
function addressesIn(text: string, marked: readonly Entity[]): readonly Entity[] {
  const ofAddress = marked.filter(({ kind }) => kind === "STREET_ADDRESS" || kind === "GPE" || kind === "ZIP_CODE")
  const groups: Entity[][] = []
  for (const entity of ofAddress) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group !== undefined && last !== undefined && isOneAddress(text, last, entity)) group.push(entity)
    else groups.push([entity])
  }
  return groups.flatMap((group) => {
    const streets = group.filter(({ kind }) => kind === "STREET_ADDRESS")
    const [first, last] = [group[0], group.at(-1)]
    if (streets.length === 0 || first === undefined || last === undefined) return []
    const range = toAddress(text, { start: first.start, end: last.end })
    const probability = Math.max(...streets.map((street) => street.probability))
    return range === undefined ? [] : [{ kind: "STREET_ADDRESS", ...range, probability }]
  })
}

function completed(text: string, entity: Entity, isLowerCase: boolean): readonly Entity[] {
  const { kind } = entity
  if (names.has(kind))
    return toNames(text, entity, isLowerCase)
      .filter((range) => kind !== "PERSON" || mayBePerson(text, range))
      .map((range) => ({ ...entity, ...range }))
  if (values.has(kind)) {
    const range = toValue(text, entity)
    return range !== undefined && isValue(kind, text, range.start, range.end) ? [{ ...entity, ...range }] : []
  }
  if (kind === "STREET_ADDRESS" || (kind === "AGE" && !isOfYears(text, entity))) return []
  return kind === "DATE_TIME" || kind === "BIRTH_DATE" ? toDate(text, entity) : [entity]
}

const assistants =
  /^(?:claude(?: (?:code|ai|opus|sonnet|haiku))?|siri|alexa|cortana|copilot|chat ?gpt|gemini|grok|codex|llama|mistral|qwen|deepseek)$/i
/** Verbs that begin sentences in scripts which the model reads letter by letter. */
const firstWordOfOtherScript = /^[\p{sc=Cyrillic}\p{sc=Greek}]+$/u
const beginsSentence = /(?:^|[.!?:\n"'`“„«]\s*)$/
/** "Angka tidak valid", "Твърде малко": behind the first word of a name stands another with a capital, or a particle of a surname, which are short. */
const goesOnSmall = /^\p{Lu}\p{Ll}+(?: \p{Ll}{4,})+$/u
/** Programs have such names, and few people: `LangSmith`, `ChatOpenAI`. */
const camelCase = /^(?!(?:Mac|Mc|De|Di|Du|Da|La|Le|Lo|Van|Von|Fitz|Ver|Ten|Ter|St|O)\p{Lu})\p{Lu}\p{Ll}+\p{Lu}\p{L}*$/u
/**
 * An article or an object behind a verb that begins a sentence, in languages of which the model knows few verbs: "Vergiss alle",
 * "ruf mich", "Riassumi questo". Behind a name stands a verb or a surname; particles of surnames are not among these words.
 */
const verbWithObject = new RegExp(
  `^\\p{L}{2,20} (?:${[
    "alles?|das|dem|die|diese[nrms]?|eine?|einen|einem|mich|mir|uns|ihn|ihm|bitte",
    "questo|questa|questi|queste|quest['’]|tutto|tutti|tutte|il|lo|gli|uno|una|le",
    "este|esta|estos|estas|todos|todas|todo|un|el|los|las|les|ce|cet|cette|ces|une|toutes|tous|isto|um|uma|os",
    "dit|deze|alle|het|een|mij|ten|tę|te|tym|poprzednie|do (?:mnie|nas)|den här|det här|alla|tuto|bu|şu|tüm",
  ].join("|")})(?!\\p{L})`,
  "u",
)

const saysProgram = /(?<!\p{L})(?:generated|powered|bundled|transpiled|formatted|minified)(?!\p{L})[^.\n]{0,60} by $/iu
/** A text that imports or installs something says so near its name. */
const reachOfImport = 3000

const hasAny = (text: string, places: readonly string[]): boolean => places.some((place) => text.includes(place))

/** Whether one word names a program: what generates code, or what the text imports and installs. */
function isProgram(text: string, name: string, start: number): boolean {
  if (/\s/.test(name)) return false
  if (saysProgram.test(text.slice(Math.max(0, start - 80), start))) return true
  const word = name.toLowerCase()
  const places = [
    `from '${word}'`,
    `from "${word}"`,
    `require('${word}')`,
    `install ${word}`,
    `://${word}.`,
    `@${word}/`,
  ]
  return hasAny(text.slice(Math.max(0, start - reachOfImport), start + reachOfImport), places)
}

const namesFont = /(?<!\p{L})(?:font(?:[ _-]?(?:family|name|face))?|typeface)["']?\s{0,3}[:=]\s{0,3}[^;{}\n]{0,80}$/iu

/** Programs that people talk to and typefaces have names of people, and the model takes verbs that it does not know for some. */
function mayBePerson(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const name = text.slice(start, end)
  if (isTypeOfName(name) || (isTypeName(name) && !/\p{Lu}/u.test(name)) || isWordOfCode(text, { start, end }))
    return false
  if (assistants.test(name) || namesFont.test(text.slice(Math.max(0, start - 104), start))) return false
  if (camelCase.test(name) || isProgram(text, name, start)) return false
  if (!beginsSentence.test(text.slice(Math.max(0, start - 8), start))) return true
  const isOneWord = /^\p{L}+(?: \p{Ll}+)*$/u.test(name)
  if (goesOnSmall.test(name)) return false
  return !firstWordOfOtherScript.test(name) && !(isOneWord && verbWithObject.test(text.slice(start, start + 40)))
}

/** The model marks parts of dates, often the day alone: "né le 26 février 1982". Only a date of birth is private, and so has to be whole. */
function toDate(text: string, entity: Entity): readonly Entity[] {
  const range = wholeDate(text, entity)
  const date = text.slice(range.start, range.end)
  const isOfBirth =
    entity.kind === "BIRTH_DATE" ||
    (/\p{N}/u.test(date) && saysBirth.test(text.slice(Math.max(0, range.start - 64), range.start)))
  if (!isOfBirth) return [entity]
  return isOfTheDead(date) ? [] : [{ ...entity, ...range, kind: "BIRTH_DATE" }]
}

/** What says that the digits behind it are the number of a person or an account. */
const saysNumber =
  /(?:^|[^\p{L}])(?:id|ids|identification|number|no|nr|num|account|acct|passport|badge|member(?:ship)?|employee|patient|customer|student|policy|licen[cs]e|permit|tax|vat|mrn|record|file|insurance|voter|aadhaa?r|pan|ref(?:erence)?)[^\p{L}\p{N}\n]{0,6}(?:(?:is|was|number|no|id|code)[^\p{L}\p{N}\n]{0,4}){0,2}$/iu

/** Behind a number that is none of years: a unit, a time, a month. */
const notYears = new RegExp(
  `^ ?(?:[%€$£°]|:\\d|(?:${[
    "[ckm]m|kg|eur|usd|chf|uhr|min|[kmg]b",
    "(?:de )?(?:january|february|march|june|july|october|december)",
    "(?:janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)",
    "(?:de )?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)",
  ].join("|")})(?!\\p{L}))`,
  "iu",
)
/** "Sie ist 34. Mai war schön" has an age, "am 14. März" has a day: the word before tells them apart. */
const germanDay = /(?<!\p{L})(?:am|vom|den|dem|der|zum|bis|ab|seit) $/iu
const germanMonth =
  /^\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)(?!\p{L})/iu

function isOfYears(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const [before, behind] = [text.slice(Math.max(0, start - 8), start), text.slice(end, end + 16)]
  return !notYears.test(behind) && !(germanDay.test(before) && germanMonth.test(behind))
}

/** Longer are lines of pictures and archives, checksums and signatures. */
const longestId = 40
const kindOfSign = /[a-z]+|[A-Z]+|\d+/g

/** Whether letters, capitals and digits change more often than in words. */
const isDrawn = (value: string): boolean => (value.match(kindOfSign)?.length ?? 0) > 0.3 * value.length

/** Digits alone are a number of anything, unless words say whose. */
function isValue(kind: string, text: string, start: number, end: number): boolean {
  const value = text.slice(start, end)
  if (kind === "PASSWORD") return value.length >= 4
  if (value.length > longestId && isDrawn(value)) return false
  if (kind === "USERNAME") return isUserName(text, { start, end })
  if (!/\d/.test(value) || value.length < 4) return false
  return /\p{L}/u.test(value) || saysNumber.test(text.slice(Math.max(0, start - 48), start))
}
