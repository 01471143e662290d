// Compares the kept results with budgets.json. Ends with 1 and a line for each budget that is broken or not measured.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { readResult, resultsFolder } from "./_shared/results.ts"

interface Budget {
  /** Bench, then the path inside its figures. */
  readonly figure: string
  readonly least?: number
  readonly most?: number
  readonly why: string
}

const { values } = parseArgs({ options: { results: { type: "string", default: resultsFolder } } })
const { budgets } = JSON.parse(readFileSync(join(import.meta.dirname, "budgets.json"), "utf8")) as {
  budgets: readonly Budget[]
}
const problems = budgets.flatMap((budget) => problemOf(budget) ?? [])
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`${budgets.length - problems.length} of ${budgets.length} budgets hold\n`)
process.exitCode = problems.length > 0 ? 1 : 0

function problemOf({ figure, least, most, why }: Budget): string | undefined {
  const [bench = "", ...path] = figure.split("/")
  const result = readResult(bench, values.results)
  if (result === undefined) return `${figure} is not measured: there is no result; run npm run bench:${bench}`
  const value = valueAt(result.figures, path)
  if (value === undefined) return `${figure} is not measured: the result lacks it; run npm run bench:${bench}`
  if (least !== undefined && !(value >= least)) return `${figure} is ${value}, and must be at least ${least}: ${why}`
  if (most !== undefined && !(value <= most)) return `${figure} is ${value}, and must be at most ${most}: ${why}`
  return undefined
}

/** A number, or the median of a spread. */
function valueAt(figures: unknown, path: readonly string[]): number | undefined {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    figures,
  )
  const value = typeof found === "object" && found !== null ? (found as { median?: unknown }).median : found
  return typeof value === "number" ? value : undefined
}
