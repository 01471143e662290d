// The words and the names in texts that say what they are about.

/** Words of no subject. */
const stopWords = new Set(
  (
    "a an the and or but if then so to of in on at by for with from as is are was were be been it its this that these those i you we " +
    "they he she me my your our their do does did can could would should will just please how what why when where which who not no"
  ).split(" "),
)

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const term =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{S}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{Nd}_])+/gu

/** Words of two letters and more; where words have no spaces between them, single characters and pairs; and signs of formulas. */
export function termsOf(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const text of texts) {
    let before = ""
    let end = -1
    for (const { 0: word, index } of text.toLowerCase().matchAll(term)) {
      const isUnspaced = unspaced.test(word)
      if (isUnspaced && before !== "" && end === index) found.add(before + word)
      before = isUnspaced ? word : ""
      end = index + word.length
      if (isUnspaced || /\p{S}/u.test(word) || ([...word].length > 1 && !stopWords.has(word))) found.add(word)
    }
  }
  return found
}

const mostNames = 1024
const longestName = 128

const quoted = /`([^`\n]+)`|"([^"\n]{3,})"/g
/** Of at most so many characters: what is longer is no name. */
const run = /[\w.~/-]{1,256}/g

export interface Names {
  readonly names: ReadonlySet<string>
  /** There are more. */
  readonly isCut: boolean
}

/** Names of things: quoted, of files, functions, fields and large numbers. */
export function namesOf(texts: readonly string[]): Names {
  const found = new Set<string>()
  for (const name of listNames(texts)) {
    if (/[\p{L}\p{N}]/u.test(name))
      found.add(
        name
          .toLowerCase()
          .replace(/[.,;:)]{1,8}$/, "")
          .slice(0, longestName),
      )
    if (found.size >= mostNames) return { names: found, isCut: true }
  }
  return { names: found, isCut: false }
}

function* listNames(texts: readonly string[]): Generator<string> {
  for (const text of texts) {
    for (const [, inCode, inQuotes] of text.matchAll(quoted)) yield inCode ?? inQuotes ?? ""
    for (const [word] of text.matchAll(run)) yield* namesInWord(word)
  }
}

/** A path, dotted names, snake_case, camelCase and numbers. Split first: a pattern for all of it takes too long where nothing fits. */
function* namesInWord(word: string): Generator<string> {
  if (word.includes("/") && /[A-Za-z]/.test(word)) yield word
  for (const piece of word.split(/[/~-]/)) {
    const parts = piece.split(".").filter((part) => part !== "")
    if (parts.length > 1 && parts.every((part) => /^[A-Za-z_]/.test(part))) yield parts.join(".")
    for (const part of parts) {
      if (part.includes("_") || /[a-z][A-Z]/.test(part)) yield part
      yield* part.match(/\d{3,}/g) ?? []
    }
  }
}

/** The share of the one that is in the other; 0 of nothing. */
export function shareIn(of: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (of.size === 0) return 0
  let shared = 0
  for (const word of of) if (other.has(word)) shared += 1
  return shared / of.size
}
