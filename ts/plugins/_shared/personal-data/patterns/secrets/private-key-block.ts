// Private keys as files hold them: lines of base64 between two that say what they are.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { matchesOfStep } from "../text-range.ts"

const edgeOfBlock = /-----(BEGIN|END) (?:[A-Z\d]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g
/** Most signs of a key of 16,384 bits. */
const longestBlock = 20_000

/** What stands between two lines of a key; in a string of code its lines are parted by `\n`. */
const parting = "(?:[\\s\"'>#|]|\\\\{1,2}[nr]){1,16}"
/** The lines of a key whose end is not there. */
const linesOfKey = new RegExp(
  `^(?:${parting}(?:Proc-Type|DEK-Info|Version|Comment): [^\\n\\\\]{1,80})*(?:${parting}[A-Za-z0-9+/]{16,}={0,2})*(?:${parting}[A-Za-z0-9+/]{1,15}={1,2})?`,
)

/** In the forms of RFC 7468 and of PGP, from the first line to the last. A first line alone is found too. */
export function* findPrivateKeyBlocks(text: string): Work<readonly TextRange[]> {
  const blocks: TextRange[] = []
  let open: TextRange | undefined
  let matches = 0
  const close = (): void => {
    if (open === undefined) return
    const lines = linesOfKey.exec(text.slice(open.end, open.end + longestBlock))
    blocks.push({ start: open.start, end: open.end + (lines?.[0].length ?? 0) })
  }
  for (const { 0: edge, 1: side, index } of text.matchAll(edgeOfBlock)) {
    if (++matches % matchesOfStep === 0) yield
    const end = index + edge.length
    if (side === "END" && open !== undefined && index - open.end <= longestBlock)
      blocks.push({ start: open.start, end })
    else close()
    open = side === "BEGIN" ? { start: index, end } : undefined
  }
  close()
  return blocks
}
