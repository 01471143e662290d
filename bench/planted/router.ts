// A real `rtr serve` with its worker in front of a backend that counts what it gets.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../_shared/free-ports.ts"
import { local } from "../_shared/load/address.ts"
import { node, startServer } from "../_shared/server-process.ts"
import { jsonReply } from "../overhead/backend-replies.ts"
import { judge, type Outcome } from "./outcome.ts"
import type { Message } from "./shapes.ts"

export interface GuardedRouter {
  /** Sends a request and judges it. */
  ask(messages: readonly Message[]): Promise<Outcome>
  /** Requests that the backend got. */
  received(): number
  stop(): Promise<void>
}

export async function startGuardedRouter({
  rtr,
  threads,
}: {
  readonly rtr: string
  readonly threads: number
}): Promise<GuardedRouter> {
  let received = 0
  const backend = createServer((request, response) => {
    received++
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": jsonReply.length })
      response.end(jsonReply)
    })
  })
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve))
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const [port = 0, managementPort = 0, metricsPort = 0] = await freePorts(3)
  const config = join(folder, "router.json")
  writeFileSync(config, JSON.stringify(documentOf(port, managementPort, (backend.address() as AddressInfo).port)))
  const router = await startServer({
    name: "rtr",
    command: node,
    args: [rtr, "serve", "--config", config, "--metrics-port", String(metricsPort)],
    env: { RTRUN_DIR: folder, RTRUN_CPU_THREADS: String(threads) },
    address: local(port),
  })
  return {
    async ask(messages) {
      const before = received
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "MoM", messages }),
      })
      await response.text()
      return judge({
        status: response.status,
        checks: response.headers.get("x-security-checks"),
        unscanned: response.headers.get("x-rtr-unscanned"),
        reachedBackend: received > before,
      })
    },
    received: () => received,
    async stop() {
      await router.stop()
      backend.closeAllConnections()
      backend.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The guard as it is without settings, and one decision that answers what it finds. */
const documentOf = (port: number, managementPort: number, backendPort: number): object => ({
  version: "v0.3",
  listeners: [{ name: "bench", address: "127.0.0.1", port, models: ["MoM"] }],
  providers: {
    defaults: { model: "small" },
    models: [{ name: "small", backend_refs: [{ base_url: `http://127.0.0.1:${backendPort}/v1` }] }],
  },
  global: { services: { management_api: { port: managementPort } } },
  routing: {
    signals: { jailbreak: [{ name: "attack" }] },
    decisions: [
      {
        name: "guard",
        rules: { type: "jailbreak", name: "attack" },
        plugins: [{ type: "fast_response", configuration: { message: "No." } }],
      },
    ],
  },
})
