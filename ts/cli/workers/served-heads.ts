// Whether the models of a worker have the heads that bindings ask. A question for a head that is not there gets no answer,
// which would turn a guard off without a word.

import type { Transport } from "rtr"
import { headProblem, type NeededDeployment, type PackageHead, type RemoteDeployment } from "rtr/node"
import type { Health } from "./health.ts"

/** A deployment with the name that its worker knows it by. */
export type ServedDeployment = Pick<NeededDeployment, "heads"> & { readonly servedName: string }

/** The health with every ready model that lacks a bound head as failed, and the reason. */
export async function withFit(
  health: Health | undefined,
  deployments: readonly ServedDeployment[],
  ask: () => Promise<ReadonlyMap<string, readonly PackageHead[]> | undefined>,
): Promise<Health | undefined> {
  const concerned = deployments.filter(
    ({ heads, servedName }) => heads !== undefined && health?.models.get(servedName)?.status === "ready",
  )
  const known = concerned.length === 0 ? undefined : await ask()
  if (health === undefined || known === undefined) return health
  const models = new Map(health.models)
  for (const { heads = [], servedName } of concerned) {
    const served = known.get(servedName)
    const problems = heads.flatMap((bound) => {
      const problem = served === undefined ? undefined : headProblem(bound, served)
      return problem === undefined ? [] : [`global.model_catalog.bindings.${bound.binding}.head: ${problem}`]
    })
    if (problems.length > 0) models.set(servedName, { status: "failed", reason: problems.join("; ") })
  }
  return { models }
}

/** Heads by model, as the worker lists them; undefined when it does not answer, or tells none. */
export async function readServedHeads(
  transport: Transport,
  address: Pick<RemoteDeployment, "origin" | "socketPath">,
): Promise<ReadonlyMap<string, readonly PackageHead[]> | undefined> {
  try {
    const response = await transport.request({
      method: "GET",
      url: `${address.origin}/v1/models`,
      headers: {},
      headersTimeoutMs: 2000,
      bodyTimeoutMs: 2000,
      ...(address.socketPath !== undefined && { socketPath: address.socketPath }),
    })
    const { data } = JSON.parse(await response.text(4_000_000)) as {
      data: readonly { id: string; heads?: readonly PackageHead[] }[]
    }
    return new Map(data.flatMap(({ id, heads }) => (heads === undefined ? [] : [[id, heads] as const])))
  } catch {
    return undefined
  }
}
