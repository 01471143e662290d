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

/** An address without the name before it, what follows in the sentence, and signs at its ends. Undefined for what has no number, or no word. */
export function toAddress(text: string, { start, end: marked }: TextRange): TextRange | undefined {
  const end = endOfAddress(text, start, marked)
  const written = text.slice(start, end)
  const first = written.search(/[\p{L}\p{N}]/u)
  const last = written.search(/[^\p{L}\p{N}]*$/u)
  if (first === -1 || !/\p{N}/u.test(written) || !/\p{L}{2}/u.test(written) || unspaced.test(written)) return undefined
  // The end of a price and the next row: "0,05\nTornillo;20".
  if (isRowOfPlaces(written) || (/\d[.,]$/.test(text.slice(Math.max(0, start - 2), start)) && /^\d/.test(written)))
    return undefined
  if (beginsWithMoney.test(written) || (written.match(/\p{L}+/gu) ?? []).every(isNoStreet)) return undefined
  if (!streetWord.test(written) && isOfMeasures(text, { start, end })) return undefined
  const begins = withStreetWord(text, start + first + lengthOfAddressee(written.slice(first)))
  return withNumbers(text, { start: begins, end: start + last })
}

/** A name before a house and its street. Where the number stands behind the street, as in Brazil and Spain, what precedes it is the street. */
function lengthOfAddressee(written: string): number {
  const name = /^[^\p{N},\n]{1,40}[,\n]\s*(?=\p{N})/u.exec(written)?.[0] ?? ""
  const rest = written.slice(name.length)
  if (/^\p{N}{1,4}[a-z]?\s{0,2}(?:[,;–-]|$)/iu.test(rest)) return 0
  const hasOwnStreet = /^\p{N}+[a-z]?\s\p{L}/iu.test(rest) && streetWord.test(/^[^,\n]*/.exec(rest)?.[0] ?? "")
  return streetWord.test(name) && !hasOwnStreet ? 0 : name.length
}

/** First words of what belongs to a house. */
const parts =
  /^(?:apt|apto|ap|appartement|suite|unit|room|floor|flat|block|bloco|blok|byt|casa|lote|box|int|interno|scala|esc|piso|planta|puerta|pta|andar|sala|bairro|étage|bât|bâtiment|hinterhaus|etage|lgh|kv|kw|m|lok|nr|no|n|c)(?!\p{L})/u
/** First words of what does not. */
const clause =
  /^(?:è|é|es|is|ist|war|was|are|und|and|et|y|o|or|oder|aber|but|please|bitte|daily|today|tomorrow|heute|morgen|täglich|since|seit|from|where|wo|my|meine?|mein|thanks|danke|gracias|grazie|obrigado|tel|phone|call|email|mail)(?!\p{L})/u

/** Without what follows behind a comma in small letters: "…, è il mio indirizzo". Who writes no capitals has towns in small letters as well. */
function endOfAddress(text: string, start: number, marked: number): number {
  let end = marked
  if (!hasCapital.test(text.slice(start, marked))) return end
  for (;;) {
    const written = text.slice(start, end)
    const comma = written.lastIndexOf(",")
    if (comma === -1 || !/\p{N}/u.test(written.slice(0, comma))) return end
    const segment = written.slice(comma + 1).trim()
    if (!/^\p{Ll}/u.test(segment) || parts.test(segment) || !goesOn(segment, text.slice(end, end + 16))) return end
    end = start + comma
  }
}

/** Whether words in small letters are a clause: by their first word, their number, or an amount that ends or follows them. */
const goesOn = (segment: string, behind: string): boolean =>
  clause.test(segment) ||
  (!/[\p{N}\p{Lu}]/u.test(segment) && segment.split(/\s+/).length > 2) ||
  /^\p{Ll}+ \p{N}{1,3}$/u.test(segment) ||
  (/^\p{Ll}+$/u.test(segment) && /^ \p{N}{1,3} \p{L}/u.test(behind))

/** The word for a street in front of its name, and prepositions that are a part of one. */
const kindOfStreet =
  /(?:^|[\s,;:("'])((?:(?:[Rr]ua|[Aa]venida|Av\.|[Rr]ue|[Aa]venue|[Cc]alle|Plaza|Paseo|Via|(?<=\bin )via|Viale|Piazza|Corso|Vicolo|Largo|Travessa|Praça|Carrer|[Cc]hemin|[Bb]oulevard|Place|Quai|Impasse|Allée|[Uu]lica|ul\.|улица|ул\.)(?: (?:de la|de las|de los|de|du|des|della|delle|dei|del|di|das|dos|da|do))?|Am|An de[rmn]|Auf de[rmn]|Unter den|Hinter de[rm]|Im|In de[rn]|Zum|Zur|Alte[nr]?) )$/u

/**
 * With the word of its kind before the name of a street. "Am Alten Markt 3" is a name, also where a sentence begins; "In der Lindenstraße 5" is one
 * within a sentence, which would have "in der".
 */
function withStreetWord(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - 24), start)
  const word = kindOfStreet.exec(before)?.[1]
  if (word === undefined || !/^\p{L}/u.test(text.slice(start, start + 1))) return start
  const mayBeOfSentence =
    /^(?:An|Auf|Hinter|Im|In) /.test(word) && !/[\p{Ll},;:|] $/u.test(before.slice(0, -word.length))
  const [firstWord = ""] = /^\S*/.exec(text.slice(start, start + 32)) ?? []
  return mayBeOfSentence && streetWord.test(firstWord) ? start : start - word.length
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
  /(?<!\p{L})(?:street|st|road|rd|avenue|ave|lane|drive|way|square|boulevard|blvd|court|place|rue|chemin|via|viale|piazza|corso|vicolo|calle|avenida|plaza|paseo|carrer|rua|travessa|praça|largo|quai|allée|impasse|ulica|ul|улица|ул|laan|plein)(?!\p{L})|(?:stra(?:ß|ss)e|str|weg|platz|allee|gasse|ring|damm|ufer|straat|gatan|vej)(?!\p{L})/iu

/** Rows of a table of places, with what was counted there: each cell has words or a number, and none has a street with its house. */
function isRowOfPlaces(written: string): boolean {
  if (!cellEnd.test(written) || streetWord.test(written)) return false
  return written.split(/[\t\n,;|]/).every((cell) => !(/\p{N}/u.test(cell) && /\p{L}/u.test(cell)))
}

const amountBefore =
  /(?:[€$£×x≈<>±]|(?<!\p{L})(?:gbp|eur|usd|chf|pln|größe|gr\.|preis|artikel|seite|teil|kapitel|version|ab dem|am|bis|um|size|price|item|page|part|taille|prix|page|article|talla|precio|página|artículo|taglia|prezzo|pagina|articolo|preço|tamanho|artigo|maat|prijs|rozmiar|cena|strona|druck|pressure))[ :.]{0,2}$/iu
const amountBehind =
  /^(?:[.,:]\d|\s?(?:[€$£%°×x]|(?:eur|euros?|usd|chf|gbp|pln|zł|kč|kr|reais|bar|psi|kg|g|mg|lb|oz|cm|mm|m|km|m²|qm|l|ml|cl|v|w|kw|kwh|mb|gb|tb|hz|ps|cv|min|mins?|minut\p{L}*|sec|sek\p{L}*|seg\p{L}*|std|stund\p{L}*|hours?|heures?|horas?|ore|uur|uhr|godzin\p{L}*|tage?n?|\p{L}{2,12}tage|days?|jours?|d[ií]as?|giorn[io]|dagen|dni|wochen?|weeks?|semaines?|semanas?|settiman[ae]|tygod\p{L}*|monate?n?|months?|mois|mes(?:es)?|mes[ie]|maand(?:en)?|miesi\p{L}*|jahre?n?|years?|ans|años?|anos?|anni|jaar|lat|stück|stk|pcs|pi[eè]ces|piezas|pezzi|stuks|sztuk|personen|people|personnes|personas|persone|mal|times|fois|veces|volte|vitesses|seiten|pages|páginas|pagine|grad|degrees|grados|gradi)(?!\p{L})))/iu
const numberIn = /\p{N}+/gu

/** Whether each number in what has no street is one of a price, a size, a time or a date: "coûte 899 €, livraison sous 14 jours". */
const isOfMeasures = (text: string, { start, end }: TextRange): boolean =>
  [...text.slice(start, end).matchAll(numberIn)].every(({ 0: number, index }) => {
    const at = start + index
    return (
      amountBefore.test(text.slice(Math.max(0, at - 16), at)) ||
      amountBehind.test(text.slice(at + number.length, at + number.length + 20)) ||
      /\d[.,]$/.test(text.slice(Math.max(0, at - 2), at))
    )
  })

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
