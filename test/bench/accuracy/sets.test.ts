import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readBars } from "../../../bench/accuracy/bars.ts"
import { readSets } from "../../../bench/accuracy/sets.ts"
import { together } from "../../../bench/accuracy/task.ts"
import { tasks } from "../../../bench/accuracy/tasks/index.ts"

const folder = join(import.meta.dirname, "../../../bench/accuracy/sets")

interface Row {
  readonly source: string
  readonly text?: string
  readonly answer?: unknown
  readonly label?: string
  readonly spans?: readonly { readonly start: number; readonly end: number; readonly label: string }[]
  readonly known?: readonly string[]
  readonly bag_of_words: unknown
}

describe.each([...new Set(tasks.map(({ sets }) => sets))])("%s", (task) => {
  const sets = readSets<Row>(task)

  test("has unseen sets and the rows that tuned, none of them in two sets", () => {
    expect(new Set(sets.map(({ kind }) => kind))).toContain("unseen")
    expect(sets.filter(({ kind }) => kind === "tuning").map(({ name }) => name)).toEqual(["tuning"])
    const tuning = new Set(sets.find(({ name }) => name === "tuning")?.rows.map(keyOf))
    for (const { name, rows } of sets.filter(({ kind }) => kind !== "tuning"))
      expect([name, rows.filter((row) => tuning.has(keyOf(row))).length]).toEqual([name, 0])
  })

  test("has rows with a source, an expected answer and that of the baseline", () => {
    for (const { kind, rows, of } of sets) {
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.length).toBeLessThanOrEqual(Math.min(of, kind === "ordinary" ? 1000 : 600))
      for (const row of rows) {
        expect(row.source).not.toBe("")
        expect(row.bag_of_words).toBeDefined()
        expect(row.label ?? row.spans ?? row.answer).toBeDefined()
      }
    }
  })

  test("has spans inside of their text, of kinds that its source marks", () => {
    for (const row of sets.flatMap(({ rows }) => rows)) {
      const length = Array.from(row.text ?? String(row.answer)).length
      for (const { start, end, label } of row.spans ?? []) {
        expect(0 <= start && start < end && end <= length, JSON.stringify({ start, end, length })).toBe(true)
        expect(row.known ?? [label]).toContain(label)
      }
    }
  })

  test("is cut to the rows that are wanted", () => {
    for (const { name, rows } of readSets<Row>(task, 5))
      expect(rows).toEqual(sets.find((set) => set.name === name)?.rows.slice(0, 5))
  })
})

test("files are small, and none lacks its entry", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gz"))
  expect(files.filter((name) => statSync(join(folder, name)).size > 300_000)).toEqual([])
  const listed = [...new Set(tasks.map(({ sets }) => sets))].flatMap((task) =>
    readSets<Row>(task).map(({ name }) => join(task, `${name}.jsonl.gz`)),
  )
  expect(files.toSorted()).toEqual(listed.toSorted())
})

test("every bar names a set and a limit", () => {
  for (const { task, set, least, most } of readBars()) {
    const sets = tasks.find(({ name }) => name === task)?.sets ?? task
    const names = readSets<Row>(sets).map(({ name }) => name)
    expect([...names, together]).toContain(set)
    expect((least === undefined) !== (most === undefined)).toBe(true)
  }
})

test("a task without sets is named", () => {
  expect(() => readSets("weather")).toThrow(/"weather": sets\/index\.json has domain, /)
})

/** What is asked of a row. */
function keyOf(row: Row): string {
  const { bag_of_words: _, source: _source, known: _known, ...asked } = row
  return JSON.stringify(asked)
}
