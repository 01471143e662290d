// Adapters are small packages of changes to a base model: finds the folder of that base.

import { statSync } from "node:fs"
import { resolve } from "node:path"
import { RtrError } from "../../kernel/index.ts"
import { buildFeatures } from "../../kernel/runtime/node.ts"
import { isCommit, isRepository } from "../hub/repository.ts"
import { findPackageFile, readJsonDescription } from "./package-file.ts"

const configName = "adapter_config.json"

interface AdapterConfig {
  readonly base_model_name_or_path?: unknown
  readonly revision?: unknown
}

/**
 * Folder of the base model of the adapter in `folder`: `basePath` if it is given, else fetched from the hub at the commit
 * that `adapter_config.json` pins. Undefined when the folder holds no adapter. Rejects with an `RtrError` when no base can
 * be found, or when this build runs no adapters.
 */
export async function findAdapterBase(
  folder: string,
  options: { readonly basePath?: string | undefined },
  fetchBase: (repository: string, commit: string) => Promise<{ readonly folder: string }>,
  features: { readonly adapters: boolean } = buildFeatures,
): Promise<string | undefined> {
  if (findPackageFile(folder, configName) === undefined) {
    if (options.basePath === undefined) return undefined
    throw new RtrError("invalid_options", `Cannot use --base-path: ${folder} is no adapter; leave the option out`)
  }
  if (!features.adapters)
    throw new RtrError("not_supported", `Cannot load ${folder}: it is an adapter; adapters are not supported yet`)
  if (options.basePath !== undefined) return givenBase(options.basePath)
  const { base_model_name_or_path: base, revision } = readConfig(folder)
  if (typeof base !== "string" || !isRepository(base) || typeof revision !== "string" || !isCommit(revision))
    throw new RtrError(
      "invalid_options",
      `Cannot load the adapter ${folder}: adapter_config.json does not pin its base model to a repository and a commit; give a copy of the base with --base-path`,
    )
  return (await fetchBase(base, revision)).folder
}

function givenBase(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(path)
  throw new RtrError("invalid_options", `Cannot use --base-path ${path}: there is no such folder`)
}

function readConfig(folder: string): AdapterConfig {
  const config = readJsonDescription(folder, configName)
  return typeof config === "object" && config !== null ? config : {}
}
