// The kernel as a web-standard `fetch` handler, for edge hosts and for your own server.

import { builtinModules } from "../../plugins/registry.gen.ts"
import { type Kernel, type KernelOptions, openKernel } from "./bare-kernel.ts"

export { createBareKernel, type Kernel, type KernelOptions } from "./bare-kernel.ts"

/** Reads, checks and activates a configuration. Rejects with a `ConfigError` that lists every problem. */
export function createKernel(options: KernelOptions): Promise<Kernel> {
  return openKernel(options, builtinModules)
}
