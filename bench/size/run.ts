// Bytes, start-up times and memory.

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { packageFolder } from "../inference/worker.ts"
import { litellmVersion } from "../_shared/litellm.ts"
import { portkeyVersion } from "../overhead/targets/portkey.ts"
import { measureBundle } from "./bundle.ts"
import { measureMemory } from "./memory.ts"
import { sizeReport, type SizeFigures } from "./report.ts"
import { measureStartUp } from "./start-up.ts"

const usage = `usage: node bench/size/run.ts [options]
  --quick           one short round
  --rounds N        interleaved starts (7)
  --seconds N       length of the load before memory is read again (10)
  --only A,B        only these of bundle,startup,memory
  --threads N       processor threads of the worker (all cores)
  --cache FOLDER    where rivals are installed
  --rtr FILE        bin/rtr.js of another checkout or of an installed package`

const options = readOptions(usage, { rounds: 7, seconds: 10 })
const wanted = (part: string): boolean => options.only.length === 0 || options.only.includes(part)
const origin = readOrigin({
  rolldown: installedVersion("rolldown"),
  portkey: portkeyVersion,
  litellm: litellmVersion,
})

const settings = join(packageFolder, "rtrun.json")
const hasModels = existsSync(settings) && readFileSync(settings, "utf8").includes('"domain"')
if (!hasModels) say('What needs models is left out: the package has no head "domain"')

const figures: SizeFigures = {
  ...(wanted("bundle") && { bundle: await measureBundle() }),
  ...(wanted("startup") && { startUp: await measureStartUp(options, hasModels) }),
  ...(wanted("memory") && { memory: await measureMemory(options, hasModels) }),
}
const result = { bench: "size", ...origin, rounds: options.rounds, seconds: options.seconds, figures }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${sizeReport(result)}\n`)
process.exit(0)
