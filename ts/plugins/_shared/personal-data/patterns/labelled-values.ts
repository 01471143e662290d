// Values that stand behind their label, as in forms and code, or below it, as in tables.

import type { TextRange, Work } from "../../../../kernel/index.ts"
import { isNameInCode, kindOfField, valueOfField } from "./field-labels.ts"
import { isNoPassword } from "./secret-value.ts"
import { matchesOfStep } from "./text-range.ts"

export interface LabelledRange extends TextRange {
  readonly kind: string
}

export function* findLabelledValues(text: string): Work<readonly LabelledRange[]> {
  const found = [...(yield* fieldsIn(text)), ...(yield* columnsIn(text)), ...(yield* phrasesIn(text))]
  let last = 0
  // A field may be a phrase as well.
  return found
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .filter(({ start, end }) => {
      if (start < last) return false
      last = end
      return true
    })
}

/** `zipCode: '82153'`, `<th>Ssn</th><td>…`, `| Age | 41 |` is a table. */
const field =
  /(?<=^|[\n{,>(|;]\s{0,12})["']?([\p{L}][\p{L} _'’-]{1,30})["']?\s{0,3}(?:[:=：]|<\/t[hd]>\s{0,3}<t[hd]>)[ \t]{0,8}("[^"\n]{1,120}"|'[^'\n]{1,120}'|[^\n<>|;{}[\]]{1,120})/gu

function* fieldsIn(text: string): Work<readonly LabelledRange[]> {
  const ranges: LabelledRange[] = []
  let matches = 0
  for (const { 0: all, 1: label = "", 2: value = "", index } of text.matchAll(field)) {
    if (++matches % matchesOfStep === 0) yield
    const kind = kindOfField(label)
    if (kind === undefined) continue
    const start = index + all.length - value.length
    const range = valueOfField(kind, text, { start, end: start + ownPart(kind, value).length })
    // `user: hello` is a line of a conversation.
    const isTurn = /^user$/i.test(label.trim()) && !/^["']/.test(value)
    if (range !== undefined && (!isTurn || /\d|[._]\p{L}/u.test(text.slice(range.start, range.end))))
      ranges.push({ kind, ...range })
  }
  return ranges
}

/** Without quotes around it a value ends at the next comma or sentence, and one word at the next space. */
function ownPart(kind: string, value: string): string {
  if (/^["']/.test(value)) return value
  if (kind === "PASSWORD" || kind === "USERNAME") return /^[^\s,]*?(?=[.,]?(?:\s|,|$))/.exec(value)?.[0] ?? value
  return kind === "STREET_ADDRESS" ? value : (/^[^,]*?(?=,|\.(?:\s|$)|$)/.exec(value)?.[0] ?? value)
}

const delimiters = ["|", ";", "\t", ","]
const longestLine = 4000

/** Below a line of which two cells are labels, or one that only persons have: the cells of the following lines with as many cells. */
function* columnsIn(text: string): Work<readonly LabelledRange[]> {
  const ranges: LabelledRange[] = []
  let columns: { readonly delimiter: string; readonly kinds: readonly (string | undefined)[] } | undefined
  let lines = 0
  for (let start = 0; start < text.length;) {
    if (++lines % matchesOfStep === 0) yield
    const next = text.indexOf("\n", start)
    const end = next === -1 ? text.length : next
    if (end - start <= longestLine) {
      const line = text.slice(start, end)
      const header = headerOf(line)
      if (header !== undefined) columns = header
      else if (columns !== undefined) {
        const cells = line.split(columns.delimiter)
        const isRule = /^[\s|:+-]+$/.test(line)
        if (cells.length === columns.kinds.length) ranges.push(...cellsOf(text, start, cells, columns.kinds))
        else if (!isRule) columns = undefined
      }
    }
    start = end + 1
  }
  return ranges
}

function headerOf(
  line: string,
): { readonly delimiter: string; readonly kinds: readonly (string | undefined)[] } | undefined {
  for (const delimiter of delimiters) {
    if (!line.includes(delimiter)) continue
    const cells = line.split(delimiter)
    if (cells.length < 3 || cells.length > 60 || cells.some((cell) => cell.length > 40 || /\d{2}/.test(cell))) continue
    const kinds = cells.map(kindOfField)
    if (kinds.some((kind) => kind === "BIRTH_DATE" || kind === "US_SSN"))
      return { delimiter, kinds: kinds.map((kind, place) => kind ?? kindOfPart(cells[place])) }
    if (kinds.filter((kind) => kind !== undefined).length >= 2) return { delimiter, kinds }
  }
  return undefined
}

/** Beside the birth or the number of a person the short labels are parts of a name. */
const kindOfPart = (label = ""): string | undefined =>
  /^["']?\s*(?:first|last|middle|name|fname|lname)\s*["']?$/i.test(label.trim()) ? "PERSON" : undefined

function cellsOf(
  text: string,
  lineStart: number,
  cells: readonly string[],
  kinds: readonly (string | undefined)[],
): readonly LabelledRange[] {
  const ranges: LabelledRange[] = []
  let start = lineStart
  for (const [place, cell] of cells.entries()) {
    const kind = kinds[place]
    const range = kind === undefined ? undefined : valueOfField(kind, text, { start, end: start + cell.length })
    if (kind !== undefined && range !== undefined) ranges.push({ kind, ...range })
    start += cell.length + 1
  }
  return ranges
}

const number = "[#:]?\\s{0,2}(?:is |was |of )?[\"'‘“#]?"
/** What tells that the next word is the value: "user is", "password:", or a quotation mark. */
const verb = "(?: is:?| was| ist:?| lautet:?| es| est|:) [\"'‘“]?"
const quote = " ?[\"'‘“]"
/** No more of a word than a value may have: a text of one word with many labels would be searched to its end for each. */
const within = "[^\\s\"'’”),]{0,64}"
/**
 * In sentences: a label, a verb or a mark, and a value with a digit. Behind a mere space stand all kinds of words, such as in
 * "handle utf8" and "password sha256": there a value has to look like nothing else.
 */
const phrases: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "PASSWORD",
    new RegExp(
      `(?<!\\p{L})(?:password|passwd|passphrase|passcode|pwd|pw|kennwort|passwort|contraseña|mot de passe|wachtwoord|senha)(?:(?: (?:for|in|of|to|on|at|from|für|im|vom|zum|zu|de|du|del|pour|para)(?: [\\p{L}\\d'’-]{1,20}){1,6}?)?${verb}|${quote}| (?=${within}[^\\s\\p{L}\\d"'’”.,;:)(/_-]))((?=${within}\\d)(?=${within}\\p{L})[^\\s"'’”]{4,64}?)(?=["'’”.,;)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "USERNAME",
    new RegExp(
      `(?<!\\p{L})(?:(?:user ?name|user|login|handle|account name|benutzername|usuario)(?:${verb}|${quote}| ?\\()|(?:user ?name|user|account name|benutzername|usuario) (?=${within}[._]\\p{L})|TODO\\()((?=${within}(?:\\d|[._]\\p{L}))(?=${within}\\p{Ll})[\\p{L}\\d][\\p{L}\\d._-]{1,38}[\\p{L}\\d])(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "ID",
    new RegExp(
      `(?<!\\p{L})(?:(?:employee|staff|patient|customer|client|member(?:ship)?|student|personnel|badge|policy|insurance|passport|national|tax|voter|pan(?: card)?|aadhaa?r|medical record|(?:bank )?account|user)(?: card)? ?(?:id|number|no\\.?|nr\\.?|code)|(?:reisepass|personalausweis|ausweis|pass|paspoort)-?(?:nummer|nr\\.?)|reisepass|n[uú]mero (?:de|di) (?:pasaporte|passaporto)|num[eé]ro de passeport|passport|mrn|user ?id|pesel|steuernummer|personalnummer|refund to account) ?${number}((?=(?:[^\\s\\d"'’”]{0,30}\\d){3})[\\p{L}\\d][\\p{L}\\d/_-]{3,29})(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "US_DRIVER_LICENSE",
    new RegExp(
      `(?<!\\p{L})(?:driver['’]?s?|driving) licen[cs]e(?: number| no\\.?| nr\\.?| id)? ?${number}((?=(?:[^\\s\\d"'’”]{0,30}\\d){3})[\\p{L}\\d][\\p{L}\\d-]{4,24})(?=["'’”.,;:)]*(?:\\s|$))`,
      "giu",
    ),
  ],
  [
    "AGE",
    /(?<!\p{L})(?:aged|age of|turn(?:s|ed|ing)?) ([1-9]\d?|1[01]\d)(?![\d%]|[.,]\d| (?:degrees|percent|minutes|hours|days|weeks|months|times))|(?<=^|[ (,])([1-9]\d?|1[01]\d)(?=[ -](?:years?[ -]old|y\/?o\b|years? of age))/giu,
  ],
]

/** Every sentence with a value has one of these. */
const mayHold =
  /pass|pasa|paspo|ausweis|pw|kennw|contras|senha|wachtw|login|user|usuario|benutzer|handle|todo|employee|staff|patient|customer|client|member|student|personnel|badge|policy|insurance|national|tax|voter|pan|aadha|record|account|mrn|pesel|steuern|personaln|licen[cs]e|aged?|turn|year/i
const fileEnding = /\.(?:html?|php|jsx?|tsx?|py|rb|go|rs|java|json|ya?ml|md|txt|css|xml|sql|sh|com|org|net|io)$/i

function* phrasesIn(text: string): Work<readonly LabelledRange[]> {
  const ranges: LabelledRange[] = []
  if (!mayHold.test(text)) return ranges
  let matches = 0
  for (const [kind, pattern] of phrases)
    for (const { 0: all, index, ...groups } of text.matchAll(pattern)) {
      if (++matches % matchesOfStep === 0) yield
      const value = (groups[1] ?? groups[2]) as string
      if (kind === "USERNAME" && (fileEnding.test(value) || isNameInCode(value))) continue
      const start = index + all.lastIndexOf(value)
      if (kind === "PASSWORD" && isNoPassword(value, text.charAt(start - 1))) continue
      ranges.push({ kind, start, end: start + value.length })
    }
  return ranges
}
