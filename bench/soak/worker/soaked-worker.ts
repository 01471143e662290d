// The worker that a soak loads, in its own process on a Unix socket.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { repository } from "../../_shared/options.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import { createMixedLoad, models } from "./mixed-load.ts"
import { stateOf, type WorkerState } from "./worker-state.ts"

export interface SoakedWorker {
  readonly address: { readonly path: string }
  state(): Promise<WorkerState>
  stop(): Promise<void>
}

/** Resolves when the worker has answered. */
export async function startSoakedWorker(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<SoakedWorker> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-soak-"))
  const address = { path: join(folder, "worker.sock") }
  const server = await startServer({
    name: "rtrun",
    command: node,
    // The cache is full after the first minutes, so that its filling is no growth.
    args: [
      join(repository, "bin/rtrun.js"),
      "serve",
      ...models,
      "--uds",
      address.path,
      "--log-level",
      "error",
      "--result-cache-entries",
      "1024",
      ...args,
    ],
    address,
    env,
  })
  const state = (): Promise<WorkerState> => stateOf(server.pid, address.path)
  for (;;) {
    const { weightsMib } = await state()
    const answered = await createMixedLoad()({ address, connections: 1, seconds: 0.1 }).catch(() => undefined)
    if (answered !== undefined && weightsMib > 0) break
    await sleep(100)
  }
  return {
    address,
    state,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
