// The workers of one configuration as one inference.

import { setTimeout as sleep } from "node:timers/promises"
import { type DeploymentStatus, type Inference, type Metrics, RtrError } from "../kernel/index.ts"
import {
  createRemoteInference,
  createNodeTransport,
  type NeededDeployment,
  type RemoteDeployment,
} from "../kernel/runtime/node.ts"
import { withBoundHeads } from "./served-heads.ts"
import type { Worker } from "./worker.ts"

export interface InferenceLease {
  /** Answers for the deployments of this lease. Closing it releases the lease. */
  readonly inference: Inference
  /**
   * Resolves when every deployment is ready. Rejects with an `RtrError` when one has failed for good, the time of
   * `RTRUN_READY_TIMEOUT` is up or the lease is released, and with the signal's reason when it aborts. The lease stays open.
   */
  ready(signal?: AbortSignal): Promise<void>
  /** Resolves when the workers that only this lease used have stopped. Call it when no request uses the lease any more. */
  release(): Promise<void>
}

/** A lease as its pool sees it. */
export interface OpenLease extends InferenceLease {
  /** Computes the status again after a worker has changed; each call of a model reads the kept one. */
  refresh(): void
}

export interface LeasedDeployment {
  readonly deployment: NeededDeployment
  readonly worker: Worker
}

export interface LeaseOptions {
  readonly deployments: readonly LeasedDeployment[]
  readonly metrics: Metrics
  readonly readyTimeoutMs: number
  readonly onRelease: () => Promise<void>
}

const readyPollMs = 50

export function openLease({ deployments, metrics, readyTimeoutMs, onRelease }: LeaseOptions): OpenLease {
  const transport = createNodeTransport()
  let released: Promise<void> | undefined
  const release = (): Promise<void> => {
    released ??= onRelease().finally(() => transport.close())
    return released
  }
  let status = deployments.map(statusOf)
  return {
    inference: createRemoteInference({
      deployments: deployments.map(toRemote),
      transport,
      metrics,
      status: () => status,
      onClose: release,
    }),
    refresh() {
      status = deployments.map(statusOf)
    },
    async ready(signal) {
      const until = Date.now() + readyTimeoutMs
      while (!isReady(status, until, readyTimeoutMs)) {
        // An abort ends the wait; the next line rejects with its reason.
        await sleep(readyPollMs, undefined, signal === undefined ? {} : { signal }).catch(() => {})
        signal?.throwIfAborted()
        if (released !== undefined)
          throw new RtrError("unavailable", "The model deployments were released before they were ready")
      }
    },
    release,
  }
}

/** Name of a deployment's model at its worker. */
export const servedNameOf = ({ endpoint, served_name: servedName, name }: NeededDeployment): string =>
  endpoint === undefined ? name : (servedName ?? name)

function statusOf({ deployment, worker }: LeasedDeployment): DeploymentStatus {
  const served = worker.model(servedNameOf(deployment))
  const model = served === undefined ? undefined : withBoundHeads(served, deployment)
  const state = model?.status ?? "starting"
  return {
    name: deployment.name,
    artifact: deployment.endpoint ?? deployment.artifact ?? "",
    process: worker.process,
    state,
    ready: state === "ready",
    restarts: worker.restarts,
    ...(model?.reason !== undefined && { reason: model.reason }),
  }
}

function toRemote({ deployment, worker }: LeasedDeployment): RemoteDeployment {
  const { name, input } = deployment
  return {
    ...worker.address,
    name,
    servedName: servedNameOf(deployment),
    overflow: input?.overflow ?? "truncate",
    ...(input?.max_tokens !== undefined && { maxTokens: input.max_tokens }),
  }
}

/** Throws an `RtrError` when a deployment has failed or the time is up. */
function isReady(status: readonly DeploymentStatus[], until: number, timeoutMs: number): boolean {
  if (status.every(({ ready }) => ready)) return true
  const failed = status.find(({ state }) => state === "failed")
  if (failed !== undefined)
    throw new RtrError(
      "unavailable",
      `Cannot load model deployment "${failed.name}" (${failed.artifact}): ${failed.reason ?? "it failed"}`,
    )
  if (Date.now() > until)
    throw new RtrError(
      "unavailable",
      `Model deployments are not ready after ${timeoutMs / 1000} s: ${status
        .filter(({ ready }) => !ready)
        .map(({ name, state, reason }) => `${name} is ${state}${reason === undefined ? "" : ` (${reason})`}`)
        .join(", ")}`,
    )
  return false
}
