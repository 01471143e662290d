// Random numbers of a beta distribution, by those of two gamma distributions (Marsaglia and Tsang, 2000).

/** `alpha` and `beta` are 1 or more, which needs no correction of the gamma numbers. */
export function betaSample(alpha: number, beta: number, random: () => number): number {
  const one = gammaSample(alpha, random)
  const other = gammaSample(beta, random)
  return one / (one + other)
}

/** Rejections in a row that no source of random numbers has; one that is broken must not keep the request. */
const mostTries = 100

function gammaSample(shape: number, random: () => number): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (let tries = 0; tries < mostTries; tries++) {
    const normal = normalSample(random)
    const v = (1 + c * normal) ** 3
    if (v <= 0) continue
    if (Math.log(positive(random)) < 0.5 * normal * normal + d - d * v + d * Math.log(v)) return d * v
  }
  return shape
}

/** Box and Muller. */
const normalSample = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(positive(random))) * Math.cos(2 * Math.PI * random())

/** Above 0, of which there is no logarithm. */
const positive = (random: () => number): number => 1 - random()

/** Numbers from 0 to below 1 that a seed repeats (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
