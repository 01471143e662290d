// What a text says to those who undo its disguise: more texts for a guard, beside the text itself.

import { type MaybePromise, RtrError, type Work, workOn } from "../../../kernel/index.ts"
import { decodeChunks } from "./chunks.ts"
import { decodeNumbers, decodeRuns, hasNumbers } from "./encoded.ts"
import { unescapeLetters } from "./escaped.ts"
import { isPlausible } from "./letter-pairs.ts"
import { joinLines } from "./lines.ts"
import { withPlainLetters } from "./look-alikes.ts"
import { piecesOf } from "./pieces.ts"
import { joinLetters, unleet } from "./respelt.ts"
import { type Segment, viewing } from "./segment.ts"
import { decipher, shiftBack, turnRound } from "./shifted.ts"
import { unspell } from "./spelled.ts"
import { surveying } from "./survey.ts"
import { withoutTags } from "./tags.ts"
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
  // Code for letters that guards read as Latin ones.
  if (depth > 1 && text !== written && !isPlausible(written) && isPlausible(text)) found.add(text)
  for (const [disguised, segments] of [[written, unseen] as const, ...disguises.map((each) => [text, each] as const)]) {
    if (segments.length === 0) continue
    const codes = segments.filter((each) => each.isCode)
    const said = codes.length === 0 ? segments : segments.filter((each) => !each.isCode)
    if (codes.length > 0 && depth < deepest) yield* collect(joinedCodes(codes), { found, depth: depth + 1 })
    if (said.length === 0) continue
    const view = yield* viewing(disguised, said)
    if (found.has(view)) continue
    if (found.size === maxViews)
      throw new RtrError("scan_budget_exceeded", `Guards read at most ${maxViews} meanings of one text`)
    if (isPlausible(view)) found.add(view)
    if (depth < deepest) yield* collect(view, { found, depth: depth + 1 })
  }
}

/** Those of a long text are decoded in pieces. */
const joinedCodes = (codes: readonly Segment[]): string =>
  codes
    .map(({ start, plain }, index) => (start - (codes[index - 1]?.end ?? start) > mostBetween ? `\n${plain}` : plain))
    .join("")

const mostBetween = 4

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
      for (const each of segments) all.push({ ...each, start: text.length + each.start, end: text.length + each.end })
    })
    text += plain.text
    yield
  }
  return { text, disguises, unseen: unseen.length < fewest.unseen ? [] : unseen }
}

/** Fewer letters in a row that stand apart are a list or initials, fewer numbers in a row a date. Two words as one are still read. */
const fewest = { spelt: 5, numbers: 6, escapes: 4, mixed: 2, unseen: 2 }

/** Each disguise has its place. */
const noNumbers = decodeNumbers("")

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
    decodeChunks(text),
    ...(numbers >= fewest.numbers || hasNumbers(text) ? decodeNumbers(text) : noNumbers),
    escapes >= fewest.escapes ? unescapeLetters(text) : [],
    withoutTags(text),
    decipher(text, cipher),
    shiftBack(text, unlike),
    ...turnRound(text, backwards),
    ...unspell(text),
    spelt >= fewest.spelt ? joinLetters(text) : [],
    joinLines(text),
    mixed >= fewest.mixed ? unleet(text) : [],
  ]
  return { text, disguises }
}
