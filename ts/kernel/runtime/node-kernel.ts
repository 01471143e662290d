// The kernel inside a Node process: `${NAME}` and `api_key_env` of its document are read from the process's environment.

import { createKernel as createPortableKernel, type Kernel, type KernelOptions } from "./edge.ts"

/**
 * Like `createKernel` of `rtr`, with `process.env` unless `environment` says otherwise. Rejects with a `ConfigError` that lists
 * every problem.
 */
export function createKernel(options: KernelOptions): Promise<Kernel> {
  return createPortableKernel({ environment: process.env, ...options })
}
