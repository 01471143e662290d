// From a found package to what an engine is told about it; `serve` and `prepare` load a model in the same way.

import type { Command } from "commander"
import type { EngineModel } from "rtr/node"
import type { FoundModel } from "./find-models.ts"

/** What holds for all models of a command. */
export interface EngineModelOptions {
  readonly device: string
  readonly profile: string
  readonly engine: string
  readonly family?: string
  readonly servedModelName?: string
}

export function addEngineModelOptions(command: Command): Command {
  return command
    .option("--device <device>", "auto, cpu, cuda or cuda:<number>", "auto")
    .option("--engine <engine>", "auto or onnxruntime", "auto")
    .option("--family <family>", "force a model family")
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
