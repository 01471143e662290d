// The kernel inside a Node process: `${NAME}` and `api_key_env` of its document are read from the process's environment.

import { builtinModules } from "../../plugins/registry.gen.ts"
import type { NeededDeployment } from "../config/bindings.ts"
import { checkHost } from "../config/host-matters.ts"
import { documentWarnings } from "../config/warnings/document-warnings.ts"
import { loadDocument } from "../generations/prepare.ts"
import { type Kernel, type KernelOptions, openKernel, registryFor, toInput } from "./bare-kernel.ts"
import { deploymentsOf } from "./load-config.ts"

/**
 * Like `createKernel` of `rtr`, with `process.env` unless `environment` says otherwise. Rejects with a `ConfigError` that lists
 * every problem, each variable of a key that is not set among them.
 */
export function createKernel(options: KernelOptions): Promise<Kernel> {
  return openKernel(
    {
      environment: process.env,
      ...options,
      checkHost,
      alsoWarn: (loaded) => documentWarnings(loaded, { listens: false }),
    },
    builtinModules,
  )
}

/** What decides about the models of a kernel; the same as it is created with. */
export type ConfigOptions = Pick<KernelOptions, "config" | "source" | "modules" | "environment">

/** Model deployments that a document needs. Rejects with a `ConfigError` that lists every problem of the document. */
export async function deploymentsFor(options: ConfigOptions): Promise<readonly NeededDeployment[]> {
  const { config, source = "the configuration", modules = {}, environment = process.env } = options
  const loaded = await loadDocument(
    {
      environment: () => environment,
      loadRegistry: (document) => registryFor(builtinModules, modules, document),
      checkHost,
    },
    toInput(config, source),
  )
  return deploymentsOf(loaded)
}
