// The options that say which models are meant and where they come from; `serve`, `prepare` and `bench` share them.

import { type Command, InvalidArgumentError } from "commander"

export interface ModelSourceOptions {
  readonly models?: string
  readonly revision?: string
  readonly cacheDir?: string
  readonly offline: boolean
  readonly basePath?: string
  readonly acceptLicence?: readonly string[]
}

/** Several models, or a models file. */
export function addModelOptions(command: Command): Command {
  return addSourceOptions(
    command
      .argument("[model...]", "built-in models, package folders, or organisation/name[@revision] of a hub")
      .option("--models <file>", "models file instead of arguments"),
  )
}

/** Where models come from. */
export function addSourceOptions(command: Command): Command {
  return command
    .option("--revision <sha>", "commit of the one model, 40 hexadecimal digits", commit)
    .option("--cache-dir <folder>", "hub cache (default: RTRUN_CACHE_DIR, HUB_CACHE, or that of the hub's own tools)")
    .option("--offline", "use only cached files", false)
    .option("--base-path <folder>", "base model of the one adapter")
    .option("--accept-licence <id>", "accept a licence that needs it; may be repeated", append)
}

/** How models are loaded. */
export function addEngineModelOptions(command: Command): Command {
  return command
    .option("--device <device>", "auto, cpu, cuda or cuda:<number>", "auto")
    .option("--engine <engine>", "auto or onnxruntime", "auto")
    .option("--family <family>", "force a model family")
}

function commit(text: string): string {
  if (/^[0-9a-f]{40}$/.test(text)) return text
  throw new InvalidArgumentError(
    "It must be a commit of 40 hexadecimal digits; MODEL@REVISION takes branches and tags too.",
  )
}

const append = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
