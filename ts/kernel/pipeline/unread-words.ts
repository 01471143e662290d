// What becomes of words that a model's vocabulary has nothing for: no answer may stand for a text that was not read.

import { RtrError } from "../error.ts"
import type { PartlyRead, TokenCounts } from "../types/inference.ts"
import { type ReadableText, saysAnything } from "./readable-text.ts"

/** Asks a model about a text as it is given. */
type AskAbout<Answer> = (text: string) => Promise<Answer>

/** The text in plain signs, made once for all that ask. */
type ToReadable = (text: string) => ReadableText

interface Counted {
  readonly counts?: TokenCounts
}

export interface ReadAnswer<Answer> extends PartlyRead {
  readonly answer: Answer
  /** From a place of what was read to the place of the text. */
  readonly placeOf: ReadableText["placeOf"]
}

/** For a guard: it reads the text in plain signs, and a single word that its model did not see leaves the text unread. */
export async function askWhole<Answer extends Counted>(
  text: string,
  ask: AskAbout<Answer>,
  toReadable: ToReadable,
): Promise<ReadAnswer<Answer>> {
  const { text: readable, placeOf } = toReadable(text)
  if (!saysAnything(readable)) throw unreadWords("no word of the text")
  const answer = await ask(readable)
  const unknown = answer.counts?.unknownTokens ?? 0
  return { answer, placeOf, ...(unknown > 0 && { unread: unreadWords("a part of the text") }) }
}

/**
 * For the others: most of a text says what it is about. It is read as it stands, which is how models learn it, and in
 * plain signs where the model sees little of that. Rejects where it sees less than half even so.
 */
export async function askMostly<Answer extends Counted>(
  text: string,
  ask: AskAbout<Answer>,
  toReadable: ToReadable,
): Promise<ReadAnswer<Answer>> {
  if (!saysAnything(text)) throw unreadWords("no word of the text")
  const asWritten = await ask(text)
  if (!isMostlyUnknown(asWritten)) return { answer: asWritten, placeOf: (place) => place }
  const { text: readable, placeOf } = toReadable(text)
  const answer = readable === text ? asWritten : await ask(readable)
  if (isMostlyUnknown(answer)) throw unreadWords("less than half of the text")
  return { answer, placeOf }
}

/** What an answer carries beside itself. */
export const unreadOf = ({ unread }: PartlyRead): PartlyRead => (unread === undefined ? {} : { unread })

function isMostlyUnknown({ counts }: Counted): boolean {
  if (counts === undefined) return false
  const { tokens, specialTokens, unknownTokens } = counts
  const ofText = tokens - specialTokens
  return ofText <= 0 || unknownTokens * 2 > ofText
}

const unreadWords = (read: string): RtrError =>
  new RtrError("unread_words", `Cannot tell from the model's answer: its vocabulary lets it see ${read}`)
