// What the words of a message say about the conversation before it: a reference to it, thanks for it, or the end of its subject.

const list = (words: string): readonly string[] => words.split(" ")
type Known = ReadonlyMap<string, readonly (readonly string[])[]>
/** By their first word, the longest first, so that none is missed for its beginning. */
const phrases = (lines: string): Known =>
  Map.groupBy(
    lines
      .split(", ")
      .map(list)
      .toSorted((a, b) => b.length - a.length),
    ([first = ""]) => first,
  )

const references = phrases(
  "above, earlier, previous, previously, as before, like before, same as, as you said, you said, you mentioned, you suggested, " +
    "your answer, your code, your example, your suggestion, that function, that file, that code, that one, this one, " +
    "the last one, instead, go back to, as mentioned",
)
const acknowledgements = phrases(
  "thanks, thank you, thx, ok, okay, great, good, done, perfect, got it, nice, cool, sounds good, awesome, yes, yep, sure",
)
const changes = phrases(
  "new question, unrelated, different topic, different question, change of topic, changing topics, switching topics, " +
    "switch topics, on another note, separate question, completely different, new topic, something else",
)
/** They point back only where a message begins with them. */
const pointers = new Set(list("also now then and but next so it its this that these those they them"))
const negations = new Set(list("not no never isn't aren't wasn't weren't don't doesn't didn't without hardly nor"))

const pointerWindow = 3
const changeWindow = 8
const negationWindow = 3
const mostAcknowledged = 4

export interface Phrases {
  readonly refers: boolean
  readonly pointsBack: boolean
  readonly acknowledges: boolean
  /** Plainly: at the beginning, not negated and not quoted. */
  readonly changes: boolean
  /** It has the words of a change where they may mean something else. */
  readonly mayChange: boolean
}

/** Of the texts of one message. */
export function readPhrases(texts: readonly string[]): Phrases {
  const plain = texts.map((text) => wordsOf(text))
  const [first = []] = plain
  const start = acknowledged(first)
  const places = texts.flatMap((text, index) => changesIn(withoutCode(text), index === 0))
  return {
    refers: plain.some((words) => words.some((_, place) => lengthAt(words, place, references) > 0)),
    pointsBack: first.slice(start, start + pointerWindow).some((word) => pointers.has(word)),
    acknowledges:
      plain.some((words) => words.length > 0) &&
      plain.every((words) => acknowledged(words) === words.length) &&
      plain.flat().length <= mostAcknowledged,
    changes: places.length > 0 && places.every((isPlain) => isPlain),
    mayChange: places.some((isPlain) => !isPlain),
  }
}

/** Whether each place with the words of a change is a plain one. */
function changesIn(text: string, isFirst: boolean): readonly boolean[] {
  const placesIn = (words: readonly string[]): readonly number[] =>
    words.flatMap((_, place) => (lengthAt(words, place, changes) > 0 ? [place] : []))
  const words = wordsOf(text.replaceAll(singleQuotes, " \0 "))
  const start = acknowledged(words)
  const plain = placesIn(words).map((place) => {
    const isNegated = words.slice(Math.max(0, place - negationWindow), place).some((word) => negations.has(word))
    return isFirst && place >= start && place < start + changeWindow && !isNegated
  })
  // Single quotes may be apostrophes: words between them are in doubt.
  return placesIn(wordsOf(text)).length > plain.length ? [...plain, false] : plain
}

/** Lower case, with the apostrophes inside. */
const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replaceAll("’", "'")
    .match(/[\p{L}\p{N}\0]+(?:'[\p{L}\p{N}]+)*/gu) ?? []

function lengthAt(words: readonly string[], place: number, known: Known): number {
  const possible = known.get(words[place] ?? "") ?? []
  return possible.find((phrase) => phrase.every((word, index) => words[place + index] === word))?.length ?? 0
}

/** How many words the thanks at the beginning take. */
function acknowledged(words: readonly string[]): number {
  let place = 0
  for (let length = 1; length > 0; place += length) length = lengthAt(words, place, acknowledgements)
  return place
}

const code = /```[^]*?(?:```|$)|`[^`]*(?:`|$)|"[^"]*(?:"|$)|“[^”]*(?:”|$)/gu
const singleQuotes = /(?<![\p{L}\p{N}])['‘][^\n'’]+['’](?![\p{L}\p{N}])/gu

/** Code and quotations as one word that is none, so that words beside them do not become a phrase. */
export const withoutCode = (text: string): string => text.replaceAll(code, " \0 ")
