// Words of lists, tables and code that the model takes for names: "Schraube, Mutter, Bolzen", `Artikel;Menge;Preis`, `import { Karten }`. A
// word alone is a name where something says so: docs/why/private-persons.md.

import type { TextRange } from "../../../kernel/index.ts"

const longestLine = 400
const longestCell = 32
/** "Plantilla: Portero, Defensa, Delantero": so many words make the one before them a label. */
const fewestBelowLabel = 3
/** Above a row its header stands so near. */
const reachOfHeader = 2000

/** Whether a finding is a word alone that is a cell of a list or table of such words and numbers, and no header or label says that they are persons. */
export function isListedWord(text: string, range: TextRange): boolean {
  const value = text.slice(range.start, range.end)
  if (/\s/.test(value)) return false
  const line = lineOf(text, range)
  if (line === undefined) return false
  const key = keyOf.exec(line.written.slice(0, range.start - line.start))?.[1]
  if (key !== undefined) return !isOfPersons(key.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " "))
  const { label, cells } = cellsOf(line.written)
  if (label?.trim() === value && cells.length >= fewestBelowLabel && cells.every(isCell)) return true
  if (!cells.includes(value) || !cells.every(isCell)) return false
  if (cells.length === 1 && label === undefined && !isBesideWords(text, line)) return false
  return !isOfPersons(label) && !isBelowPersons(text, line.start)
}

/** `"article": "` and `"articles": ["a", "`. */
const keyOf = /["']([\p{L} _-]{1,40})["']\s*:\s*(?:\[[^\]:]*)?["']$/u

interface Line extends TextRange {
  readonly written: string
}

function lineOf(text: string, { start, end }: TextRange): Line | undefined {
  const before = text.slice(Math.max(0, start - longestLine), start)
  const behind = text.slice(end, end + longestLine)
  const from = start - (before.length - 1 - before.lastIndexOf("\n"))
  const to = end + (/\n|$/.exec(behind)?.index ?? 0)
  return to - from > longestLine ? undefined : { start: from, end: to, written: text.slice(from, to) }
}

/** A line without the sign of an item, at its commas, semicolons, bars and tabs; a label ends with a colon. */
function cellsOf(line: string): { readonly label: string | undefined; readonly cells: readonly string[] } {
  const plain = line.replace(/^\s*(?:[-*•+–]|\d{1,3}[.)]|\[[ x]\])\s+/, "").replace(/\s*[.,;:|]?\s*$/, "")
  const [, label, rest = plain] = /^([\p{L} _-]{1,40}):\s+(.*)$/u.exec(plain) ?? []
  const cells = rest
    .split(/[;\t|]|,(?!\d)|(?<!\d),/)
    .map((cell) => cell.replaceAll(/^[\s"'`[({]+|[\s"'`\])}]+$/g, ""))
    .filter((cell) => cell !== "")
  return { label, cells }
}

/** A word, or a number with a unit. */
const isCell = (cell: string): boolean =>
  cell.length <= longestCell &&
  (/^[\p{L}\p{M}_/&-]+\.?$/u.test(cell) || (/\d/.test(cell) && /^\S+(?: \S+){0,2}$/.test(cell)))

/** Whether another line next to it is a word alone as well. */
function isBesideWords(text: string, { start, end }: TextRange): boolean {
  const above = lastLine(text.slice(Math.max(0, start - longestLine), Math.max(0, start - 1)))
  const below = firstLine(text.slice(end + 1, end + longestLine))
  const neighbours = [above, below].filter((line) => line !== undefined)
  return neighbours.some((line) => cellsOf(line).cells.length === 1 && cellsOf(line).cells.every(isCell))
}

const lastLine = (before: string): string | undefined => before.split("\n").findLast((line) => line.trim() !== "")
const firstLine = (behind: string): string | undefined => behind.split("\n").find((line) => line.trim() !== "")

const persons =
  /^(?:e-?mail(?:[ _-]address)?|phone|tel|telefon(?:nummer)?|handy|mobile|birth(?:day|date)|date of birth|dob|geburtsdatum|geburtstag|alter|age|address|adresse|anschrift|last|first|(?:first|last|given|family|full|middle|sur|fore|nick|user|customer|employee|patient|student|display|contact)[ _-]?names?|(?:vor|nach|zu|familien|ruf|geburts|spitz)namen?|people|persons?|attendees?|participants?|members?|guests?|staff|employees?|colleagues?|customers?|clients?|patients?|tenants?|students?|pupils?|players?|teachers?|contacts?|authors?|owners?|assignees?|reviewers?|approvers?|managers?|candidates?|applicants?|cc|to|from|team|kids|children|personen|teilnehmer(?:innen)?|anwesend(?:e|end)?|abwesend|mitglieder|gäste|mitarbeiter(?:in|innen)?|angestellte|kolleg(?:en|innen)|kund(?:e|en|in|innen)|klienten|mandanten|patient(?:en|in|innen)|mieter(?:in|innen)?|schüler(?:in|innen)?|student(?:en|in|innen)|spieler|lehrer|ansprechpartner(?:in)?|verfasser|autor(?:en|in)?|bearbeiter|sachbearbeiter(?:in)?|betreuer(?:in)?|zuständig|verantwortlich|empfänger|absender|bewerber(?:in|innen)?|kinder|noms? (?:et prénoms?|complet)|prénoms?|participants?|employés?|salariés?|élèves?|clients?|locataires?|invités|membres|apellidos?|nombres? (?:y apellidos?|completo)|participantes|empleados?|pacientes?|alumnos?|inquilinos?|invitados|miembros|cognomi?|partecipanti|dipendenti|pazienti|alunni|clienti|inquilini|sobrenome|apelido|funcionários?|alunos?|inquilinos?|convidados|voornamen?|achternamen?|deelnemers|medewerkers?|klanten|huurders?|leerlingen|patiënten)$/i
/** The name of somebody or of something. */
const named = /^(?:names?|namen|nom|noms|nombre|nombres|nome|nomi|nomes|naam)$/i
/** Things that are counted, sold or stored have names too. */
const things =
  /(?<!\p{L})(?:price|cost|qty|quantity|amount|stock|sku|product|item|unit|size|weight|colou?r|category|version|type|artikel|menge|preis|anzahl|stück|lager|bestand|einheit|größe|gewicht|farbe|kategorie|produkt|prix|quantité|produit|article|stock|unité|taille|poids|precio|cantidad|producto|artículo|unidad|tamaño|peso|prezzo|quantità|prodotto|articolo|preço|quantidade|produto|artigo|prijs|aantal|voorraad)(?!\p{L})/iu

const isOfPersons = (label: string | undefined): boolean =>
  label !== undefined && (persons.test(label.trim()) || named.test(label.trim()))

/** Whether the first line of the rows says that they are about persons. */
function isBelowPersons(text: string, lineStart: number): boolean {
  const above = text.slice(Math.max(0, lineStart - reachOfHeader), lineStart)
  const rows = above.slice(above.lastIndexOf("\n\n") + 1).replace(/^\n/, "")
  const header = firstLine(rows) ?? ""
  const { cells, label } = cellsOf(header)
  const labels = label === undefined || cells.length > 0 ? cells : [label]
  if (labels.some((cell) => persons.test(cell)) || persons.test(header.replace(/^[#*\s]+|[:*\s]+$/g, ""))) return true
  return labels.some((cell) => named.test(cell)) && !things.test(header)
}

/** In the case in which they are written: "Let me know" and "Select one from each" begin sentences. */
const beginsCode = new RegExp(
  `^\\s*(?:${[
    "import\\s.*(?:\\sfrom\\s|['\";{])|from [\\w.]+ import |export |(?:import|package|using|use|namespace) [\\w.:*]+$|#include",
    "(?:export |default |abstract |public |final )*(?:class|interface|struct|enum|trait|impl|record|namespace|module)\\s.*[:{]",
    "(?:public|private|protected|internal|static|final|abstract|async|override|readonly)\\s.*[{(=,]",
    "(?:def|fn|func|fun|function|sub)\\s+\\w+\\s*[(<]|(?:const|let|var|val|type)\\s+(?:[\\w$]+|[{[].*[\\]}])\\s*(?::[^=]{1,60})?=|@\\w+\\(",
    "(?:SELECT|select)\\s.*\\s(?:FROM|from)\\s|INSERT\\s+INTO|CREATE\\s+(?:TABLE|VIEW|INDEX|TYPE)|ALTER\\s+TABLE|UPDATE\\s.*\\sSET\\s|(?:LEFT |INNER )?JOIN\\s",
  ].join("|")})|=>|[\\w)\\]"'] ?\\{\\s*$|[)\\]}]\\s*$`,
)

/** Whether a finding is a word alone in a line of code, outside of its strings and comments, or the key of an object. */
export function isWordOfCode(text: string, range: TextRange): boolean {
  if (/\s/.test(text.slice(range.start, range.end))) return false
  const behind = text.slice(range.end, range.end + 16)
  if (/["']$/.test(text.slice(0, range.start).slice(-1)) && /^["']\s{0,2}:\s{0,3}["\d[{tfn-]/.test(behind)) return true
  const line = lineOf(text, range)
  if (line === undefined) return false
  const before = text.slice(
    line.start + Math.max(0, line.written.lastIndexOf("; ", range.start - line.start) + 1),
    range.start,
  )
  const rest = /^[^;]*;?/.exec(text.slice(range.start, line.end))?.[0] ?? ""
  const isMember = rest.endsWith(";") && /^\s*(?:readonly |private |public )*[\w$]+\??:\s/.test(before)
  if (!isMember && !beginsCode.test(`${before}${rest.replace(/;$/, "")}`)) return false
  return (
    !/\/\/|(?:^|\s)(?:#|--)\s|\/\*/.test(before) &&
    ['"', "'", "`"].every((quote) => before.split(quote).length % 2 === 1)
  )
}
