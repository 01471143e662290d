// Chooses the operating points of personal data for the built-in package: node bench/accuracy/operating-points/run.ts --ordinary FOLDER

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gunzipSync } from "node:zlib"
import { toCodeUnits } from "../../../ts/kernel/runtime/worker-bodies/code-units.ts"
import { toFindings } from "../../../ts/plugins/_shared/personal-data/built-in-model.ts"
import { type Entity, mergeEntities } from "../../../ts/plugins/_shared/personal-data/entities.ts"
import { kindOf, wantedKinds } from "../../../ts/plugins/_shared/personal-data/kinds.ts"
import { operatingPoints } from "../../../ts/plugins/_shared/personal-data/operating-points.ts"
import { createPatternSearch } from "../../../ts/plugins/_shared/personal-data/pattern-entities.ts"
import { keepPrivate } from "../../../ts/plugins/_shared/personal-data/private-persons.ts"
import { repository } from "../../_shared/options.ts"
import { say } from "../../_shared/progress.ts"
import { startWorker } from "../../inference/worker.ts"
import { type Asker, classify, createAsker } from "../asker.ts"
import type { Span } from "../figures/spans.ts"
import { readSets } from "../sets.ts"
import { choosePoint, figuresAt, type Judged, points } from "./choose.ts"

interface Row {
  readonly text: string
  readonly spans: readonly Span[]
  readonly known?: readonly string[]
}

/** Sources of ordinary prompts that the sets do not measure; of those, what people wrote to assistants. */
const choosing = ["biggen", "chinese", "fuzzyai_benign", "ifeval", "prompts_chat", "taskmaster"]
const maxCharacters = 4000
const isPrivate = wantedKinds({})

const { values: options } = parseArgs({
  options: {
    package: { type: "string", default: "signals" },
    ordinary: { type: "string" },
    most: { type: "string", default: "0.003" },
    threads: { type: "string", default: String(availableParallelism()) },
  },
})
const search = await createPatternSearch()
const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
const worker = await startWorker(
  { rtrun: join(repository, "bin/rtrun.js"), threads: Number(options.threads) },
  { model: options.package, socketPath: join(folder, "worker.sock") },
)
try {
  const asker = createAsker(worker.address, worker.card)
  const tuning = readSets<Row>("pii").find(({ name }) => name === "tuning")?.rows ?? []
  const isOrdinary = ({ spans, known }: Row): boolean => spans.length === 0 && known === undefined
  const prompts = [...tuning.filter(isOrdinary).map(({ text }) => text), ...readOrdinary(options.ordinary)]
  say(`${tuning.length} rows that tune, ${prompts.length} prompts without personal data`)
  const [marked, ordinary] = [
    await findingsIn(
      asker,
      tuning.map(({ text }) => text),
    ),
    await findingsIn(asker, prompts),
  ]
  print(tuning, marked, prompts, ordinary)
} finally {
  await worker.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

function readOrdinary(from: string | undefined): readonly string[] {
  if (from === undefined) return []
  return readdirSync(from)
    .filter((name) => choosing.some((source) => name === `${source}.jsonl.gz`))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(from, name)))
        .toString("utf8")
        .split("\n"),
    )
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { text: string }).text)
    .filter((text) => text.length <= maxCharacters)
}

/** Everything that the model marks, whatever its probability. */
async function findingsIn(asker: Asker, texts: readonly string[]): Promise<readonly (readonly Entity[])[]> {
  const results = await classify<{ readonly spans: readonly (Span & { probability: number })[] }>(
    asker,
    "pii",
    texts,
    "window",
  )
  return Promise.all(
    texts.map(async (text, place) =>
      mergeEntities(text, await search(text), toFindings(text, toCodeUnits(text, results[place]?.spans ?? []), {})),
    ),
  )
}

/** What counts where the kind has no point, and all others have theirs. */
function counted(text: string, found: readonly Entity[], kind: string): readonly number[] {
  const sure = found.filter((each) => each.kind === kind || each.probability >= (operatingPoints[each.kind] ?? 0))
  return keepPrivate(text, sure).flatMap((each) => (each.kind === kind ? [each.probability] : []))
}

function print(
  rows: readonly Row[],
  marked: readonly (readonly Entity[])[],
  prompts: readonly string[],
  ordinary: readonly (readonly Entity[])[],
): void {
  const chosen: string[] = []
  for (const kind of Object.keys(operatingPoints).toSorted()) {
    const known = (row: Row): boolean => row.known === undefined || row.known.map(kindOf).includes(kind)
    const wanted = rows.map((row) => (known(row) ? spansOf(row, kind) : []))
    const findings = marked.flatMap((found, place): readonly Judged[] =>
      found
        .filter((each) => each.kind === kind && known(rows[place] as Row))
        .map(({ start, end, probability }) => ({
          probability,
          isRight: wanted[place]?.some((span) => span.start === start && span.end === end) === true,
        })),
    )
    const evidence = {
      kind,
      marked: wanted.flat().length,
      findings,
      ordinary: ordinary.flatMap((found, place) => {
        const probabilities = counted(prompts[place] ?? "", found, kind)
        return probabilities.length === 0 ? [] : [Math.max(...probabilities)]
      }),
      prompts: prompts.length,
    }
    // Where nothing is marked there is nothing to choose by.
    const chosenPoint =
      evidence.marked === 0
        ? (operatingPoints[kind] ?? 0)
        : choosePoint(evidence, mostOf(kind, Number(options.most))).point
    process.stdout.write(`\n${kind}: ${evidence.marked} marked, chosen ${chosenPoint}\n`)
    for (const point of points) {
      const { precision, recall, f1, ordinary: share } = figuresAt(evidence, point)
      const figures = [precision, recall, f1].map((figure) => figure.toFixed(2)).join("  ")
      process.stdout.write(`  ${point.toFixed(2)}  ${figures}  ${(100 * share).toFixed(2)} %\n`)
    }
    chosen.push(`  ${kind}: ${chosenPoint},`)
  }
  process.stdout.write(
    `\nColumns: point, precision, recall, F1 of exact spans, ordinary prompts with one.\n\n{\n${chosen.join("\n")}\n}\n`,
  )
}

/** Most ordinary prompts with a finding of a kind. Names are most of them; kinds that only some rules look for are no false alarms. */
function mostOf(kind: string, most: number): number {
  if (!isPrivate(kind)) return 1
  return kind === "PERSON" ? 7 * most : most
}

/** In the units of strings, of a kind; the sets call every date a date. */
function spansOf({ text, spans }: Row, kind: string): readonly { readonly start: number; readonly end: number }[] {
  const sure = spans.map((span) => ({ ...span, probability: 1 }))
  return toCodeUnits(text, sure).filter(({ label }) => kindOf(label) === kind)
}
