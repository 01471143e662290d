// Interleaves measurements: A B C A B C …, because this kind of machine changes its speed from minute to minute.

import { say } from "./progress.ts"

export interface Contender<Sample> {
  readonly name: string
  measure(): Promise<Sample>
}

/** Samples of each contender, one for each round. Rejects with the contender's name when one fails. */
export async function interleave<Sample>(
  label: string,
  rounds: number,
  contenders: readonly Contender<Sample>[],
  describe: (sample: Sample) => string,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const shown: string[] = []
    for (const { name, measure } of contenders) {
      const sample = await measure().catch((cause: unknown) => {
        throw new Error(`${label}, ${name}: ${(cause as Error).message}`, { cause })
      })
      samples.get(name)?.push(sample)
      shown.push(`${name} ${describe(sample)}`)
    }
    say(`${label}, round ${round + 1} of ${rounds}: ${shown.join(", ")}`)
  }
  return samples
}
