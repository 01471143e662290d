// LiteLLM's proxy with one worker.

import { join } from "node:path"
import { startLitellmServer } from "../../_shared/litellm.ts"
import { local } from "../../_shared/load/address.ts"
import type { StartContender } from "../contender.ts"
import { ports } from "../ports.ts"

export const startLitellm: StartContender = async ({ cache }) => ({
  name: "litellm",
  address: local(ports.litellm),
  path: "/v1/chat/completions",
  headers: { authorization: "Bearer sk-bench" },
  model: "bench",
  upstreamModel: () => "upstream-small",
  server: await startLitellmServer({
    cache,
    config: join(import.meta.dirname, "../litellm.yaml"),
    port: ports.litellm,
  }),
})
