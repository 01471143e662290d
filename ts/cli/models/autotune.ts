// What comparing a model's profiles found is kept, so that only the first load takes the time.

import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type Command, Option } from "commander"

type Environment = Readonly<Record<string, string | undefined>>

export interface AutotuneOptions {
  readonly profile: string
  readonly autotuneCache?: string
}

export function addAutotuneOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--profile <profile>", "how far answers may leave 32-bit arithmetic")
        .choices(["exact", "batching", "shared_context", "max_speed"])
        .default("exact"),
    )
    .option(
      "--autotune-cache <folder>",
      "keep what comparing profiles found (default: RTRUN_AUTOTUNE_CACHE, or rtrun in the user's cache folder)",
    )
}

/** The folder, which exists only once something is kept in it. */
export function autotuneFolder(options: AutotuneOptions, environment: Environment): string {
  const asked = options.autotuneCache ?? environment["RTRUN_AUTOTUNE_CACHE"]
  if (asked !== undefined && asked !== "") return resolve(asked)
  const caches = environment["XDG_CACHE_HOME"] || join(environment["HOME"] || homedir(), ".cache")
  return join(caches, "rtrun", "autotune")
}
