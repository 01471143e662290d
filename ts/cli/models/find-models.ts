// From arguments or a models file to package folders; what is in a hub is fetched.

import { dirname, resolve } from "node:path"
import type { Command } from "commander"
import type { PackageOptions } from "rtr/node"
import type { FoundModel } from "../../models/engine-model.ts"
import type { ModelsFileEntry } from "../../models/models-file.ts"
import type { ModelSourceOptions } from "./options.ts"
import { createProgressLine } from "./progress.ts"

/** Finds all models, in their order. Calls that cannot be right end with a usage error. */
export async function findModels(
  models: readonly string[],
  options: ModelSourceOptions,
  command: Command,
): Promise<readonly FoundModel[]> {
  const refuse = (problem: string): never => command.error(`error: ${problem}`)
  if (options.models !== undefined && models.length > 0)
    refuse("give models as arguments or in a models file, not both")
  if (options.models === undefined && models.length === 0)
    refuse(
      "there is no model; name a built-in model (see: rtrun models), a package folder, or organisation/name of a hub",
    )
  for (const option of ["revision", "basePath"] as const)
    if (options[option] !== undefined && models.length !== 1)
      refuse(`--${option === "basePath" ? "base-path" : option} needs exactly one model as an argument`)
  const [{ findPackage }, { readModelsFile }] = await Promise.all([
    import("rtr/node"),
    import("../../models/models-file.ts"),
  ])
  const entries: readonly ModelsFileEntry[] =
    options.models === undefined ? models.map((model) => ({ model })) : readModelsFile(options.models)
  const progress = createProgressLine()
  const common: PackageOptions = {
    // A models file means the same wherever the command is started.
    relativeTo: options.models === undefined ? undefined : dirname(resolve(options.models)),
    cacheFolder: options.cacheDir,
    offline: options.offline,
    basePath: options.basePath,
    acceptedLicences: options.acceptLicence ?? [],
    onProgress: progress.onProgress,
    onNotice: progress.onNotice,
  }
  const found: FoundModel[] = []
  try {
    // One after the other: downloads share one line of progress, and the first problem ends the command.
    for (const entry of entries) {
      const revision = entry.revision ?? options.revision
      found.push({ entry, found: await findPackage(entry.model, { ...common, revision }) })
    }
  } finally {
    progress.end()
  }
  return found
}
