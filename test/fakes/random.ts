// A random source with a seed, so that generated cases are the same in every run.

export interface Random {
  /** From 0 up to but not including 1. */
  next(): number
  /** A whole number from 0 up to but not including `below`. */
  below(below: number): number
  pick<Value>(values: readonly Value[]): Value
  chance(probability: number): boolean
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
    chance: (probability) => next() < probability,
  }
}

/** A field that is there in every second case. */
export const some = <Value>(random: Random, name: string, value: () => Value): object =>
  random.chance(0.5) ? { [name]: value() } : {}

export const list = <Value>(length: number, make: (index: number) => Value): readonly Value[] =>
  Array.from({ length }, (_, index) => make(index))
