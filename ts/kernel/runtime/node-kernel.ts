// The kernel inside a Node process: `${NAME}` and `api_key_env` of its document are read from the process's environment.

import { builtinModules } from "../../plugins/registry.gen.ts"
import { checkHost } from "../config/host-matters.ts"
import { type Kernel, type KernelOptions, openKernel } from "./bare-kernel.ts"

/**
 * Like `createKernel` of `rtr`, with `process.env` unless `environment` says otherwise. Rejects with a `ConfigError` that lists
 * every problem, each variable of a key that is not set among them.
 */
export function createKernel(options: KernelOptions): Promise<Kernel> {
  return openKernel({ environment: process.env, ...options, checkHost }, builtinModules)
}
