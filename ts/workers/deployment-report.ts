// Metrics and log events of deployments. Leases may use one name for different workers; the newest lease is reported.

import type { DeploymentStatus, Gauge, Metrics } from "../kernel/index.ts"
import type { OpenLease } from "./lease.ts"
import type { WorkerLog } from "./log.ts"

export interface DeploymentReport {
  /** Sets the gauges and logs what has failed since the last call. Leases come in the order in which they were opened. */
  update(leases: Iterable<OpenLease>): void
}

export function createDeploymentReport(metrics: Metrics, log: WorkerLog): DeploymentReport {
  const gauges = new Map<string, Gauge>()
  let before: ReadonlyMap<string, DeploymentStatus> = new Map()
  const gaugeOf = (deployment: string): Gauge => {
    let gauge = gauges.get(deployment)
    if (gauge === undefined) gauges.set(deployment, (gauge = metrics.gauge("rtr_model_runtime_ready", { deployment })))
    return gauge
  }
  return {
    update(leases) {
      const now = new Map([...leases].flatMap(({ inference }) => inference.status().map((each) => [each.name, each])))
      for (const name of before.keys()) if (!now.has(name)) gaugeOf(name).set(0)
      for (const [name, status] of now) {
        gaugeOf(name).set(status.ready ? 1 : 0)
        if (isNewFailure(status, before.get(name)))
          log("error", "model_deployment_failed", { deployment: name, reason: status.reason })
      }
      before = now
    },
  }
}

/** Before a managed deployment was ready, `ready()` rejects with its failure; a log line would repeat it. */
function isNewFailure(status: DeploymentStatus, before: DeploymentStatus | undefined): boolean {
  if (status.state !== "failed" || (before?.state === "failed" && before.reason === status.reason)) return false
  return status.process === "attached" || before?.ready === true
}
