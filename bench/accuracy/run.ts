// How often the embedded packages are right, asked through the worker as the router asks it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { startWorker } from "../inference/worker.ts"
import { createAsker } from "./asker.ts"
import { type AccuracyOptions, readAccuracyOptions } from "./options.ts"
import { choosePackages } from "./packages.ts"
import { accuracyReport, type AccuracyFigures } from "./report.ts"
import type { TaskFigures } from "./task.ts"
import { tasks } from "./tasks/index.ts"

interface MeasuredPackage {
  readonly digest: string
  readonly tasks: Readonly<Record<string, TaskFigures>>
  readonly pictures: Readonly<Record<string, string>>
}

const options = readAccuracyOptions()
const origin = readOrigin({ onnxruntime: installedVersion("onnxruntime-node") })
const packages: Record<string, MeasuredPackage> = {}
for (const model of choosePackages(options.package)) packages[basename(model)] = await measurePackage(model, options)

const figures: AccuracyFigures = {
  packages: Object.fromEntries(Object.entries(packages).map(([name, { digest }]) => [name, digest])),
  tasks: Object.assign({}, ...Object.values(packages).map((one) => one.tasks)) as AccuracyFigures["tasks"],
}
const missing = options.tasks.filter((name) => figures.tasks[name] === undefined)
if (missing.length > 0) throw new Error(`Cannot measure ${missing.join(", ")}: no package serves it`)
const result = { bench: "accuracy", ...origin, figures }
const isPartial = options.package !== undefined || options.tasks.length > 0 || options.rows !== undefined
const path = writeResult(result, { quick: isPartial, cache: options.cache, only: [], against: undefined })
const pictures = join(dirname(path), "accuracy")
mkdirSync(pictures, { recursive: true })
for (const { pictures: drawn } of Object.values(packages))
  for (const [name, svg] of Object.entries(drawn)) writeFileSync(join(pictures, `${name}.svg`), svg)
say(`Wrote ${path} and the pictures in ${pictures}`)
process.stdout.write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${accuracyReport(result)}\n`)
process.exit(0)

/** All wanted tasks that the package serves, asked of a worker of its own. */
async function measurePackage(
  model: string,
  { rtrun, threads, profile, tasks: wanted, rows }: AccuracyOptions,
): Promise<MeasuredPackage> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const worker = await startWorker({ rtrun, threads }, { model, profile, socketPath: join(folder, "worker.sock") })
  try {
    const asker = createAsker(worker.address, worker.card)
    const served = tasks.filter(
      (task) => task.isServedBy(worker.card) && (wanted.length === 0 || wanted.includes(task.name)),
    )
    const measured: Record<string, TaskFigures> = {}
    const drawn: Record<string, string> = {}
    for (const task of served) {
      say(`${basename(model)}: ${task.name}`)
      const { figures: ofTask, pictures: ofPictures } = await task.measure(asker, rows)
      measured[task.name] = ofTask
      Object.assign(drawn, ofPictures)
    }
    return { digest: worker.card.model_sha256, tasks: measured, pictures: drawn }
  } finally {
    await worker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
