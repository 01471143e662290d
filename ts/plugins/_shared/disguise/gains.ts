// Finds the parts of a text that become likelier words by a change, as similar texts are searched for: in one pass.

import { excessOf, gainOf, pairOf } from "./letter-pairs.ts"

export interface Range {
  readonly start: number
  readonly end: number
}

/** Another letter for each. Letters are 1 to 26, what is none is 0. */
export type Cipher = (letter: number) => number

/** The letter so many places on. */
export const shiftedBy =
  (places: number): Cipher =>
  (letter) =>
    letter === 0 ? 0 : ((letter - 1 + places) % 26) + 1

/** Rot13, and the alphabet backwards. */
export const ciphers: readonly [Cipher, Cipher] = [shiftedBy(13), (letter) => (letter === 0 ? 0 : 27 - letter)]

const [rot13, atbash] = ciphers.map((change) => gainOf(change)) as [Float32Array, Float32Array]
const gains = {
  /** One search for both: which it is shows when they are read. */
  cipher: rot13.map((gain, pair) => Math.max(gain, atbash[pair] as number)),
  backwards: gainOf((letter) => letter, true),
  /** Letters unlike those of any language: another alphabet may make them words. */
  unlike: excessOf(5),
} as const
export type Change = keyof typeof gains

/** So many bits likelier a part has to be: chance makes fewer of them. */
const enough = 36
/** A part ends where so many are lost again. */
const lost = 14

/** Where a search is between two steps. */
export interface Search {
  readonly gains: Float32Array
  readonly found: Range[]
  before: number
  sum: number
  most: number
  start: number
  end: number
}

export const startSearch = (change: Change): Search => ({
  gains: gains[change],
  found: [],
  before: 0,
  sum: 0,
  most: 0,
  start: 0,
  end: 0,
})

/** Goes on with the letters of one step, the first `count` of `letters`; `offset` is where they stand in the text. */
export function searchOn(search: Search, letters: Uint8Array, count: number, offset: number): void {
  const { gains: table, found } = search
  let { before, sum, most, start, end } = search
  for (let index = 0; index < count; index++) {
    const letter = letters[index] as number
    sum += table[pairOf(before, letter)] as number
    before = letter
    if (sum > most) {
      most = sum
      end = offset + index
    } else if (sum <= 0 || sum < most - lost) {
      if (most >= enough) found.push({ start, end: end + 1 })
      sum = most = 0
      start = offset + index
    }
  }
  search.before = before
  search.sum = sum
  search.most = most
  search.start = start
  search.end = end
}

export function endSearch({ found, most, start, end }: Search): readonly Range[] {
  return most >= enough ? [...found, { start, end: end + 1 }] : found
}
