// Whether the packages that deployments name are on this machine.

import { statSync } from "node:fs"
import { RtrError } from "../kernel/index.ts"
import type { NeededDeployment } from "../kernel/runtime/node.ts"
import { builtinPackageNames, findBuiltinPackage } from "../models/packages/builtin.ts"

/** Throws an `RtrError` for what would otherwise only show in a worker's log, again and again. */
export function checkArtifacts(deployments: readonly NeededDeployment[]): void {
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
