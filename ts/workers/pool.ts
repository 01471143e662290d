// The workers of this process: leases share those that are alike, and a worker that no lease uses is stopped.

import { type Metrics, RtrError } from "../kernel/index.ts"
import { createNodeTransport, type Environment, type NeededDeployment } from "../kernel/runtime/node.ts"
import { locateArtifacts } from "./artifacts.ts"
import { AttachedWorker } from "./attached-worker.ts"
import { type RuntimeProfile, withProfile } from "./default-profile.ts"
import { createDeploymentReport } from "./deployment-report.ts"
import { readyTimeoutMs, threadsOf } from "./environment.ts"
import { type InferenceLease, type OpenLease, openLease, servedNameOf } from "./lease.ts"
import type { WorkerLog } from "./log.ts"
import { ManagedProcess } from "./managed-process.ts"
import { type NeededWorker, neededWorkers } from "./needed-workers.ts"
import { createSharedWorkers } from "./shared-workers.ts"
import { openSocketFolder, type SocketFolder } from "./socket-folder.ts"
import type { Worker } from "./worker.ts"

export interface WorkerPool {
  /**
   * Starts what these deployments need, or shares what runs already. Throws an `RtrError`, and leaves nothing behind, for an
   * artifact that is not there, a wrong setting of the environment, and after `close`. Relative artifacts start at the folder of
   * `source`, the path of the document; without it at the working directory.
   */
  open(deployments: readonly NeededDeployment[], source?: string): InferenceLease
  /** Releases all leases. Resolves when no process is left and the folder of their sockets is removed. */
  close(): Promise<void>
}

export interface WorkerPoolOptions {
  readonly metrics: Metrics
  readonly environment: Environment
  /** Of deployments that name none; left out, it is that of their package. */
  readonly profile?: RuntimeProfile | undefined
  /** Receives an event when a process ends, hangs or is killed, and when a deployment fails. */
  readonly log?: WorkerLog
}

/** One pool serves all configurations that a process activates. It starts nothing before the first lease. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { metrics, environment, profile, log = () => {} } = options
  const workers = createSharedWorkers()
  const leases = new Set<OpenLease>()
  const report = createDeploymentReport(metrics, log)
  const transport = createNodeTransport()
  let folder: SocketFolder | undefined
  let serial = 0
  let closing: Promise<void> | undefined

  const changed = (): void => {
    for (const lease of leases) lease.refresh()
    report.update(leases)
  }

  function start({ process, members }: NeededWorker): Worker {
    const [first] = members
    if (first?.endpoint !== undefined)
      return new AttachedWorker(first.endpoint, servedNameOf(first), { transport, log, changed })
    const threads = threadsOf(environment)
    folder ??= openSocketFolder(environment, log)
    serial += 1
    return new ManagedProcess(process, members, {
      folder: folder.path,
      serial,
      threads,
      environment,
      metrics,
      log,
      changed,
    })
  }

  return {
    open(asked, source) {
      if (closing !== undefined) throw new RtrError("unavailable", "Cannot start model workers: their pool is closed")
      const deployments = locateArtifacts(asked, source).map((deployment) => withProfile(deployment, profile))
      const timeoutMs = readyTimeoutMs(environment)
      const needed = neededWorkers(deployments)
      const taken = workers.takeAll(needed, start)
      const lease = openLease({
        deployments: deployments.map((deployment) => ({
          deployment,
          worker: taken[needed.findIndex(({ members }) => members.includes(deployment))] as Worker,
        })),
        metrics,
        readyTimeoutMs: timeoutMs,
        async onRelease() {
          leases.delete(lease)
          report.update(leases)
          await workers.giveBack(needed)
        },
      })
      leases.add(lease)
      report.update(leases)
      return lease
    },
    close() {
      closing ??= (async () => {
        await Promise.all([...leases].map((lease) => lease.release()))
        await workers.allStopped()
        await transport.close()
        folder?.remove()
      })()
      return closing
    },
  }
}
