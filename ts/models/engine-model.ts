// Makes the engine's options for a found package; `serve` and `prepare` load a model in the same way.

import type { EngineModel } from "../kernel/runtime/node.ts"
import type { ModelsFileEntry } from "./models-file.ts"
import type { FoundPackage } from "./packages/find-package.ts"

/** A model that was asked for, and the package that it means. */
export interface FoundModel {
  readonly entry: ModelsFileEntry
  readonly found: FoundPackage
}

/** What holds for all models of a command. */
export interface EngineModelOptions {
  readonly device: string
  readonly profile: string
  readonly engine: string
  readonly family?: string
  readonly servedModelName?: string
}

/** What an entry of a models file says wins over the options of the command. */
export function toEngineModel({ entry, found }: FoundModel, options: EngineModelOptions): EngineModel {
  const { model: _, revision: __, name, ...settings } = entry
  return {
    device: options.device,
    profile: options.profile,
    engine: options.engine,
    ...(options.family !== undefined && { family: options.family }),
    ...settings,
    name: name ?? options.servedModelName ?? found.name,
    path: found.folder,
    ...(found.basePath !== undefined && { basePath: found.basePath }),
    ...(found.commit !== undefined && { revision: found.commit }),
  }
}
