// The worker against other servers and against bare forwards, what requests that ask for more cost, and a routed request.

import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { measureAgainstServers } from "./against-servers.ts"
import { measureCrowded } from "./crowded.ts"
import { measureHeads } from "./heads.ts"
import { infinityVersion, torchVersion } from "./infinity.ts"
import { measureProfiles } from "./profiles.ts"
import { fastapiVersion, onnxRuntimeVersion, startPython, uvicornVersion } from "./python-rivals.ts"
import { measureQuestions } from "./questions.ts"
import { inferenceReport, type InferenceFigures } from "./report.ts"
import { measureRouted } from "./routed.ts"
import { createTextMaker } from "./texts.ts"
import { packageFolder } from "./worker.ts"

const parts = ["served", "heads", "questions", "profiles", "crowded", "routed"] as const

const usage = `usage: node bench/inference/run.ts [options]
  --quick           one short round
  --rounds N        interleaved rounds (4)
  --seconds N       length of one measurement (3)
  --threads N       processor threads of every runtime (all cores)
  --only A,B        only these of ${parts.join(",")}
  --cache FOLDER    where rivals are installed and packages made
  --rtr FILE, --rtrun FILE   commands of another checkout or of an installed package`

const options = readOptions(usage, { rounds: 4, seconds: 3 })
const unknown = options.only.find((name) => !parts.some((part) => part === name))
if (unknown !== undefined) {
  process.stderr.write(`--only names "${unknown}"; the parts are ${parts.join(", ")}\n\n${usage}\n`)
  process.exit(2)
}
const wanted = (part: (typeof parts)[number]): boolean => options.only.length === 0 || options.only.includes(part)
const origin = readOrigin({
  "onnxruntime (all)": onnxRuntimeVersion,
  fastapi: fastapiVersion,
  uvicorn: uvicornVersion,
  "infinity-emb": infinityVersion,
  torch: torchVersion,
})
if (!existsSync(packageFolder)) throw new Error(`There is no package ${packageFolder}`)

const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
const texts = createTextMaker(packageFolder, 20_260_101)
let figures: InferenceFigures = { threads: options.threads }
if (wanted("served") || wanted("routed")) {
  const python = await startPython(options, packageFolder)
  if (wanted("served"))
    figures = { ...figures, ...(await measureAgainstServers({ ...options, python, texts, folder })) }
  if (wanted("routed")) figures = { ...figures, routed: await measureRouted(options, python.loop, texts) }
  python.loop.close()
}
if (wanted("heads")) figures = { ...figures, heads: await measureHeads(options, texts, folder) }
if (wanted("questions")) figures = { ...figures, questions: await measureQuestions(options, texts, folder) }
if (wanted("profiles")) figures = { ...figures, profiles: await measureProfiles(options, texts, folder) }
if (wanted("crowded")) figures = { ...figures, crowded: await measureCrowded(options, texts, folder) }
rmSync(folder, { recursive: true, force: true })

const result = { bench: "inference", ...origin, rounds: options.rounds, seconds: options.seconds, figures }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${inferenceReport(result)}\n`)
process.exit(0)
