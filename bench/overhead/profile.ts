// CPU profiles of rtr and of the bare proxy under the same load, and where the time went.

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { markdownTable } from "../_shared/markdown-table.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import type { Contender } from "./contender.ts"
import { type CpuProfile, inspectArguments, profileDuring } from "./cpu-profile.ts"
import { checkContender, type Mode, requestsOf } from "./requests.ts"
import { startBare } from "./targets/bare.ts"
import { startDirect } from "./targets/direct.ts"
import { startRtr } from "./targets/rtr.ts"

const connections = 10

/** Writes `<contender>-<mode>.cpuprofile` files, which browsers' developer tools and editors open, and prints a summary. */
export async function profileContenders(options: BenchOptions): Promise<void> {
  const folder = join(options.cache, "profiles")
  mkdirSync(folder, { recursive: true })
  const backend = await startDirect(options)
  for (const mode of ["json", "sse"] as const) {
    const tables: Profiled[] = []
    for (const start of [startBare, startRtr]) tables.push(await profile(options, start, mode, folder))
    process.stdout.write(`${compare(mode, tables)}\n\n`)
  }
  await backend.server.stop()
}

interface Profiled {
  readonly name: string
  /** Microseconds for one request, by where they were spent. */
  readonly groups: ReadonlyMap<string, number>
  readonly functions: ReadonlyMap<string, number>
}

type Start = (options: BenchOptions, nodeArgs: readonly string[]) => Promise<Contender>

async function profile(options: BenchOptions, start: Start, mode: Mode, folder: string): Promise<Profiled> {
  const contender = await start(options, inspectArguments)
  await checkContender(contender)
  const load = (seconds: number): ReturnType<typeof runLoad> =>
    runLoad({ address: contender.address, connections, seconds, nextRequest: requestsOf(contender, mode) })
  await load(options.quick ? 1 : 4)
  let requests = 0
  const taken = await profileDuring(async () => {
    requests = (await load(options.quick ? 2 : 8)).requests
  })
  const file = join(folder, `${contender.name}-${mode}.cpuprofile`)
  writeFileSync(file, JSON.stringify(taken))
  say(`Wrote ${file}`)
  await contender.server.stop()
  return { name: contender.name, ...summarize(taken, requests) }
}

/** Self time by package and by function. */
function summarize({ nodes, samples, timeDeltas }: CpuProfile, requests: number): Omit<Profiled, "name"> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const groups = new Map<string, number>()
  const functions = new Map<string, number>()
  samples.forEach((id, index) => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === "(idle)") return
    const microseconds = Math.max(0, timeDeltas[index] ?? 0) / requests
    const group = groupOf(frame)
    const at = `${frame.functionName || "(anonymous)"} ${group}${frame.url === "" ? "" : `:${frame.lineNumber + 1}`}`
    groups.set(group, (groups.get(group) ?? 0) + microseconds)
    functions.set(at, (functions.get(at) ?? 0) + microseconds)
  })
  return { groups, functions }
}

function groupOf({ functionName, url }: { readonly functionName: string; readonly url: string }): string {
  if (url.startsWith("node:")) return url.startsWith("node:internal/webstreams") ? "node:webstreams" : shorten(url)
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (inPackage !== undefined) return inPackage
  if (url !== "") return url.replace(/^.*\/(ts|bench|dist)\//, "$1/")
  return functionName.startsWith("(") ? functionName : "built in"
}

const shorten = (url: string): string => url.split("/").slice(0, 2).join("/")

function compare(mode: Mode, profiles: readonly Profiled[]): string {
  const rows = (pick: (profile: Profiled) => ReadonlyMap<string, number>, count: number): readonly string[][] => {
    const names = [...new Set(profiles.flatMap((one) => [...pick(one).keys()]))]
    const cost = (name: string, index: number): number => {
      const found = profiles[index]
      return found === undefined ? 0 : (pick(found).get(name) ?? 0)
    }
    const last = profiles.length - 1
    return names
      .toSorted((a, b) => cost(b, last) - cost(a, last))
      .slice(0, count)
      .map((name) => [cut(name), ...profiles.map((_, index) => cost(name, index).toFixed(1))])
  }
  const head = profiles.map(({ name }) => `${name} µs`)
  return [
    `## ${mode}, ${connections} connections: microseconds of self time for one request`,
    markdownTable(
      ["Where", ...head],
      rows(({ groups }) => groups, 40),
    ),
    markdownTable(
      ["Function", ...head],
      rows(({ functions }) => functions, 50),
    ),
  ].join("\n\n")
}

/** Names of regular expressions are their sources; a bar would end the table's cell. */
const cut = (name: string): string => name.replaceAll("|", "¦").slice(0, 80)
