// Whether the packages that deployments name are on this machine.

import { RtrError } from "../kernel/index.ts"
import type { NeededDeployment } from "../kernel/runtime/node.ts"
import { isHere, locateArtifact } from "../models/packages/artifact.ts"
import { builtinPackageNames } from "../models/packages/builtin.ts"

/**
 * The deployments with the absolute paths of their folders: a worker knows nothing of the document, whose path is `source`.
 * Throws an `RtrError` for what would otherwise only show in a worker's log, again and again.
 */
export function locateArtifacts<Each extends NeededDeployment>(
  deployments: readonly Each[],
  source?: string,
): readonly Each[] {
  return deployments.map((deployment) => {
    const { name, artifact, writtenAt = ["global", "model_catalog", "deployments", name, "artifact"] } = deployment
    if (artifact === undefined) return deployment
    const located = locateArtifact(artifact, source)
    if (isHere(located)) return { ...deployment, artifact: located }
    throw new RtrError(
      "invalid_config",
      `Cannot start model deployment "${name}" with artifact "${artifact}": there is no folder ${located}; name one, or a built-in package (${builtinPackageNames().join(", ")})`,
      { path: writtenAt },
    )
  })
}
