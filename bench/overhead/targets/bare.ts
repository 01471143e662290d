// The bare proxy on h3, srvx and undici.

import { join } from "node:path"
import { local } from "../../_shared/load/address.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import type { BenchOptions } from "../../_shared/options.ts"
import type { Contender } from "../contender.ts"
import { ports } from "../ports.ts"

/** `nodeArgs` go before the script, for profiles. */
export async function startBare(_: BenchOptions, nodeArgs: readonly string[] = []): Promise<Contender> {
  const address = local(ports.bare)
  return {
    name: "bare",
    address,
    path: "/v1/chat/completions",
    headers: {},
    model: "bench",
    upstreamModel: () => "upstream-small",
    server: await startServer({
      name: "the bare proxy",
      command: node,
      args: [
        ...nodeArgs,
        join(import.meta.dirname, "../bare-proxy.ts"),
        String(ports.bare),
        `http://127.0.0.1:${ports.backend}/v1/chat/completions`,
      ],
      address,
    }),
  }
}
