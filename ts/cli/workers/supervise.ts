// Starts the workers that a configuration needs, and offers them as one inference.

import { statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type DeploymentStatus, type Inference, type Metrics, RtrError } from "rtr"
import {
  builtinPackageNames,
  createRemoteInference,
  createNodeTransport,
  findBuiltinPackage,
  type NeededDeployment,
} from "rtr/node"
import { AttachedWorker } from "./attached-worker.ts"
import { type Environment, readyTimeoutMs, socketFolder } from "./environment.ts"
import { ManagedProcess } from "./managed-process.ts"

const readyPollMs = 50

export interface SuperviseOptions {
  readonly deployments: readonly NeededDeployment[]
  readonly metrics: Metrics
  readonly environment: Environment
}

export interface Workers {
  readonly inference: Inference
  /** Resolves when every deployment is ready. Rejects when one has failed for good or the time is up. */
  whenReady(): Promise<void>
}

/** Starts what the deployments need and attaches to what the operator runs. */
export function superviseWorkers(options: SuperviseOptions): Workers {
  const { deployments, metrics, environment } = options
  checkArtifacts(deployments)
  const transport = createNodeTransport()
  const folder = socketFolder(environment)
  const managed = [
    ...Map.groupBy(
      deployments.filter(({ endpoint }) => endpoint === undefined),
      processOf,
    ),
  ].map(
    ([name, members]) => new ManagedProcess(name, members, { folder: folder.path, transport, metrics, environment }),
  )
  const attached = deployments
    .filter(({ endpoint }) => endpoint !== undefined)
    .map((deployment) => new AttachedWorker(deployment, transport, metrics))
  const workers = [...managed, ...attached]
  const status = (): readonly DeploymentStatus[] => workers.flatMap((worker) => worker.status())

  const inference = createRemoteInference({
    deployments: workers.flatMap((worker) => worker.remoteDeployments()),
    transport,
    metrics,
    status,
    async onClose() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await transport.close()
      folder.remove()
    },
  })
  return { inference, whenReady: () => waitUntilReady(status, readyTimeoutMs(environment)) }
}

/** What would otherwise only show in a worker's log, again and again. A name that no package has is refused before. */
function checkArtifacts(deployments: readonly NeededDeployment[]): void {
  for (const { name, artifact } of deployments) {
    if (artifact === undefined || findBuiltinPackage(artifact) !== undefined) continue
    if (statSync(artifact, { throwIfNoEntry: false })?.isDirectory() === true) continue
    throw new RtrError(
      "invalid_config",
      `Cannot start model deployment "${name}" with artifact "${artifact}": there is no such folder; name one, or a built-in package (${builtinPackageNames().join(", ")})`,
      { path: ["global", "model_catalog", "deployments", name, "artifact"] },
    )
  }
}

async function waitUntilReady(status: () => readonly DeploymentStatus[], timeoutMs: number): Promise<void> {
  const until = Date.now() + timeoutMs
  for (;;) {
    const deployments = status()
    if (deployments.every(({ ready }) => ready)) return
    const failed = deployments.find(({ state }) => state === "failed")
    if (failed !== undefined)
      throw new RtrError(
        "unavailable",
        `Cannot load model deployment "${failed.name}" (${failed.artifact}): ${failed.reason ?? "it failed"}`,
      )
    if (Date.now() > until)
      throw new RtrError(
        "unavailable",
        `Model deployments are not ready after ${timeoutMs / 1000} s: ${deployments
          .filter(({ ready }) => !ready)
          .map(({ name, state, reason }) => `${name} is ${state}${reason === undefined ? "" : ` (${reason})`}`)
          .join(", ")}`,
      )
    await sleep(readyPollMs)
  }
}

const processOf = (deployment: NeededDeployment): string => deployment.process ?? deployment.name
