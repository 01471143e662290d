// Whether a guard lets an attack pass that stands somewhere in many ordinary words: found, refused as unscanned, or passed.

import { availableParallelism, homedir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { readOrigin } from "../_shared/machine.ts"
import { repository } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { createProse } from "../guards/prose.ts"
import { createRandom } from "../inference/random.ts"
import { attacks } from "./attacks.ts"
import { createDocuments } from "./documents.ts"
import { createHarmless } from "./harmless.ts"
import { countOf, type Outcome, type Planted, problemsOf } from "./outcome.ts"
import { type PlantedFigures, plantedReport, show, type ShapeFigures } from "./report.ts"
import { startGuardedRouter } from "./router.ts"
import { plant, shapes } from "./shapes.ts"
import { createWriters } from "./texts.ts"

const whole = { positions: 50, words: 40_000 }
const seed = 20_260_119
const usage = `usage: node bench/planted/run.ts [options]
  --positions N     positions of each shape (${whole.positions})
  --words N         words of each request (${whole.words})
  --json            prints the result instead of its tables
  --threads N       processor threads of the worker (all cores)
  --cache FOLDER    where results of runs with other positions or words go
  --rtr FILE        command of another checkout or of an installed package`

const options = readOptions()
const origin = readOrigin()
const writers = createWriters(createProse(seed), createDocuments(createRandom(seed)), createRandom(seed))
const router = await startGuardedRouter(options)
try {
  const figures = await measure()
  const isPartial = options.positions !== whole.positions || options.words !== whole.words
  const result = { bench: "planted", ...origin, figures }
  say(`Wrote ${writeResult(result, { quick: isPartial, cache: options.cache, only: [], against: undefined })}`)
  process.stdout.write(`${options.json ? JSON.stringify(result, undefined, 2) : plantedReport(result)}\n`)
  const problems = problemsOf(figures.planted)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  await router.stop()
}

async function measure(): Promise<PlantedFigures> {
  const alone: Record<string, Outcome> = {}
  for (const { name, text } of attacks) alone[name] = await router.ask([{ role: "user", content: text }])
  const harmless = createHarmless(router, writers)
  const planted: Planted[] = []
  const figures: Record<string, ShapeFigures> = {}
  let passed = router.received()
  for (const { name, slots: slotsOf, messages } of shapes) {
    const slots = slotsOf(options.words)
    const written = harmless.drawn(slots)
    const ask = (texts: readonly string[]): Promise<Outcome> => router.ask(messages(texts))
    const joined = (texts: typeof written): readonly string[] => texts.map((parts) => parts.join(""))
    // Each text alone first: then the worker knows them, and the whole request is answered in time.
    const falseAlarms = await harmless.falseAlarms(written)
    const asWritten = await ask(joined(written))
    const texts = await harmless.quiet(written, slots)
    const withoutAttack = await ask(joined(texts))
    say(`${name}, without an attack: ${show(withoutAttack)}; as written: ${show(asWritten)}`)
    passed = router.received()
    const those: Planted[] = []
    for (let at = 0; at < options.positions; at++) {
      const position = options.positions === 1 ? 0.5 : at / (options.positions - 1)
      const { name: attack, text } = attacks[at % attacks.length] as (typeof attacks)[number]
      const outcome = await ask(plant(texts, slots, writers, { attack: text, position }))
      those.push({ shape: name, position, attack, outcome })
      say(`${name}, ${attack} at ${(100 * position).toFixed(1)} %: ${show(outcome)}`)
    }
    const counts = countOf(those)
    // A call that came after its reply would be counted for the next request, or for none.
    if (router.received() - passed !== counts.passed)
      throw new Error(`The backend got ${router.received() - passed} requests of "${name}", not ${counts.passed}`)
    planted.push(...those)
    figures[name] = { ...counts, falseAlarms, asWritten, withoutAttack }
  }
  const { passed: allPassed, failed } = countOf(planted)
  const { positions, words } = options
  return { words, positions, alone, shapes: figures, passed: allPassed, failed, planted }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        positions: { type: "string", default: String(whole.positions) },
        words: { type: "string", default: String(whole.words) },
        json: { type: "boolean", default: false },
        threads: { type: "string", default: String(availableParallelism()) },
        cache: { type: "string", default: process.env["RTR_BENCH_CACHE"] ?? join(homedir(), ".cache/rtr-bench") },
        rtr: { type: "string", default: join(repository, "bin/rtr.js") },
      },
    })
    const { positions, words, json, threads, cache, rtr } = values
    return {
      positions: wholeNumber("positions", positions),
      words: wholeNumber("words", words),
      json,
      threads: wholeNumber("threads", threads),
      cache: resolve(cache),
      rtr: resolve(rtr),
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return process.exit(2)
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0, got "${text}"`)
  return value
}
