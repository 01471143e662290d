// A worker that the operator runs; it is only asked, never started or stopped.

import { setTimeout as sleep } from "node:timers/promises"
import type { DeploymentStatus, Metrics, Transport } from "rtr"
import type { NeededDeployment, RemoteDeployment } from "rtr/node"
import { logEvent } from "../print.ts"
import { readServedHeads, withFit } from "./served-heads.ts"
import { type Health, readHealth, remoteInput } from "./health.ts"

const readyPollMs = 5000
const waitingPollMs = 500

export class AttachedWorker {
  readonly #deployment: NeededDeployment
  readonly #remote: RemoteDeployment
  #health: Health | undefined
  #stopped = false

  constructor(deployment: NeededDeployment, transport: Transport, metrics: Metrics) {
    this.#deployment = deployment
    const endpoint = deployment.endpoint ?? ""
    const address = endpoint.startsWith("unix://")
      ? { origin: "http://localhost", socketPath: endpoint.slice("unix://".length) }
      : { origin: endpoint.replace(/\/+$/, "") }
    this.#remote = {
      ...remoteInput(deployment),
      ...address,
      name: deployment.name,
      servedName: deployment.served_name ?? deployment.name,
    }
    void this.#watch(transport, metrics)
  }

  remoteDeployments(): readonly RemoteDeployment[] {
    return [this.#remote]
  }

  status(): readonly DeploymentStatus[] {
    const model = this.#health?.models.get(this.#remote.servedName)
    const state = model?.status ?? "starting"
    return [
      {
        name: this.#deployment.name,
        artifact: this.#deployment.endpoint ?? "",
        process: "attached",
        state,
        ready: state === "ready",
        restarts: 0,
        ...(model?.reason !== undefined && { reason: model.reason }),
      },
    ]
  }

  async stop(): Promise<void> {
    this.#stopped = true
  }

  #setHealth(health: Health | undefined): void {
    const { servedName } = this.#remote
    const [before, now] = [this.#health?.models.get(servedName), health?.models.get(servedName)]
    this.#health = health
    if (now?.status === "failed" && now.reason !== before?.reason)
      logEvent("error", "model_deployment_failed", { deployment: this.#deployment.name, reason: now.reason })
  }

  async #watch(transport: Transport, metrics: Metrics): Promise<void> {
    while (!this.#stopped) {
      const served = { ...this.#deployment, servedName: this.#remote.servedName }
      this.#setHealth(
        await withFit(await readHealth(transport, this.#remote), [served], () =>
          readServedHeads(transport, this.#remote),
        ),
      )
      const ready = this.#health?.models.get(this.#remote.servedName)?.status === "ready"
      metrics.gauge("rtr_model_runtime_ready", { deployment: this.#deployment.name }).set(ready ? 1 : 0)
      await sleep(ready ? readyPollMs : waitingPollMs, undefined, { ref: false })
    }
  }
}
