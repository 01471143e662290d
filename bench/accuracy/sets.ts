// The evaluation sets, as `python -m train sets` writes them.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/**
 * `unseen` sets come from sources that no head learns from, `adversarial` ones were made or chosen to mislead, `derived` ones
 * ask the rows of another set something else, `ordinary` prompts should be left alone by guards, `languages` are other ones than
 * English, and `tuning` is what temperatures and thresholds were fitted on.
 */
export type SetKind = "unseen" | "ordinary" | "languages" | "adversarial" | "derived" | "tuning"

export interface EvaluationSet<Row> {
  readonly name: string
  readonly kind: SetKind
  /** Rows that the set was sampled from. */
  readonly of: number
  readonly rows: readonly Row[]
}

const folder = join(import.meta.dirname, "sets")

type Index = Readonly<Record<string, Readonly<Record<string, { kind: SetKind; of: number }>>>>

/** All sets of a task, each cut to its first `most` rows, which are a random part of it. */
export function readSets<Row>(task: string, most: number = Number.POSITIVE_INFINITY): readonly EvaluationSet<Row>[] {
  const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as Index
  const entries = index[task]
  if (entries === undefined)
    throw new Error(`Cannot read the sets of "${task}": sets/index.json has ${Object.keys(index).join(", ")}`)
  return Object.entries(entries).map(([name, { kind, of }]) => ({
    name,
    kind,
    of,
    rows: readRows<Row>(join(folder, task, `${name}.jsonl.gz`)).slice(0, most),
  }))
}

function readRows<Row>(path: string): readonly Row[] {
  const lines = gunzipSync(readFileSync(path)).toString("utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row)
}
