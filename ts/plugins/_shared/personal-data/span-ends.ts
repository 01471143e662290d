// Where findings of the built-in model begin and end. It marks words one by one and breaks them at signs; what it finds are names,
// which have no digits, and values, which have no spaces.

import type { TextRange } from "../../../kernel/index.ts"

/** Scripts without spaces: the built-in model knows none of them, and what it marks there breaks words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const ofWord = /[\p{L}\p{M}'’-]/u
const partsOfNames = /[^\n\r\t|;:,<>{}[\]()"“”„=*#`~/\\\d]+/gu
const between = /\s(?:and|or|&|\+)\s/gi

/** Most words of a name; a longer part is a sentence that the model took for one. */
const maxWordsOfName = 6

/** The names in a part of a text: whole words on one line, without what joins two of them. `isLowerCase` says that the text has no capitals. */
export function toNames(text: string, { start, end }: TextRange, isLowerCase: boolean): readonly TextRange[] {
  const plain = text.slice(start, end).replace(between, (joint) => "|".repeat(joint.length))
  return [...plain.matchAll(partsOfNames)].flatMap(({ 0: part, index }) => {
    const first = part.search(/\p{L}/u)
    if (first === -1) return []
    const name = part.slice(first).replace(/[^\p{L}\p{M}]+$/u, "")
    const range = toWholeWords(text, { start: start + index + first, end: start + index + first + name.length })
    return isName(text, range) && (isLowerCase || hasCapital.test(text.slice(range.start, range.end))) ? [range] : []
  })
}

const hasCapital = /\p{Lu}/u

/** Whether somebody wrote a text without capitals. In any other one a name has some. */
export const isWithoutCapitals = (text: string): boolean => !hasCapital.test(text) && /\p{Ll}/u.test(text)

function isName(text: string, { start, end }: TextRange): boolean {
  const name = text.slice(start, end)
  if (unspaced.test(name) || !/\p{L}.*\p{L}/u.test(name) || name.split(/\s+/).length > maxWordsOfName) return false
  if (/^\p{Ll}+\p{Lu}\S*$/u.test(name)) return false
  // A part of an account, of a path or of the name of a variable.
  return (
    !/[\p{N}_@/\\$]$/u.test(text.slice(start - 1, start)) &&
    !/^(?:[\p{N}_@/\\(]|[.:=]\p{L})/u.test(text.slice(end, end + 2))
  )
}

/** Most that a word goes on to each side. */
const reach = 40

function toWholeWords(text: string, range: TextRange): TextRange {
  let { start, end } = range
  while (start > Math.max(0, range.start - reach) && ofWord.test(text.charAt(start - 1))) start--
  while (end < Math.min(text.length, range.end + reach) && ofWord.test(text.charAt(end))) end++
  while (start < end && /['’-]/.test(text.charAt(start))) start++
  while (end > start && /['’-]/.test(text.charAt(end - 1))) end--
  return /['’]s$/i.test(text.slice(start, end)) ? { start, end: end - 2 } : { start, end }
}

const ofValue = /[^\s"“”'‘’`<>()[\]{}|,;:=]/u

/** Longest value that is read. */
const maxValue = 64

/** The account, password or number that a part of a text belongs to: up to the next space or quote on each side. */
export function toValue(text: string, range: TextRange): TextRange | undefined {
  let { start, end } = range
  while (start < end && !ofValue.test(text.charAt(start))) start++
  while (end > start && !ofValue.test(text.charAt(end - 1))) end--
  if (start === end) return undefined
  while (start > 0 && range.end - start < maxValue && ofValue.test(text.charAt(start - 1))) start--
  while (end < text.length && end - range.start < maxValue && ofValue.test(text.charAt(end))) end++
  while (end > start && /[.…]/.test(text.charAt(end - 1))) end--
  return end > start ? { start, end } : undefined
}

/** What stands between two parts of one address: signs, numbers, and the words for a part of a house. */
const joint =
  /^(?:[\s,.;/#–-]|\p{N}|(?<!\p{L})(?:apt|suite|unit|room|floor|flat|block|byt|p\.?o\.? ?box|box|int|nr|no|u|z|de|di|of)\b\.?)*$/iu
const longestJoint = 20

/** Whether two neighbours are parts of one address. */
export const isOneAddress = (text: string, first: TextRange, second: TextRange): boolean =>
  second.start - first.end <= longestJoint && joint.test(text.slice(first.end, second.start))

/** An address without the name before it, and without signs at its ends. Undefined for what has no number, or no word. */
export function toAddress(text: string, { start, end }: TextRange): TextRange | undefined {
  const written = text.slice(start, end)
  const first = written.search(/[\p{L}\p{N}]/u)
  const last = written.search(/[^\p{L}\p{N}]*$/u)
  if (first === -1 || !/\p{N}/u.test(written) || !/\p{L}{2}/u.test(written) || unspaced.test(written)) return undefined
  if (isRowOfPlaces(written)) return undefined
  if (beginsWithMoney.test(written) || (written.match(/\p{L}+/gu) ?? []).every(isNoStreet)) return undefined
  const addressee = /^[^\p{N},\n]{1,40}[,\n]\s*(?=\p{N})/u.exec(written.slice(first))?.[0].length ?? 0
  return withNumbers(text, { start: start + first + addressee, end: start + last })
}

const beginsWithMoney = /^\P{L}{0,3}\d[\d.,]* ?(?:eur|usd|chf|€|\$|£)(?!\p{L})/iu
/** Words beside numbers that are no street: days, weeks, rooms, lots, hours; and articles, where they are no part of a name. */
const isNoStreet = (word: string): boolean => articles.has(word) || noStreet.has(word.toLowerCase())
const articles: ReadonlySet<string> = new Set("a las la de del el le du à los".split(" "))
const noStreet: ReadonlySet<string> = new Set(
  "mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo monday tuesday wednesday thursday friday saturday sunday kw zimmer raum room los lot uhr h bis ab um heures horas hours january february march april may june july august september october november december januar februar märz april mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
    " ",
  ),
)

const cellEnd = /\t|(?<=\S)[,;|](?=\S)/
const streetWord =
  /(?<!\p{L})(?:street|st|road|rd|avenue|ave|lane|drive|way|square|boulevard|blvd|court|place|rue|chemin|via|viale|piazza|calle|avenida|plaza|rua|ulica|ul|laan|plein)(?!\p{L})|(?:stra(?:ß|ss)e|str|weg|platz|allee|gasse|ring|damm|ufer|straat|gatan|vej)(?!\p{L})/iu

/** Rows of a table of places, with what was counted there: each cell has words or a number, and none has a street with its house. */
function isRowOfPlaces(written: string): boolean {
  if (!cellEnd.test(written) || streetWord.test(written)) return false
  return written.split(/[\t\n,;|]/).every((cell) => !(/\p{N}/u.test(cell) && /\p{L}/u.test(cell)))
}

const numberBefore = /(?:^|[\s,;|>"'(])(\d{1,5}[a-z]?(?:[-/]\d{1,4})? )$/i
const numberBehind =
  /^(?:,? ?\n? ?(?:[A-Z]{2} )?\d{4,6}(?:-\d{3,4})?| [A-Z\d]{2,4} ?\d[A-Z]{2}| \d{1,4}[a-z]?)(?![\w-]|\.\d| [a-z])/

/** With the number of the house before a street, and a postcode behind a town: the model takes them for other numbers. */
function withNumbers(text: string, { start, end }: TextRange): TextRange {
  const before = numberBefore.exec(text.slice(Math.max(0, start - 16), start))?.[1]?.length ?? 0
  const letterhead = /\n\s*[TMF]$/i.exec(text.slice(start, end))?.[0].length ?? 0
  const behind = letterhead > 0 ? 0 : (numberBehind.exec(text.slice(end, end + 16))?.[0].length ?? 0)
  return { start: start - before, end: end - letterhead + behind }
}
