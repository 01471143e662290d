// Hours of mixed load on one worker, with panics if asked, or on the gateway with good and hostile clients, minute by minute.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { resultsFolder } from "../_shared/results.ts"
import { soakGateway } from "./gateway/soak.ts"
import { readSoakOptions } from "./options.ts"
import { soakPanics } from "./panics/soak.ts"
import { soakWorker } from "./worker/soak.ts"

const options = readSoakOptions()
const origin = readOrigin({ onnxruntime: installedVersion("onnxruntime-node") })
const [bench, soak] = options.gateway
  ? (["soak-gateway", soakGateway] as const)
  : options.panics
    ? (["soak-panics", soakPanics] as const)
    : (["soak", soakWorker] as const)
const { figures, table, problems } = await soak(options)
// A run that was only tried does not replace a kept one.
if (options.minutes >= 60 && options.seconds === 60)
  writeFileSync(
    join(resultsFolder, `${bench}.json`),
    `${JSON.stringify({ bench, ...origin, ...options, figures, table }, undefined, 2)}\n`,
  )
process.stdout.write(`${JSON.stringify(figures)}\n${problems.map((problem) => `- ${problem}\n`).join("")}`)
process.exit(problems.length === 0 ? 0 : 1)
