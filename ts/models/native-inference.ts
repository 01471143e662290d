// Inference inside this process, with models by built-in name or folder, or those that a document needs.

import { type Inference, RtrError } from "../kernel/index.ts"
import {
  type ConfigOptions,
  createNativeInference as createFromFolders,
  deploymentsFor,
} from "../kernel/runtime/node.ts"
import { locateArtifact } from "./packages/artifact.ts"
import { findBuiltinPackage } from "./packages/builtin.ts"

export interface NativeInferenceOptions extends Partial<ConfigOptions> {
  /** Models by deployment name: a built-in package name or the folder of a package. They come before those of `config`. */
  readonly models?: Readonly<Record<string, string>>
  readonly threads?: number
}

/**
 * Loads `models`, and what the document `config` needs; the package `signals` as the default deployment when both are left out.
 * Rejects with an `RtrError` when a model cannot be loaded.
 */
export async function createNativeInference(options: NativeInferenceOptions = {}): Promise<Inference> {
  const { config, models: named = config === undefined ? { default: "signals" } : {}, threads } = options
  const without = (["source", "modules", "environment"] as const).filter((key) => options[key] !== undefined)
  if (config === undefined && without.length > 0)
    throw new RtrError(
      "invalid_options",
      `Cannot use ${without.join(", ")} without config: they say how a document is read`,
    )
  const needed = config === undefined ? {} : await neededModels({ ...options, config }, named)
  const models = { ...needed, ...named }
  // A document may need no model.
  if (config !== undefined && Object.keys(models).length === 0) return withoutModels
  const folders = Object.entries(models).map(([name, artifact]) => [name, findBuiltinPackage(artifact) ?? artifact])
  const inference = await createFromFolders({
    models: Object.fromEntries(folders) as Readonly<Record<string, string>>,
    ...(threads !== undefined && { threads }),
  })
  return {
    ...inference,
    // A model that is named comes in the place of whatever a document says.
    has: ({ name, artifact }) =>
      Object.hasOwn(named, name) ||
      (artifact !== undefined && needed[name] === locateArtifact(artifact, options.source)),
  }
}

/** For documents whose signals ask no model. */
const withoutModels: Inference = {
  bundle: (tasks) =>
    Promise.resolve(
      tasks.map(({ deployment }) => ({
        kind: "error",
        error: new RtrError("unavailable", `Model deployment "${deployment}" is not loaded`),
      })),
    ),
  status: () => [],
  has: () => false,
  close: () => Promise.resolve(),
}

/** Packages by deployment name. */
async function neededModels(
  options: ConfigOptions,
  named: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const needed = (await deploymentsFor(options)).filter(({ name }) => !Object.hasOwn(named, name))
  return Object.fromEntries(
    needed.map(({ name, artifact, endpoint }) => {
      if (endpoint !== undefined || artifact === undefined)
        throw new RtrError(
          "invalid_config",
          `Cannot load model deployment "${name}" in this process: it is served at an endpoint; write artifact in place of endpoint, or pass a package as models: { ${JSON.stringify(name)}: … }`,
          { path: ["global", "model_catalog", "deployments", name] },
        )
      return [name, locateArtifact(artifact, options.source)]
    }),
  )
}
