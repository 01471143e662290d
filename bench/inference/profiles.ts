// The profile max_speed against exact, both on the same package.

import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOfPairs } from "../_shared/statistics.ts"
import { type Cell, loadEmbeddings, type Sample, shapes, showSample, toCell } from "./embeddings-load.ts"
import { plainPackage } from "./packages/package-folder.ts"
import { checkSameAnswers, embedBy } from "./same-answers.ts"
import type { TextMaker } from "./texts.ts"
import { packageFolder, startWorker, type Worker } from "./worker.ts"

export interface ProfileFigures {
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell>>>>
  /** Calls a second with max_speed, by those with exact. */
  readonly ratios: Readonly<Record<string, Spread>>
}

/** What the worker itself demands of max_speed. */
const leastCosine = 0.999

const loads = [
  { shape: shapes.short, connections: 1 },
  { shape: shapes.uniform, connections: 1 },
  { shape: shapes.mixed, connections: 8 },
]

/** The embedded package as it is stored, in 8 bits, and in 32. Undefined where no package can be served with max_speed. */
export async function measureProfiles(
  options: BenchOptions,
  texts: TextMaker,
  folder: string,
): Promise<ProfileFigures | undefined> {
  const cells: Record<string, Record<string, Cell>> = {}
  const ratios: Record<string, Spread> = {}
  for (const [name, model] of Object.entries({ int8: packageFolder, float32: plainPackage(options.cache) })) {
    const fast = await startFast(options, model, join(folder, `${name}-max-speed.sock`))
    if (fast === undefined) continue
    const exact = await startWorker(options, { model, socketPath: join(folder, `${name}-exact.sock`) })
    await checkSameAnswers(exact.address, { max_speed: embedBy(fast.address) }, texts, leastCosine)
    for (const load of loads) {
      const label = `${name}-${load.shape.name}-c${load.connections}`
      const measure = (worker: Worker) => (): Promise<Sample> =>
        loadEmbeddings({ ...load, address: worker.address, seconds: options.seconds, texts })
      const contenders = [
        { name: "exact", measure: measure(exact) },
        { name: "max_speed", measure: measure(fast) },
      ]
      const samples = await interleave<Sample>(`profiles, ${label}`, options.rounds, contenders, showSample)
      const rates = (profile: string): readonly number[] =>
        (samples.get(profile) ?? []).map(({ callsPerSecond }) => callsPerSecond)
      cells[label] = Object.fromEntries([...samples].map(([profile, list]) => [profile, toCell(list)]))
      ratios[label] = spreadOfPairs(rates("max_speed"), rates("exact"), ratio)
    }
    await Promise.all([exact.stop(), fast.stop()])
  }
  return Object.keys(ratios).length === 0 ? undefined : { cells, ratios }
}

/** Undefined, with a line that says why, where the worker does not know the profile or serves another in its place. */
async function startFast(options: BenchOptions, model: string, socketPath: string): Promise<Worker | undefined> {
  const leaveOut = (reason: string): undefined => void say(`max_speed of ${model} is left out: ${reason}`)
  const worker = await startWorker(options, { model, profile: "max_speed", socketPath }).catch((error: Error) =>
    leaveOut(error.message),
  )
  const report = worker?.card.profile_report
  if (worker === undefined || report === undefined || report.served === "max_speed") return worker
  await worker.stop()
  return leaveOut(`the worker serves ${report.served} in its place: ${report.reason ?? "it does not say why"}`)
}
