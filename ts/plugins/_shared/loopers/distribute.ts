// Which models get the calls of a round.

export type Distribution = "weighted" | "equal" | "round_robin" | "first_only"

/** Positions of the models, one for each call. `weights` has one for each model; those of 0 get calls only where all are 0. */
export function distributeCalls(
  calls: number,
  weights: readonly number[],
  distribution: Distribution,
  seed: number,
): readonly number[] {
  const models = weights.length
  switch (distribution) {
    case "first_only":
      return Array.from({ length: calls }, () => 0)
    case "round_robin":
      return Array.from({ length: calls }, (_, call) => call % models)
    case "equal":
      return shuffled(
        repeated(
          byLargestRemainder(
            calls,
            Array.from({ length: models }, () => 1),
          ),
        ),
        seed,
      )
    case "weighted": {
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      const shares = total === 0 ? Array.from({ length: models }, () => 1) : weights
      return shuffled(repeated(byLargestRemainder(calls, shares)), seed)
    }
  }
}

/** How many calls each gets: the whole part of its share, and of the rest one for each of the largest remainders. */
function byLargestRemainder(calls: number, shares: readonly number[]): readonly number[] {
  const total = shares.reduce((sum, share) => sum + share, 0)
  const exact = shares.map((share) => (share / total) * calls)
  const counts = exact.map(Math.floor)
  const left = calls - counts.reduce((sum, count) => sum + count, 0)
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .toSorted((one, other) => other.remainder - one.remainder || one.index - other.index)
  for (const { index } of byRemainder.slice(0, left)) counts[index] = (counts[index] ?? 0) + 1
  return counts
}

const repeated = (counts: readonly number[]): readonly number[] =>
  counts.flatMap((count, model) => Array.from({ length: count }, () => model))

/** The same order for the same seed. */
export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const random = createRandom(seed)
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other] as Item, order[last] as Item]
  }
  return order
}

/** Mulberry32: small, and good enough for an order. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
