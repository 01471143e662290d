// Texts of clients in the log: short, on one line, and nothing that a terminal obeys.

const maxCharacters = 64
/** What most names are; a longer or other one is looked at more closely. */
const plain = /^[\x20-\x7e]{0,64}$/
/** Control and format characters (terminal escapes, changes of direction), half characters, and line ends. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu

/** A text that a client has chosen, such as a model name, as a log may show it. */
export function shownText(text: string): string {
  if (plain.test(text)) return text
  const clean = text.slice(0, 4 * maxCharacters).replace(unseen, "?")
  const characters = Array.from(clean)
  return characters.length > maxCharacters || text.length > 4 * maxCharacters
    ? `${characters.slice(0, maxCharacters).join("")}…`
    : clean
}
