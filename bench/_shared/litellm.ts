// LiteLLM's proxy with one worker.

import { installPython } from "./install.ts"
import { local } from "./load/address.ts"
import { type ServerProcess, startServer } from "./server-process.ts"

export const litellmVersion = "1.106.2"

export interface LitellmOptions {
  readonly cache: string
  /** Path of its configuration. */
  readonly config: string
  readonly port: number
}

export async function startLitellmServer({ cache, config, port }: LitellmOptions): Promise<ServerProcess> {
  const bin = await installPython(cache, "litellm", [`litellm[proxy]==${litellmVersion}`])
  return startServer({
    name: "LiteLLM",
    command: `${bin}/litellm`,
    args: ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"],
    // Without the second it asks the network for a price list before it starts.
    env: { LITELLM_LOG: "ERROR", LITELLM_LOCAL_MODEL_COST_MAP: "True" },
    cwd: cache,
    address: local(port),
  })
}
