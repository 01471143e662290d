// Go-style durations such as `300s` and `1m30s`, as v0.3 documents write them.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

export const durationPattern = "^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"

export const isDuration = (text: string): boolean => new RegExp(durationPattern).test(text)

/** About 24 days: a timer that is set for longer ends at once. */
const longestMs = 2 ** 31 - 1

/** Milliseconds of a duration that matches `durationPattern`, at most those of the longest timer. */
export function durationMs(text: string): number {
  let total = 0
  for (const [, amount, unit] of text.matchAll(/([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h)/g))
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0)
  return Math.min(total, longestMs)
}
