// What both soaks have in common: a load minute by minute, a table that grows with it, and an outcome.

import type { SoakOptions } from "./options.ts"

export interface Outcome {
  readonly figures: object
  readonly table: readonly object[]
  /** What is not as it should be, in words. */
  readonly problems: readonly string[]
}

/** A column of the printed table. */
export type Column<Minute> = readonly [name: string, show: (minute: Minute) => string | number]

export interface Subject<Minute> {
  readonly columns: readonly Column<Minute>[]
  load(minute: number): Promise<Minute>
}

/** Loads for the warm-up and the minutes after it, and prints each minute when it is over. */
export async function runMinutes<Minute>(
  { columns, load }: Subject<Minute>,
  { warmUp, minutes }: SoakOptions,
): Promise<readonly Minute[]> {
  const names = ["minute", ...columns.map(([name]) => name)]
  const print = (cells: readonly (string | number)[]): void => {
    const padded = cells.map((cell, column) => String(cell).padStart(names[column]?.length ?? 0))
    process.stdout.write(`${padded.join("  ")}\n`)
  }
  print(names)
  const table: Minute[] = []
  for (let minute = 1; minute <= warmUp + minutes; minute += 1) {
    const row = await load(minute)
    table.push(row)
    print([minute, ...columns.map(([, show]) => show(row))])
  }
  return table
}
