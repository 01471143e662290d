// What rtr costs in front of a backend, against the same backend alone, a bare proxy, Portkey and LiteLLM.

import { litellmVersion } from "../_shared/litellm.ts"
import { measureLoad, type Sample, toCell } from "../_shared/load/sample.ts"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { interleave } from "../_shared/rounds.ts"
import { difference, ratio, type Spread, spreadOfPairs } from "../_shared/statistics.ts"
import type { Contender, StartContender } from "./contender.ts"
import { profileContenders } from "./profile.ts"
import { overheadReport } from "./report.ts"
import { checkContender, type Mode, requestsOf } from "./requests.ts"
import { startBare } from "./targets/bare.ts"
import { startDirect } from "./targets/direct.ts"
import { startLitellm } from "./targets/litellm.ts"
import { portkeyVersion, startPortkey } from "./targets/portkey.ts"
import { startOther, startRtr } from "./targets/rtr.ts"

const usage = `usage: node bench/overhead/run.ts [options]
  --quick           one short round
  --rounds N        interleaved rounds (7)
  --seconds N       length of one measurement (3)
  --only A,B        only these of bare,rtr,portkey,litellm,other; direct always runs
  --cache FOLDER    where rivals are installed
  --rtr FILE        bin/rtr.js of another checkout or of an installed package
  --against FILE    bin/rtr.js of one more checkout, measured in the same rounds as "other"
  --profile         instead of measuring, write CPU profiles of rtr and of the bare proxy`

/** The order of a round: what is compared most stands side by side. */
const starters: Readonly<Record<string, StartContender>> = {
  bare: startBare,
  rtr: startRtr,
  other: startOther,
  portkey: startPortkey,
  litellm: startLitellm,
}

interface Load {
  readonly label: string
  readonly mode: Mode
  readonly connections: number
  readonly pauseMs?: number
}

/** At full speed latency is little but the inverse of throughput, so it is also measured with resting clients. */
const loads: readonly Load[] = (["json", "sse"] as const).flatMap((mode) => [
  ...[1, 10, 64].map((connections) => ({ label: `${mode}-c${connections}`, mode, connections })),
  { label: `${mode}-paced`, mode, connections: 10, pauseMs: 25 },
])

const options = readOptions(usage, { rounds: 7, seconds: 3 })
const names = Object.keys(starters).filter((name) =>
  options.only.length > 0 ? options.only.includes(name) : name !== "other" || options.against !== undefined,
)

if (options.profile) await profileContenders(options)
else await measure()
process.exit(0)

async function measure(): Promise<void> {
  const origin = readOrigin({
    h3: installedVersion("h3"),
    srvx: installedVersion("srvx"),
    undici: installedVersion("undici"),
    portkey: portkeyVersion,
    litellm: litellmVersion,
  })
  const contenders: Contender[] = [await startDirect(options)]
  for (const name of names) contenders.push(await (starters[name] as StartContender)(options))
  for (const contender of contenders) {
    await checkContender(contender)
    for (const mode of ["json", "sse"] as const)
      await measureContender(contender, { label: "", mode, connections: 10 }, options.quick ? 1 : 4)
    say(`${contender.name}: every answer is right, warmed up`)
  }

  const cells: Record<string, Record<string, ReturnType<typeof toCell>>> = {}
  const ratios: Record<string, Record<string, Spread>> = {}
  for (const load of loads) {
    const samples = await interleave<Sample>(
      load.label,
      options.rounds,
      contenders.map((contender) => ({
        name: contender.name,
        measure: () => measureContender(contender, load, options.seconds),
      })),
      ({ requestsPerSecond, p50Ms }) => `${requestsPerSecond.toFixed(0)}/s (${p50Ms.toFixed(2)} ms)`,
    )
    cells[load.label] = Object.fromEntries([...samples].map(([name, list]) => [name, toCell(list)]))
    if (samples.has("rtr")) ratios[load.label] = compare(samples)
  }
  const memory = Object.fromEntries(contenders.map(({ name, server }) => [name, Math.round(server.rssMib())]))
  const result = {
    bench: "overhead",
    ...origin,
    rounds: options.rounds,
    seconds: options.seconds,
    figures: { ratios, cells, rssMib: memory },
  }
  say(`Wrote ${writeResult(result, options)}`)
  process.stdout.write(`${overheadReport(result)}\n`)
  await Promise.all(contenders.map(({ server }) => server.stop()))
}

function measureContender(
  contender: Contender,
  { mode, connections, pauseMs = 0 }: Load,
  seconds: number,
): Promise<Sample> {
  return measureLoad(contender.server, {
    address: contender.address,
    connections,
    seconds,
    pauseMs,
    nextRequest: requestsOf(contender, mode),
  })
}

function compare(samples: ReadonlyMap<string, readonly Sample[]>): Record<string, Spread> {
  const pairs = (rival: string, read: (sample: Sample) => number, combine: typeof ratio): Spread =>
    spreadOfPairs((samples.get("rtr") ?? []).map(read), (samples.get(rival) ?? []).map(read), combine)
  const throughput = Object.fromEntries(
    [...samples.keys()]
      .filter((name) => name !== "rtr")
      .map((name) => [`rtrPer${capital(name)}`, pairs(name, (sample) => sample.requestsPerSecond, ratio)]),
  )
  if (!samples.has("bare")) return throughput
  return {
    ...throughput,
    cpuRtrPerBare: pairs("bare", (sample) => sample.cpuMicroseconds, ratio),
    p50RtrMinusBareMs: pairs("bare", (sample) => sample.p50Ms, difference),
    firstByteP50RtrMinusBareMs: pairs("bare", (sample) => sample.firstByteP50Ms, difference),
    firstByteP99RtrMinusBareMs: pairs("bare", (sample) => sample.firstByteP99Ms, difference),
  }
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
