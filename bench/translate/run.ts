// What a translation between two protocols costs in rtr, against LiteLLM and against a client that speaks the backend's own protocol.

import { litellmVersion } from "../_shared/litellm.ts"
import { type Cell, measureLoad, type Sample, toCell } from "../_shared/load/sample.ts"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOfPairs } from "../_shared/statistics.ts"
import type { Contender, StartContender } from "./contender.ts"
import { translateReport } from "./report.ts"
import { checkContender, requestOf, type Way } from "./requests.ts"
import { startDirect } from "./targets/direct.ts"
import { startLitellm } from "./targets/litellm.ts"
import { startRtr } from "./targets/rtr.ts"

const usage = `usage: node bench/translate/run.ts [options]
  --quick           one short round
  --rounds N        interleaved rounds (7)
  --seconds N       length of one measurement (3)
  --only A,B        only these of rtr,litellm; direct always runs
  --cache FOLDER    where rivals are installed
  --rtr FILE        bin/rtr.js of another checkout or of an installed package`

const starters: Readonly<Record<string, StartContender>> = { rtr: startRtr, litellm: startLitellm }
const connections = 10

const ways: readonly Way[] = (["json", "sse"] as const).flatMap((mode) => [
  { client: "chat", backend: "messages", mode },
  { client: "messages", backend: "chat", mode },
])
const labelOf = ({ client, backend, mode }: Way): string => `${client}-to-${backend}-${mode}`

const options = readOptions(usage, { rounds: 7, seconds: 3 })
const contenders: Contender[] = [await startDirect(options)]
for (const [name, start] of Object.entries(starters))
  if (options.only.length === 0 || options.only.includes(name)) contenders.push(await start(options))
for (const contender of contenders) {
  for (const way of ways) {
    await checkContender(contender, way)
    await measure(contender, way, options.quick ? 1 : 4)
  }
  say(`${contender.name}: every answer is right, warmed up`)
}

const cells: Record<string, Readonly<Record<string, Cell>>> = {}
const ratios: Record<string, Readonly<Record<string, Spread>>> = {}
for (const way of ways) {
  const label = labelOf(way)
  const samples = await interleave<Sample>(
    label,
    options.rounds,
    contenders.map((contender) => ({
      name: contender.name,
      measure: () => measure(contender, way, options.seconds),
    })),
    ({ requestsPerSecond, firstByteP50Ms }) => `${requestsPerSecond.toFixed(0)}/s (${firstByteP50Ms.toFixed(2)} ms)`,
  )
  cells[label] = Object.fromEntries([...samples].map(([name, list]) => [name, toCell(list)]))
  ratios[label] = compare(samples)
}
const origin = readOrigin({ undici: installedVersion("undici"), litellm: litellmVersion })
const { rounds, seconds } = options
const result = { bench: "translate", ...origin, rounds, seconds, figures: { ratios, cells } }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${translateReport(result)}\n`)
await Promise.all(contenders.map(({ server }) => server.stop()))
process.exit(0)

function measure({ server, ...contender }: Contender, way: Way, forSeconds: number): Promise<Sample> {
  const prepared = requestOf({ server, ...contender }, way)
  const { address } = contender
  return measureLoad(server, { address, connections, seconds: forSeconds, nextRequest: () => prepared })
}

/** Of rates, and of the time to the first byte of the body, which in a stream is the first event. */
function compare(samples: ReadonlyMap<string, readonly Sample[]>): Readonly<Record<string, Spread>> {
  const pairs = (rival: string, read: (sample: Sample) => number): Spread =>
    spreadOfPairs((samples.get("rtr") ?? []).map(read), (samples.get(rival) ?? []).map(read), ratio)
  const rate = (sample: Sample): number => sample.requestsPerSecond
  return {
    ...(samples.has("rtr") && { rtrPerDirect: pairs("direct", rate) }),
    ...(samples.has("rtr") &&
      samples.has("litellm") && {
        rtrPerLitellm: pairs("litellm", rate),
        firstEventP50RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP50Ms),
        firstEventP90RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP90Ms),
        firstEventP99RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP99Ms),
      }),
  }
}
