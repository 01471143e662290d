// Parts of a text that match a pattern and pass a check, and what stands beside them.

import type { TextRange, Work } from "../../../../kernel/index.ts"

/** After so many matches a search could pause: a match and its checks take microseconds. */
export const matchesOfStep = 32

/**
 * Every match of a global pattern that passes the check, in order and without overlaps. Behind a match that fails the
 * search goes on one character later, so the pattern must be bounded in length to stay linear.
 */
export const findChecked = (
  text: string,
  pattern: RegExp,
  check: (match: RegExpExecArray) => boolean,
): Work<readonly TextRange[]> =>
  findRanges(text, pattern, (match) =>
    check(match) ? { start: match.index, end: match.index + match[0].length } : undefined,
  )

/**
 * The same for patterns of which a part is found: what `read` makes of each match. Behind a match that fails and is longer
 * than `mostReread` characters the search goes on at its end.
 */
export function* findRanges(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => TextRange | undefined,
  mostReread = Infinity,
): Work<readonly TextRange[]> {
  const ranges: TextRange[] = []
  let matches = 0
  // The pattern is shared, and others search with it between two steps.
  for (let from = 0, match = execFrom(pattern, text, from); match !== null; match = execFrom(pattern, text, from)) {
    if (++matches % matchesOfStep === 0) yield
    const { length } = match[0]
    const range = read(match)
    if (range !== undefined) ranges.push(range)
    from = range?.end ?? match.index + (length > mostReread ? length : 1)
  }
  return ranges
}

/** The first match of a global or sticky pattern from a position on. */
export function execFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}

/** The characters before a position, as many as context may take. */
export const textBefore = (text: string, position: number): string => text.slice(Math.max(0, position - 48), position)

/** The characters after a position. */
export const textAfter = (text: string, position: number): string => text.slice(position, position + 32)

/** Whether the number at a position is said to be that of a thing: an order, a parcel, a book. */
export function isNumberOfThing(text: string, position: number): boolean {
  return thing.test(textBefore(text, position))
}

/** Whether it is said to be that under which somebody is kept on file: of a customer, a contract. That is no telephone, and may be the number of a person. */
export function isNumberOfFile(text: string, position: number): boolean {
  return file.test(textBefore(text, position))
}

const things = [
  "order|tracking|parcel|package|shipment|invoice|ticket|case|isbn|imei|sku|serial|part|product|item|article|build|commit|request|trace|model|batch|release",
  "bestellung|auftrag|rechnung|sendung|paket|artikel|modell|vorgang|aktenzeichen|(?:bestell|auftrags|rechnungs|sendungs|paket|artikel|serien|teile|modell|vorgangs)[ -]?(?:nummer|nr)|(?:best|art|rg|auftr|ser)\\.?[ -]{0,2}nr",
  "commande|facture|colis|pedido|factura|paquete|encomenda|ordine|fattura|articolo|bestelling|bestelnummer|factuur|pakket",
  "zamówieni[ae]|faktur[ay]|paczk[ai]|заказа?|посылк[аи]",
].join("|")
const numberWord = "(?:number|nummer|no|nr|num|id|code|n[°ºo]|№)"
const thing = new RegExp(`(?:^|[^\\p{L}])(?:${things})[\\s_-]*${numberWord}?["'\\s:#=.]*(?:is|was)?["'\\s:#=]*$`, "iu")
const file = new RegExp(
  `(?:^|[^\\p{L}])(?:(?:customer|client|member(?:ship)?|contract|policy|claim|reference|ref|kunden|vertrags?|mitglieds|policen|zähler|matrikel|kd|klant)\\.?[\\s_-]{0,2}${numberWord}|(?:numéro|número|numero|n[°º]) (?:de |di |do )?(?:client|contrat|dossier|cliente|contrato|contratto))["'\\s:#=.]*(?:is|was|ist|est|es)?["'\\s:#=]*$`,
  "iu",
)

/** Both lists in order, without those of the second that overlap one of the first. */
export function addFree<Range extends TextRange>(found: readonly Range[], more: readonly Range[]): readonly Range[] {
  let next = 0
  const free = more.filter(({ start, end }) => {
    while ((found[next]?.end ?? Infinity) <= start) next++
    return (found[next]?.start ?? Infinity) >= end
  })
  return free.length === 0 ? found : [...found, ...free].toSorted((a, b) => a.start - b.start)
}
