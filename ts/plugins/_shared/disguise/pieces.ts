// A long text in pieces, so that none takes long: between words where there are some.

/** A piece takes a few milliseconds at most. */
const mostCharacters = 4096
/** So far back a blank is looked for. */
const longestWord = 1024
/** Cut so, each part of a run of base64, base32 or hexadecimal digits can be decoded alone. */
const signsTogether = 40

export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  let start = 0
  let runStart = 0
  while (text.length - start > mostCharacters) {
    const piece = text.slice(start, start + mostCharacters)
    const blank = piece.slice(-longestWord).search(/\s\S*$/)
    let end = start + mostCharacters - longestWord + blank + 1
    if (blank === -1) {
      const lastBlank = piece.search(/\s\S*$/)
      if (lastBlank !== -1) runStart = start + lastBlank + 1
      end = start + mostCharacters
      end -= (end - runStart) % signsTogether
    } else runStart = end
    pieces.push(text.slice(start, end))
    start = end
  }
  pieces.push(text.slice(start))
  return pieces
}
