// Inference inside this process, with models by built-in name or folder.

import type { Inference } from "../kernel/index.ts"
import { createNativeInference as createFromFolders } from "../kernel/runtime/node.ts"
import { findBuiltinPackage } from "./packages/builtin.ts"

export interface NativeInferenceOptions {
  /** Models by deployment name: a built-in package name or the folder of a package. */
  readonly models?: Readonly<Record<string, string>>
  readonly threads?: number
}

/** Without options it answers for the default deployment. Rejects with an `RtrError` when a model cannot be loaded. */
export async function createNativeInference(options: NativeInferenceOptions = {}): Promise<Inference> {
  const models = Object.entries(options.models ?? { default: "signals" }).map(([name, artifact]) => [
    name,
    findBuiltinPackage(artifact) ?? artifact,
  ])
  return createFromFolders({
    models: Object.fromEntries(models) as Readonly<Record<string, string>>,
    ...(options.threads !== undefined && { threads: options.threads }),
  })
}
