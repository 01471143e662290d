// rtr, started as a user starts it.

import { join } from "node:path"
import { local } from "../../_shared/load/address.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import type { StartContender } from "../contender.ts"
import { ports } from "../ports.ts"

export const startRtr: StartContender = async ({ rtr }) => {
  const address = local(ports.router)
  const config = join(import.meta.dirname, "../router.yaml")
  return {
    name: "rtr",
    address,
    headers: {},
    models: { chat: "on-chat", messages: "on-messages" },
    server: await startServer({
      name: "rtr",
      command: node,
      args: [rtr, "serve", "--config", config, "--metrics-port", String(ports.routerMetrics)],
      address,
    }),
  }
}
