// Asks a worker how its models are.

import type { DeploymentStatus, Transport } from "rtr"
import type { NeededDeployment, RemoteDeployment } from "rtr/node"

/** The models of one worker, as `/health` tells them. */
export interface Health {
  readonly models: ReadonlyMap<string, { readonly status: DeploymentStatus["state"]; readonly reason?: string }>
}

/** Undefined when the worker does not answer. */
export async function readHealth(
  transport: Transport,
  address: Pick<RemoteDeployment, "origin" | "socketPath">,
): Promise<Health | undefined> {
  try {
    const response = await transport.request({
      method: "GET",
      url: `${address.origin}/health`,
      headers: {},
      headersTimeoutMs: 2000,
      bodyTimeoutMs: 2000,
      ...(address.socketPath !== undefined && { socketPath: address.socketPath }),
    })
    const body = JSON.parse(await response.text(1_000_000)) as {
      models?: readonly { id: string; status: DeploymentStatus["state"]; reason?: string }[]
    }
    return {
      models: new Map(
        (body.models ?? []).map(({ id, status, reason }) => [id, { status, ...(reason !== undefined && { reason }) }]),
      ),
    }
  } catch {
    return undefined
  }
}

/** How a deployment wants its texts read. */
export function remoteInput({ input }: NeededDeployment): Pick<RemoteDeployment, "overflow" | "maxTokens"> {
  return {
    overflow: input?.overflow ?? "truncate",
    ...(input?.max_tokens !== undefined && { maxTokens: input.max_tokens }),
  }
}
