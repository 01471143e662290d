// LiteLLM's proxy with one worker.

import { join } from "node:path"
import { installPython } from "../../_shared/install.ts"
import { local } from "../../_shared/load/address.ts"
import { startServer } from "../../_shared/server-process.ts"
import type { StartContender } from "../contender.ts"
import { ports } from "../ports.ts"

export const litellmVersion = "1.106.2"

export const startLitellm: StartContender = async ({ cache }) => {
  const bin = await installPython(cache, "litellm", [`litellm[proxy]==${litellmVersion}`])
  const address = local(ports.litellm)
  return {
    name: "litellm",
    address,
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer sk-bench" },
    model: "bench",
    upstreamModel: () => "upstream-small",
    server: await startServer({
      name: "LiteLLM",
      command: join(bin, "litellm"),
      args: [
        "--config",
        join(import.meta.dirname, "../litellm.yaml"),
        "--host",
        "127.0.0.1",
        "--port",
        String(ports.litellm),
        "--num_workers",
        "1",
      ],
      // Without the second it asks the network for a price list before it starts.
      env: { LITELLM_LOG: "ERROR", LITELLM_LOCAL_MODEL_COST_MAP: "True" },
      cwd: cache,
      address,
    }),
  }
}
