// Values that stand behind their label, as in forms and code, or below it, as in tables.

import type { Work } from "../../../../kernel/index.ts"
import { findBirthDates } from "./birth-date.ts"
import { kindOfField, valueOfField } from "./field-labels.ts"
import { findValuesInSentences, type LabelledRange } from "./sentence-values.ts"
import { matchesOfStep } from "./text-range.ts"

export type { LabelledRange } from "./sentence-values.ts"

export function* findLabelledValues(text: string): Work<readonly LabelledRange[]> {
  const births = (yield* findBirthDates(text)).map((range) => ({ kind: "BIRTH_DATE", ...range }))
  const found = [
    ...(yield* fieldsIn(text)),
    ...(yield* columnsIn(text)),
    ...(yield* findValuesInSentences(text)),
    ...births,
  ]
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
    // Behind a label telephone numbers have a search of their own.
    if (kind === undefined || kind === "PHONE_NUMBER") continue
    const start = index + all.length - value.length
    if (label === "PW" && isOfCountry.test(text.slice(Math.max(0, index - 48), index))) continue
    const range = valueOfField(kind, text, { start, end: start + ownPart(kind, value).length })
    // `user: hello` is a line of a conversation.
    const isTurn = /^user$/i.test(label.trim()) && !/^["']/.test(value)
    if (range !== undefined && (!isTurn || /\d|[._]\p{L}/u.test(text.slice(range.start, range.end))))
      ranges.push({ kind, ...range })
  }
  return ranges
}

/** `"PT": "912…", "PW": "620…"` is a map of countries. */
const isOfCountry = /["'][A-Z]{2}["']\s?:\s?[^\n]{0,36}$/

/** Without quotes around it a value ends at the next comma or sentence, and one word at the next space. */
function ownPart(kind: string, value: string): string {
  if (/^["']/.test(value)) return value
  if (kind === "PASSWORD" || kind === "USERNAME") return /^[^\s,]*?(?=[.,]?(?:\s|,|$))/.exec(value)?.[0] ?? value
  return kind === "STREET_ADDRESS" ? value : (/^[^,]*?(?=,|\.(?:\s|$)|$)/.exec(value)?.[0] ?? value)
}

const delimiters = ["|", ";", "\t", ","]
const longestLine = 4000

/** Below a line of which two cells are labels, or one is of what shows its kind by its form: the cells of the following lines with as many cells. */
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
    if (cells.length > 60 || cells.some((cell) => cell.length > 40 || /\d{2}/.test(cell))) continue
    const isOfPersons = cells.some((cell) => (kindOfField(cell) ?? kindOfPart(cell)) !== undefined)
    const kinds = cells.map(
      (cell) => kindOfField(cell) ?? (isOfPersons && mobile.test(cell) ? "PHONE_NUMBER" : undefined),
    )
    if (kinds.some((kind) => kind === "BIRTH_DATE" || kind === "US_SSN"))
      return { delimiter, kinds: kinds.map((kind, place) => kind ?? kindOfPart(cells[place])) }
    const known = kinds.filter((kind) => kind !== undefined).length
    // Two words with a comma are a sentence as often as a table; of telephone numbers the rows show it.
    if (kinds.includes("PHONE_NUMBER") || (known >= 2 && cells.length >= 3)) return { delimiter, kinds }
  }
  return undefined
}

/** Beside a label of a person they name a telephone, elsewhere a kind of device or a part of a table. */
const mobile = /^["'\s]*(?:mobile?|cell|móvil|celular|handy|portable)["'\s]*$/i

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
