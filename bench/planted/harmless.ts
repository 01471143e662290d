// Texts without an attack: which of them the guard refuses, and texts in which it finds nothing.

import type { GuardedRouter } from "./router.ts"
import type { Slot } from "./shapes.ts"
import type { Parts, Writers } from "./texts.ts"

export interface FalseAlarms {
  readonly texts: number
  readonly refused: number
}

export interface Harmless {
  /** As written: each text of a request, refused or not. */
  drawn(slots: readonly Slot[]): readonly Parts[]
  /** How many of the texts the guard refuses, each asked about alone. */
  falseAlarms(texts: readonly Parts[]): Promise<FalseAlarms>
  /** The same texts, where those that the guard refuses are replaced by others that it does not. */
  quiet(texts: readonly Parts[], slots: readonly Slot[]): Promise<readonly Parts[]>
}

/** About as many as a guard reads in one window. */
const wordsOfPiece = 100
/** A guard that refuses nearly everything must not hold the bench for ever. */
const triesOfPiece = 3
const triesAsWritten = 3
const mostTries = 5
/** Longer texts are joined of such. */
const wordsOfText = 1000

export function createHarmless(router: GuardedRouter, writers: Writers): Harmless {
  const known = new Map<string, boolean>()
  const isRefused = async (text: string): Promise<boolean> => {
    const refused = known.get(text) ?? (await router.ask([{ role: "user", content: text }])).kind === "found"
    known.set(text, refused)
    return refused
  }
  /** Grown piece by piece, because a long text seldom has nothing by chance. Each is read behind the two before it, as windows do. */
  const grow = async ({ kind, words }: Pick<Slot, "kind" | "words">): Promise<Parts> => {
    const pieces: Parts[] = []
    for (let left = words; left > 0; left -= wordsOfPiece) {
      let piece: Parts = []
      for (let tries = 0; tries < triesOfPiece; tries++) {
        piece = writers[kind].write(Math.min(left, wordsOfPiece))
        if (!(await isRefused([...pieces.slice(-2), piece].flat().join("")))) break
      }
      pieces.push(piece)
    }
    return pieces.flat()
  }
  const join = async ({ kind, words }: Pick<Slot, "kind" | "words">): Promise<Parts> => {
    const parts: string[] = []
    for (let left = words; left > 0; left -= wordsOfText)
      parts.push(...(await replace({ kind, words: Math.min(left, wordsOfText) })))
    return parts
  }
  const replace = async (slot: Pick<Slot, "kind" | "words">): Promise<Parts> => {
    if (slot.words > wordsOfText) return join(slot)
    for (let tries = 1; ; tries++) {
      const parts = tries > triesAsWritten ? await grow(slot) : writers[slot.kind].write(slot.words)
      if (tries === mostTries || !(await isRefused(parts.join("")))) return parts
    }
  }
  return {
    drawn: (slots) => slots.map(({ kind, words }) => writers[kind].write(words)),
    async falseAlarms(texts) {
      let refused = 0
      for (const parts of texts) if (await isRefused(parts.join(""))) refused++
      return { texts: texts.length, refused }
    },
    async quiet(texts, slots) {
      const quiet: Parts[] = []
      for (const [at, parts] of texts.entries()) {
        const slot = slots[at]
        quiet.push(slot !== undefined && (await isRefused(parts.join(""))) ? await replace(slot) : parts)
      }
      return quiet
    },
  }
}
