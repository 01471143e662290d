// Reads a configuration file and compares its bindings with the packages of this machine.

import { type LoadConfigOptions, type LoadedConfig, loadConfig as loadFile } from "../kernel/runtime/node.ts"
import { readHeads } from "./packages/read-heads.ts"

/** Reads and checks a file. Rejects with a `ConfigError` that lists every problem, or an `RtrError` when it cannot be read. */
export function loadConfig(path: string, options: Omit<LoadConfigOptions, "readHeads"> = {}): Promise<LoadedConfig> {
  return loadFile(path, { ...options, readHeads })
}
