// Latin letters in other shapes: those of mathematics, full-width, raised, in circles and squares, of flags, and Braille.

const alphabet = "abcdefghijklmnopqrstuvwxyz"

/** What NFKC leaves as it is: letters in squares, black circles and black squares, of flags, and Braille. */
const shapes: ReadonlyMap<string, string> = new Map([
  ...[0x1f130, 0x1f150, 0x1f170, 0x1f1e6].flatMap((first) =>
    Array.from(alphabet, (letter, place): [string, string] => [String.fromCodePoint(first + place), letter]),
  ),
  ...Array.from("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", (sign, place): [string, string] => [sign, alphabet[place] ?? ""]),
  ["\u2800", " "],
])

const shape =
  "[\\u{1d400}-\\u{1d6a5}\\uff21-\\uff3a\\uff41-\\uff5a\\u249c-\\u24e9\\u{1f110}-\\u{1f189}\\u2102-\\u2134\\u02b0-\\u02b8\\u1d2c-\\u1d61\\u2071\\u207f\\u2090-\\u209c\\u2800-\\u283f]"
/** Two of them side by side are a flag, and stay one. */
const ofFlag = String.raw`(?<!\S)[\u{1f1e6}-\u{1f1ff}](?!\S)`
const styled = new RegExp(`${shape}|${ofFlag}`, "gu")
/** Formulas have single ones. */
const inRow = new RegExp(`${shape}{2,}|${ofFlag}`, "gu")

/** Units and names have a few. */
const fewest = 6

export const hasStyled = (written: string): boolean =>
  (written.match(inRow) ?? []).reduce((count, letters) => count + Array.from(letters).length, 0) >= fewest

/** With plain letters, but for those that NFKC knows. */
export const unstyled = (word: string): string => word.replaceAll(styled, (sign) => shapes.get(sign) ?? sign)

export const isStyled = (word: string): boolean => word.search(styled) !== -1
