// Portkey's open-source gateway.

import { join } from "node:path"
import { installNpm } from "../../_shared/install.ts"
import { local } from "../../_shared/load/address.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import type { StartContender } from "../contender.ts"
import { ports } from "../ports.ts"

export const portkeyVersion = "1.15.2"

/** With the newest versions that it allows, every stream ends in `TypeError: immutable`; with these it works. */
const overrides = { hono: "4.9.7", "@hono/node-server": "1.13.7" }

export const startPortkey: StartContender = async ({ cache }) => {
  const folder = await installNpm(cache, "portkey", { "@portkey-ai/gateway": portkeyVersion }, overrides)
  const address = local(ports.portkey)
  return {
    name: "portkey",
    address,
    path: "/v1/chat/completions",
    headers: {
      authorization: "Bearer unused",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${ports.backend}/v1`,
    },
    model: "upstream-small",
    upstreamModel: () => "upstream-small",
    server: await startServer({
      name: "Portkey",
      command: node,
      args: [
        join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js"),
        `--port=${ports.portkey}`,
        "--headless",
      ],
      address,
    }),
  }
}
