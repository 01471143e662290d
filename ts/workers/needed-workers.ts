// Which workers a set of deployments needs, each with a key of all that the worker depends on.

import type { NeededDeployment } from "../kernel/runtime/node.ts"
import { toModelsEntry } from "./managed-process.ts"

export interface NeededWorker {
  /** Equal for deployments that one worker can serve, also those of different configurations. */
  readonly key: string
  /** Name of the process; of a worker that the operator runs, its endpoint. */
  readonly process: string
  readonly members: readonly NeededDeployment[]
}

/** How texts are read and which heads are asked is no part of the key: both belong to the calls. */
export function neededWorkers(deployments: readonly NeededDeployment[]): readonly NeededWorker[] {
  const groups = Map.groupBy(deployments, ({ endpoint, process, name, served_name: servedName }) =>
    endpoint === undefined ? `process ${process ?? name}` : `endpoint ${endpoint} ${servedName ?? name}`,
  )
  return [...groups].map(([group, members]) => {
    const [{ endpoint, process, name }] = members as [NeededDeployment]
    if (endpoint !== undefined) return { key: group, process: endpoint, members }
    const entries = members.map(toModelsEntry).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { key: `${group} ${JSON.stringify(entries)}`, process: process ?? name, members }
  })
}
