// What a task is: how its rows are asked, and which figures its answers give.

import type { ModelCard } from "../inference/worker.ts"
import { type Estimate, estimate, type Figures, round } from "./figures/bootstrap.ts"
import type { EvaluationSet, SetKind } from "./sets.ts"
import type { Asker } from "./asker.ts"

/** `Case` is a row with its answer, as far as figures need them. */
export interface TaskDefinition<Row, Case> {
  readonly name: string
  /** The folder of its sets; the name when left out. */
  readonly sets?: string
  /** What answers as the baseline, in one or two words. */
  readonly baselineName: string
  /** Figures of the table, most important first; the result has all. */
  readonly shown: readonly string[]
  isServedBy(card: ModelCard): boolean
  /** One case a row; undefined where the worker answers with an error. */
  ask(asker: Asker, rows: readonly Row[], set: string): Promise<readonly (Case | undefined)[]>
  baseline(row: Row, set: string): Case
  figures(cases: readonly Case[]): Figures
  /** SVG by name. */
  pictures?(cases: readonly Case[]): Readonly<Record<string, string>>
}

export interface SetFigures {
  readonly kind: SetKind
  readonly rows: number
  readonly of: number
  /** Rows that the worker answered with an error; no figure counts them. */
  readonly failed: number
  readonly figures: Readonly<Record<string, Estimate & { readonly baseline?: number }>>
}

export interface TaskFigures {
  readonly baselineName: string
  readonly shown: readonly string[]
  readonly sets: Readonly<Record<string, SetFigures>>
}

export interface MeasuredTask {
  readonly figures: TaskFigures
  readonly pictures: Readonly<Record<string, string>>
}

export interface Task {
  readonly name: string
  readonly sets: string
  isServedBy(card: ModelCard): boolean
  /** `most` rows of each set. */
  measure(asker: Asker, most: number | undefined): Promise<MeasuredTask>
}

/** All unseen sets as one, because some of them have one label only. */
export const together = "together"

interface JudgedSet<Case> extends Omit<SetFigures, "figures"> {
  readonly name: string
  readonly cases: readonly Case[]
  readonly baselines: readonly Case[]
}

export function defineTask<Row, Case>(
  definition: TaskDefinition<Row, Case>,
  readSets: (task: string, most: number | undefined) => readonly EvaluationSet<Row>[],
): Task {
  const { name, sets: folder = name, baselineName, shown } = definition
  return {
    name,
    sets: folder,
    isServedBy: definition.isServedBy,
    async measure(asker, most) {
      const judged: JudgedSet<Case>[] = []
      for (const set of readSets(folder, most)) judged.push(await judge(definition, asker, set))
      const unseen = judged.filter(({ kind }) => kind === "unseen")
      const pooled = unite(unseen)
      const sets = unseen.length > 1 ? [pooled, ...judged] : judged
      const figures = Object.fromEntries(sets.map((set) => [set.name, toFigures(definition, set)]))
      return { figures: { baselineName, shown, sets: figures }, pictures: definition.pictures?.(pooled.cases) ?? {} }
    },
  }
}

async function judge<Row, Case>(
  definition: TaskDefinition<Row, Case>,
  asker: Asker,
  { name, kind, of, rows }: EvaluationSet<Row>,
): Promise<JudgedSet<Case>> {
  const answered = await definition.ask(asker, rows, name)
  const kept = rows.filter((_, place) => answered[place] !== undefined)
  return {
    name,
    kind,
    of,
    rows: rows.length,
    failed: rows.length - kept.length,
    cases: answered.filter((answer) => answer !== undefined),
    baselines: kept.map((row) => definition.baseline(row, name)),
  }
}

function unite<Case>(sets: readonly JudgedSet<Case>[]): JudgedSet<Case> {
  const sum = (key: "rows" | "of" | "failed"): number => sets.reduce((total, set) => total + set[key], 0)
  return {
    name: together,
    kind: "unseen",
    rows: sum("rows"),
    of: sum("of"),
    failed: sum("failed"),
    cases: sets.flatMap(({ cases }) => cases),
    baselines: sets.flatMap(({ baselines }) => baselines),
  }
}

function toFigures<Row, Case>(definition: TaskDefinition<Row, Case>, set: JudgedSet<Case>): SetFigures {
  const { kind, rows, of, failed, cases, baselines } = set
  const floor = definition.figures(baselines)
  const figures = Object.entries(cases.length === 0 ? {} : estimate(cases, definition.figures)).map(
    ([name, value]) => [name, { ...value, ...withBaseline(floor[name]) }] as const,
  )
  return { kind, rows, of, failed, figures: Object.fromEntries(figures) }
}

function withBaseline(value: number | undefined): { readonly baseline?: number } {
  return value !== undefined && Number.isFinite(value) ? { baseline: round(value) } : {}
}
