// Result files: one for each bench, overwritten by its next full run.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Origin } from "./machine.ts"
import { type BenchOptions, repository } from "./options.ts"

export interface Result extends Origin {
  readonly bench: string
  /** Of benches that measure speed. */
  readonly rounds?: number
  readonly seconds?: number
  /** Figures by path; budgets and the report read them. */
  readonly figures: object
}

export const resultsFolder: string = join(repository, "bench/results")

/** Writes a result and returns its path. Quick, partial and comparing runs go to the cache folder, so that only a whole run replaces a kept result. */
export function writeResult(
  result: Result,
  { quick, cache, only, against }: Pick<BenchOptions, "quick" | "cache" | "only" | "against">,
): string {
  const folder = quick || only.length > 0 || against !== undefined ? join(cache, "results") : resultsFolder
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${result.bench}.json`)
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`)
  return path
}

/** Undefined when the bench has not run. */
export function readResult(bench: string, folder: string = resultsFolder): Result | undefined {
  const path = join(folder, `${bench}.json`)
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Result) : undefined
}
