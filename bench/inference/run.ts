// The worker against ONNX Runtime in Python, and a routed request against one forward.

import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { fastapiVersion, onnxRuntimeVersion, startPython, uvicornVersion } from "./python-rivals.ts"
import { inferenceReport, type InferenceFigures } from "./report.ts"
import { measureRouted } from "./routed.ts"
import { checkSameAnswers } from "./same-answers.ts"
import { measureServed } from "./served.ts"
import { createTextMaker } from "./texts.ts"
import { packageFolder, startWorker } from "./worker.ts"

const usage = `usage: node bench/inference/run.ts [options]
  --quick           one short round
  --rounds N        interleaved rounds (5)
  --seconds N       length of one measurement (4)
  --threads N       processor threads of every runtime (all cores)
  --only A,B        only these of served,routed
  --cache FOLDER    where rivals are installed
  --rtr FILE, --rtrun FILE   commands of another checkout or of an installed package`

const options = readOptions(usage, { rounds: 5, seconds: 4 })
const wanted = (part: string): boolean => options.only.length === 0 || options.only.includes(part)
const origin = readOrigin({
  "onnxruntime (both sides)": onnxRuntimeVersion,
  fastapi: fastapiVersion,
  uvicorn: uvicornVersion,
})
if (!existsSync(packageFolder)) throw new Error(`There is no package ${packageFolder}`)

const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
const workerSocket = join(folder, "worker.sock")
const serverSocket = join(folder, "fastapi.sock")
const worker = await startWorker(options, workerSocket)
const { loop, startServer } = await startPython(options, {
  package: packageFolder,
  maxTokens: worker.card.limits.truncate_tokens,
})
const fastapi = await startServer(serverSocket)
const texts = createTextMaker(packageFolder, 20_260_101)
await checkSameAnswers(workerSocket, serverSocket, loop, texts)

const served = wanted("served")
  ? await measureServed({
      worker: worker.address,
      fastapi: fastapi.address,
      loop,
      texts,
      rounds: options.rounds,
      seconds: options.seconds,
    })
  : undefined
const memory = { worker: Math.round(worker.rssMib()), fastapi: Math.round(fastapi.rssMib()) }
await Promise.all([worker.stop(), fastapi.stop()])
rmSync(folder, { recursive: true, force: true })

const readsSubjects = worker.card.heads.some(({ name }) => name === "domain")
if (!readsSubjects) say('Routed requests are left out: the package has no head "domain"')
const routed = wanted("routed") && readsSubjects ? await measureRouted(options, loop, texts) : undefined
loop.close()

const figures: InferenceFigures = {
  threads: options.threads,
  rssMib: memory,
  ...(served !== undefined && { served }),
  ...(routed !== undefined && { routed }),
}
const result = { bench: "inference", ...origin, rounds: options.rounds, seconds: options.seconds, figures }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${inferenceReport(result)}\n`)
process.exit(0)
