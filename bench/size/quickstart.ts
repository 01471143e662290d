// The quickstart's backends and its router, with the models.

import { join } from "node:path"
import { local } from "../_shared/load/address.ts"
import { type BenchOptions, repository } from "../_shared/options.ts"
import { node, type ServerProcess, startServer } from "../_shared/server-process.ts"

/** Ports of examples/quickstart/config.yaml. */
export const quickstartPort = 8801
const backends = { small: 9101, coder: 9102, expert: 9103, painter: 9104 }

export async function startBackends(): Promise<readonly ServerProcess[]> {
  return Promise.all(
    Object.entries(backends).map(([name, port]) =>
      startServer({
        name: `backend ${name}`,
        command: node,
        args: [join(repository, "examples/quickstart/backend.ts"), name, String(port)],
        address: local(port),
      }),
    ),
  )
}

/** Ready when its listener is open, which is after the models are. */
export function startQuickstart({ rtr, threads }: BenchOptions): Promise<ServerProcess> {
  return startServer({
    name: "rtr with models",
    command: node,
    args: [rtr, "serve", "--config", join(repository, "examples/quickstart/config.yaml"), "--metrics-port", "19013"],
    env: { RTRUN_CPU_THREADS: String(threads) },
    address: local(quickstartPort),
  })
}
