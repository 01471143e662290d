// What selectors gain and lose on exam questions whose subjects they have not been trained on, beside single models, chance and oracle.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { availableParallelism, homedir } from "node:os"
import { installedVersion, readOrigin } from "../../_shared/machine.ts"
import { repository } from "../../_shared/options.ts"
import { say } from "../../_shared/progress.ts"
import { writeResult } from "../../_shared/results.ts"
import { fitArtefacts } from "./artefacts.ts"
import { measure, findSingles } from "./curves.ts"
import { askDecisions } from "./decisions.ts"
import { descriptions } from "./descriptions.ts"
import { subjectFolds } from "./folds.ts"
import { measureLoopers } from "./loopers.ts"
import { type Outcomes, type Question, readOutcomes } from "./outcomes.ts"
import { curvePicture } from "./picture.ts"
import { choose, chooseByQuestion, type Ground } from "./policies.ts"
import { referencePolicies } from "./references.ts"
import { type PoolFigures, selectionReport } from "./report.ts"
import { readVectors } from "./vectors.ts"

const usage = `usage: node bench/accuracy/selection/run.ts --data FOLDER [options]
  --data FOLDER     holds router/mmlu_pro_model_matrix.csv.gz and router/mmlu_pro_questions.csv.gz
  --rows N          only every so many questions, to see that everything works
  --asked N         every so many questions are put to the decision model (8)
  --threads N       processor threads of the worker (all cores)
  --cache FOLDER    where vectors and the results of partial runs go
  --rtrun FILE      command of another checkout or of an installed package`

const options = readOptions()
const origin = readOrigin({ onnxruntime: installedVersion("onnxruntime-node") })
const { vectors: wanted } = JSON.parse(readFileSync(join(repository, "models/selection/selection.json"), "utf8")) as {
  readonly vectors: { readonly probe: { readonly text: string } }
}
const full = readOutcomes(options.data, "open")
const known = await readVectors(
  full.questions.map(({ text }) => text),
  options,
)
const said = await readVectors([wanted.probe.text, ...Object.values(descriptions)], options)
const vectorOf = (text: string): Float32Array => {
  const vector = known.get(text) ?? said.get(text)
  if (vector === undefined) throw new Error(`There is no vector of ${JSON.stringify(text)}`)
  return vector
}
const pools: Record<string, PoolFigures> = {}
const pictures: Record<string, string> = {}
for (const pool of ["open", "all"] as const) {
  pools[pool] = await measurePool(pool)
  pictures[`selection-${pool}`] = curvePicture(pool, pools[pool])
}
const result = {
  bench: "selection",
  ...origin,
  figures: { pools, loopers: await measureLoopers(full) },
}
const path = writeResult(result, { quick: options.rows > 1, cache: options.cache, only: [], against: undefined })
const folder = join(dirname(path), "accuracy")
mkdirSync(folder, { recursive: true })
for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(folder, `${name}.svg`), svg)
say(`Wrote ${path} and the pictures in ${folder}`)
process.stdout.write(`${selectionReport(result)}\n`)
process.exit(0)

async function measurePool(pool: "open" | "all"): Promise<PoolFigures> {
  const read = readOutcomes(options.data, pool)
  const outcomes: Outcomes = { ...read, questions: read.questions.filter((_, row) => row % options.rows === 0) }
  const { models, questions } = outcomes
  const policies = new Map<string, Map<string, number[]>>()
  const put = (policy: string, setting: string, row: number, model: number): void => {
    const settings = policies.get(policy) ?? new Map<string, number[]>()
    policies.set(policy, settings)
    const choices = settings.get(setting) ?? questions.map(() => -1)
    settings.set(setting, choices)
    choices[row] = model
  }
  const folds = subjectFolds(questions)
  let refused = 0
  for (const [number, subjects] of folds.entries()) {
    say(`${pool}: without ${subjects.join(", ")}`)
    const rows = questions.flatMap(({ subject }, row) => (subjects.includes(subject) ? [row] : []))
    const asked = rows.map((row) => questions[row] as Question)
    const training = questions.filter(({ subject }) => !subjects.includes(subject))
    const ground: Ground = { outcomes, training, vectorOf }
    const artefacts = mkdtempSync(join(tmpdir(), "rtr-bench-"))
    try {
      const fitted = fitArtefacts(outcomes, training, { vectorOf, folder: artefacts, probe: wanted })
      for (const [policy, settings] of await choose(asked, fitted, ground))
        for (const [setting, choices] of settings)
          choices.forEach((model, index) => put(policy, setting, rows[index] as number, model))
    } finally {
      rmSync(artefacts, { recursive: true, force: true })
    }
    say(`${pool}: ${number + 1} of ${folds.length}: the decision model`)
    const some = rows.filter((_row, index) => index % options.asked === 0)
    const { choices, refused: notAnswered } = await askDecisions(options, (decide) =>
      chooseByQuestion(
        some.map((row) => questions[row] as Question),
        ground,
        decide,
      ),
    )
    refused += notAnswered
    if (notAnswered < some.length)
      choices.forEach((model, index) => put("decision", "defaults", some[index] as number, model))
  }
  const { cheapest, best, hull } = findSingles(outcomes)
  const nameOf = (model: number): string => models[model]?.name ?? ""
  return {
    questions: questions.length,
    folds,
    cheapest: nameOf(cheapest),
    best: nameOf(best),
    mixture: hull.map(nameOf),
    refused,
    policies: measure(outcomes, new Map([...referencePolicies(outcomes), ...policies])),
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: "string" },
        rows: { type: "string", default: "1" },
        asked: { type: "string", default: "8" },
        threads: { type: "string", default: String(availableParallelism()) },
        cache: { type: "string", default: process.env["RTR_BENCH_CACHE"] ?? join(homedir(), ".cache/rtr-bench") },
        rtrun: { type: "string", default: join(repository, "bin/rtrun.js") },
      },
    })
    const { data } = values
    if (data === undefined) throw new Error("--data is missing")
    const [rows, asked, threads] = [values.rows, values.asked, values.threads].map(Number) as [number, number, number]
    if (![rows, asked, threads].every((number) => Number.isInteger(number) && number > 0))
      throw new Error("--rows, --asked and --threads take whole numbers above 0")
    return { ...values, data, rows, asked, threads }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}\n`)
    process.exit(2)
  }
}
