// What a text says to those who undo its disguise: more texts for a guard, beside the text itself.

import { type MaybePromise, RtrError, type Work, workOn } from "../../../kernel/index.ts"
import { decodeNumbers, decodeRuns } from "./encoded.ts"
import { unescapeLetters } from "./escaped.ts"
import { isPlausible } from "./letter-pairs.ts"
import { withPlainLetters } from "./look-alikes.ts"
import { piecesOf } from "./pieces.ts"
import { joinLetters, unleet } from "./respelt.ts"
import { type Segment, viewing } from "./segment.ts"
import { decipher, shiftBack, turnRound } from "./shifted.ts"
import { unspell } from "./spelled.ts"
import { surveying } from "./survey.ts"
import { unseenBlanks } from "./unseen.ts"

/** A disguise may wear another one, and that a third. */
const deepest = 3

/** A text in every disguise at once has fewer. */
const maxViews = 16

/**
 * Texts that this one may stand for, each plausible and none of them the text itself; for nearly every text none. A promise
 * for a long text. Throws `scan_budget_exceeded` for more than anybody needs.
 */
export const viewsOf = (text: string): MaybePromise<readonly string[]> => workOn(text, findingViews(text))

/** The same in steps. */
export function* findingViews(text: string): Work<readonly string[]> {
  const found = new Set<string>()
  yield* collect(text, { found, depth: 1 })
  found.delete(text)
  return [...found]
}

function* collect(
  written: string,
  { found, depth }: { readonly found: Set<string>; readonly depth: number },
): Work<void> {
  const { text, disguises, unseen } = yield* segmentsIn(written)
  for (const [disguised, segments] of [[written, unseen] as const, ...disguises.map((each) => [text, each] as const)]) {
    if (segments.length === 0) continue
    const view = yield* viewing(disguised, segments)
    if (found.has(view)) continue
    if (found.size === maxViews)
      throw new RtrError("scan_budget_exceeded", `Guards read at most ${maxViews} meanings of one text`)
    if (isPlausible(view)) found.add(view)
    if (depth < deepest) yield* collect(view, { found, depth: depth + 1 })
  }
}

/** A text in Latin letters, with the parts of each disguise that it may wear. */
interface Disguised {
  readonly text: string
  readonly disguises: readonly (readonly Segment[])[]
  /** Parts of the text as it was written, which the Latin letters no longer have. */
  readonly unseen: readonly Segment[]
}

function* segmentsIn(written: string): Work<Disguised> {
  const disguises: Segment[][] = []
  const unseen: Segment[] = []
  let [text, start] = ["", 0]
  for (const piece of piecesOf(written)) {
    for (const each of unseenBlanks(piece)) unseen.push({ ...each, start: start + each.start, end: start + each.end })
    start += piece.length
    const plain = yield* findingSegments(piece)
    plain.disguises.forEach((segments, place) => {
      const all = (disguises[place] ??= [])
      for (const each of segments)
        all.push({ start: text.length + each.start, end: text.length + each.end, plain: each.plain })
    })
    text += plain.text
    yield
  }
  return { text, disguises, unseen: unseen.length < fewest.unseen ? [] : unseen }
}

/** Fewer letters in a row that stand apart are a list or initials, fewer numbers in a row a date. Two words as one are still read. */
const fewest = { spelt: 5, numbers: 6, escapes: 4, mixed: 2, unseen: 2 }

function* findingSegments(written: string): Work<Pick<Disguised, "text" | "disguises">> {
  let survey = yield* surveying(written)
  // Other disguises are sought in what remains of the text.
  const { text, segments: lookAlikes } =
    survey.foreign > 0 ? withPlainLetters(written) : { text: written, segments: [] }
  if (text !== written) survey = yield* surveying(text)
  const { cipher, backwards, unlike, runs, spelt, mixed, escapes, numbers } = survey
  const disguises = [
    lookAlikes,
    decodeRuns(text, runs),
    numbers >= fewest.numbers ? decodeNumbers(text) : [],
    escapes >= fewest.escapes ? unescapeLetters(text) : [],
    decipher(text, cipher),
    shiftBack(text, unlike),
    ...turnRound(text, backwards),
    ...unspell(text),
    spelt >= fewest.spelt ? joinLetters(text) : [],
    mixed >= fewest.mixed ? unleet(text) : [],
  ]
  return { text, disguises }
}
