// What a translation between two protocols costs in rtr, against LiteLLM, against the backend alone, and against rtr itself between a
// client and a backend of one protocol ("same").

import { litellmVersion } from "../_shared/litellm.ts"
import { type Cell, measureLoad, type Sample, toCell } from "../_shared/load/sample.ts"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { interleave } from "../_shared/rounds.ts"
import { difference, ratio, type Spread, spreadOfPairs } from "../_shared/statistics.ts"
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

interface Load {
  readonly label: string
  readonly way: Way
  readonly connections: number
}

const ways: readonly Way[] = (["json", "sse"] as const).flatMap((mode) => [
  { client: "chat", backend: "messages", mode },
  { client: "messages", backend: "chat", mode },
])
/** With one connection nothing waits for another request, so the first event tells what a request itself takes. */
const loads: readonly Load[] = ways.flatMap((way) =>
  (way.mode === "sse" ? [1, 10] : [10]).map((connections) => ({
    label: `${way.client}-to-${way.backend}-${way.mode}-c${connections}`,
    way,
    connections,
  })),
)

const options = readOptions(usage, { rounds: 7, seconds: 3 })
const contenders: Contender[] = [await startDirect(options)]
for (const [name, start] of Object.entries(starters))
  if (options.only.length === 0 || options.only.includes(name)) contenders.push(await start(options))
const rtr = contenders.find(({ name }) => name === "rtr")
if (rtr !== undefined) contenders.push({ ...rtr, name: "same", isSame: true })
for (const contender of contenders) {
  for (const way of ways) {
    await checkContender(contender, way)
    await measure(contender, { way, connections: 10 }, options.quick ? 1 : 4)
  }
  say(`${contender.name}: every answer is right, warmed up`)
}

const cells: Record<string, Readonly<Record<string, Cell>>> = {}
const ratios: Record<string, Readonly<Record<string, Spread>>> = {}
for (const load of loads) {
  const { label } = load
  const samples = await interleave<Sample>(
    label,
    options.rounds,
    contenders.map((contender) => ({
      name: contender.name,
      measure: () => measure(contender, load, options.seconds),
    })),
    ({ requestsPerSecond, firstByteP50Ms }) => `${requestsPerSecond.toFixed(0)}/s (${firstByteP50Ms.toFixed(2)} ms)`,
  )
  cells[label] = Object.fromEntries([...samples].map(([name, list]) => [name, toCell(list)]))
  ratios[label] = compare(samples)
}
const origin = readOrigin({ undici: installedVersion("undici"), litellm: litellmVersion })
const { rounds } = options
const result = { bench: "translate", ...origin, rounds, seconds: options.seconds, figures: { ratios, cells } }
say(`Wrote ${writeResult(result, options)}`)
process.stdout.write(`${translateReport(result)}\n`)
await Promise.all(contenders.map(({ server }) => server.stop()))
process.exit(0)

function measure(contender: Contender, { way, connections }: Omit<Load, "label">, seconds: number): Promise<Sample> {
  const { server, address } = contender
  const prepared = requestOf(contender, way)
  return measureLoad(server, { address, connections, seconds, nextRequest: () => prepared })
}

/** Of rates, and of the time to the first byte of the body, which in a stream is the first event. */
function compare(samples: ReadonlyMap<string, readonly Sample[]>): Readonly<Record<string, Spread>> {
  const pairs = (rival: string, read: (sample: Sample) => number, combine = ratio): Spread =>
    spreadOfPairs((samples.get("rtr") ?? []).map(read), (samples.get(rival) ?? []).map(read), combine)
  const rate = (sample: Sample): number => sample.requestsPerSecond
  return {
    ...(samples.has("rtr") && {
      rtrPerDirect: pairs("direct", rate),
      rtrPerSame: pairs("same", rate),
      firstEventP50RtrMinusDirectMs: pairs("direct", (sample) => sample.firstByteP50Ms, difference),
      firstEventP50RtrMinusSameMs: pairs("same", (sample) => sample.firstByteP50Ms, difference),
    }),
    ...(samples.has("rtr") &&
      samples.has("litellm") && {
        rtrPerLitellm: pairs("litellm", rate),
        firstEventP50RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP50Ms),
        firstEventP90RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP90Ms),
        firstEventP99RtrPerLitellm: pairs("litellm", (sample) => sample.firstByteP99Ms),
      }),
  }
}
