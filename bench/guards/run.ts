// What two guards cost on long texts, beside bare forwards; what a growing conversation and short requests beside it cost.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { packageFolder, startWorker } from "../inference/worker.ts"
import { measureBeside } from "./beside.ts"
import { measureConversation } from "./conversation.ts"
import { createProse } from "./prose.ts"
import { guardsReport, type GuardsFigures } from "./report.ts"
import { measureSizes } from "./sizes.ts"

const parts = ["sizes", "conversation", "beside"] as const
/** What the router starts its workers with. */
const profile = "max_speed"

const usage = `usage: node bench/guards/run.ts [options]
  --quick           one short round over short texts
  --rounds N        interleaved rounds (3)
  --seconds N       length of one measurement of short requests (8)
  --threads N       processor threads of worker and bare forward (all cores)
  --only A,B        only these of ${parts.join(",")}
  --cache FOLDER    where results of partial runs go
  --rtr FILE, --rtrun FILE   commands of another checkout or of an installed package`

const options = readOptions(usage, { rounds: 3, seconds: 8 })
const unknown = options.only.find((name) => !parts.some((part) => part === name))
if (unknown !== undefined) {
  process.stderr.write(`--only names "${unknown}"; the parts are ${parts.join(", ")}\n\n${usage}\n`)
  process.exit(2)
}
const wanted = (part: (typeof parts)[number]): boolean => options.only.length === 0 || options.only.includes(part)
const origin = readOrigin({ onnxruntime: installedVersion("onnxruntime-node") })
const prose = createProse(20_260_102)
const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
const worker = await startWorker(options, { model: packageFolder, profile, socketPath: join(folder, "worker.sock") })
let figures: GuardsFigures = {
  threads: options.threads,
  profile,
  precision: worker.card.profile_report?.precision ?? "float32",
}
const words = options.quick ? [100, 1000] : [100, 1000, 4000, 16_000, 50_000]
if (wanted("sizes")) figures = { ...figures, sizes: await measureSizes(options, worker, prose, words) }
if (wanted("beside")) figures = { ...figures, beside: await measureBeside(options, worker, prose) }
await worker.stop()
if (wanted("conversation")) figures = { ...figures, conversation: await measureConversation(options, prose) }
rmSync(folder, { recursive: true, force: true })

const result = { bench: "guards", ...origin, rounds: options.rounds, seconds: options.seconds, figures }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${guardsReport(result)}\n`)
process.exit(0)
