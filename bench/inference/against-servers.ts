// Starts the worker and its rivals beside each other, compares their vectors, measures them, and stops them.

import { join } from "node:path"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { loadEmbeddings, shapes } from "./embeddings-load.ts"
import { startInfinity } from "./infinity.ts"
import type { PythonRivals } from "./python-rivals.ts"
import type { Rival } from "./rival.ts"
import { checkSameAnswers, embedBy } from "./same-answers.ts"
import { measureServed, type ServedFigures } from "./served.ts"
import type { TextMaker } from "./texts.ts"
import { packageFolder, startWorker } from "./worker.ts"

export interface AgainstServersOptions extends BenchOptions {
  readonly python: PythonRivals
  readonly texts: TextMaker
  /** For sockets. */
  readonly folder: string
}

export interface AgainstServers {
  readonly served: ServedFigures
  /** Resident memory of each server after the load. */
  readonly rssMib: Readonly<Record<string, number>>
}

export async function measureAgainstServers(options: AgainstServersOptions): Promise<AgainstServers> {
  const { python, texts, folder } = options
  const worker = await startWorker(options, { model: packageFolder, socketPath: join(folder, "worker.sock") })
  const fastapi = await python.startServer(join(folder, "fastapi.sock"))
  const infinity = Object.fromEntries((await startInfinity(options)).map((rival) => [rival.name, rival]))
  const servers: Readonly<Record<string, Rival>> = { fastapi, ...infinity }
  const embedders = Object.entries(servers).map(([name, { address }]) => [name, embedBy(address)] as const)
  const { loop } = python
  await checkSameAnswers(worker.address, { loop: loop.embed, ...Object.fromEntries(embedders) }, texts)

  say("Warming up")
  const warmUp = { shape: shapes.mixed, connections: 8, seconds: options.quick ? 1 : 3, texts }
  for (const { address } of [worker, ...Object.values(servers)]) await loadEmbeddings({ ...warmUp, address })

  const served = await measureServed({
    ...options,
    worker: worker.address,
    fastapi: fastapi.address,
    infinity: Object.fromEntries(Object.entries(infinity).map(([name, { address }]) => [name, address])),
    loop,
  })
  const all = { worker, ...servers }
  const rssMib = Object.fromEntries(Object.entries(all).map(([name, server]) => [name, Math.round(server.rssMib())]))
  await Promise.all(Object.values(all).map((server) => server.stop()))
  return { served, rssMib }
}
