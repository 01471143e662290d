// Ratings of models by how their calls end, in the way of Elo.

import type { KeyValueStore } from "../../../kernel/index.ts"

const firstRating = 1500
/** How far one game moves a rating at most. */
const step = 32

export type Ratings = Readonly<Record<string, number>>

export const ratingOf = (ratings: Ratings, model: string): number =>
  Object.hasOwn(ratings, model) ? (ratings[model] as number) : firstRating

/** Share of each model: one that is rated 400 higher has ten times as much. */
export function ratingShares(ratings: readonly number[]): readonly number[] {
  const highest = Math.max(...ratings)
  const strengths = ratings.map((rating) => 10 ** ((rating - highest) / 400))
  const sum = strengths.reduce((total, strength) => total + strength, 0)
  return strengths.map((strength) => strength / sum)
}

/**
 * Ratings after a call. One that failed is a lost game against each of the others; one that succeeded is a drawn one, so that
 * a model does not rise by being chosen often, and one that has failed comes back.
 */
export function rated(ratings: Ratings, models: readonly string[], called: string, succeeded: boolean): Ratings {
  const others = models.filter((model) => model !== called)
  const score = succeeded ? 0.5 : 0
  const own = ratingOf(ratings, called)
  const next: Record<string, number> = { ...ratings }
  let change = 0
  for (const other of others) {
    const rating = ratingOf(ratings, other)
    const expected = 1 / (1 + 10 ** ((rating - own) / 400))
    const moved = (step * (score - expected)) / others.length
    change += moved
    next[other] = rating - moved
  }
  next[called] = own + change
  return next
}

/** Attempts to write before a change is given up: ratings are no accounts. */
const attempts = 5

/** Ratings of one decision's models in a store. */
export interface RatingStore {
  read(): Promise<Ratings>
  note(models: readonly string[], called: string, succeeded: boolean): Promise<void>
}

export function createRatings(kv: KeyValueStore, decision: string): RatingStore {
  const key = `ratings:${decision}`
  const read = async (): Promise<Ratings> => ((await kv.get(key))?.value ?? {}) as Ratings
  return {
    read,
    async note(models, called, succeeded) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const stored = await kv.get(key)
        const before = (stored?.value ?? {}) as Ratings
        const after = rated(before, models, called, succeeded)
        // Draws of equals change nothing, and most calls are such.
        if (models.every((model) => ratingOf(before, model) === ratingOf(after, model))) return
        if ((await kv.compareAndSet(key, stored?.version, after)) !== undefined) return
      }
    },
  }
}
