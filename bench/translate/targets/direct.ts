// The mock backend itself, asked in its own protocol: the ceiling that client, backend and machine allow.

import { join } from "node:path"
import { local } from "../../_shared/load/address.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import type { StartContender } from "../contender.ts"
import { ports } from "../ports.ts"

export const startDirect: StartContender = async () => {
  const address = local(ports.backend)
  return {
    name: "direct",
    address,
    headers: {},
    models: { chat: "upstream", messages: "upstream" },
    isDirect: true,
    server: await startServer({
      name: "the mock backend",
      command: node,
      args: [join(import.meta.dirname, "../backend.ts"), String(ports.backend)],
      address,
    }),
  }
}
