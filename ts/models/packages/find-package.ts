// What a MODEL means: a built-in name, the folder of a package, or a repository of a hub, which is fetched.

import { statSync } from "node:fs"
import { basename, resolve } from "node:path"
import { isRtrError, RtrError } from "../../kernel/index.ts"
import type { HubProgress, RecordedFiles } from "../hub/fetch-model.ts"
import { isRepository } from "../hub/repository.ts"
import { findAdapterBase } from "./adapter.ts"
import { type BuiltinModel, readBuiltinModels } from "./builtin.ts"
import { checkRecordedFiles } from "./check-package.ts"
import { readLicence, requireAcceptedLicence } from "./licence.ts"

export interface PackageOptions {
  /** Branch, tag or commit; the same as `MODEL@REVISION`. */
  readonly revision?: string | undefined
  /** Folder that relative paths start from; the working directory when left out. */
  readonly relativeTo?: string | undefined
  /** Folder of the hub cache; see `rtrun serve --help` for the defaults. */
  readonly cacheFolder?: string | undefined
  readonly offline?: boolean | undefined
  /** Folder of the base model that an adapter needs. */
  readonly basePath?: string | undefined
  /** Licences that have been accepted. */
  readonly acceptedLicences?: readonly string[] | undefined
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  readonly builtinModels?: readonly BuiltinModel[] | undefined
  readonly onProgress?: ((progress: HubProgress) => void) | undefined
  readonly onNotice?: ((message: string) => void) | undefined
}

export interface FoundPackage {
  /** The last part of the name, which requests use by default. */
  readonly name: string
  readonly folder: string
  /** Repository and commit of what came from a hub. */
  readonly repository?: string
  readonly commit?: string
  readonly licence?: string
  /** Folder of the base model of an adapter. */
  readonly basePath?: string
  /** The files that a built-in model must have. */
  readonly recorded?: RecordedFiles
}

/**
 * Finds a package, and fetches it when it is in a hub. Rejects with an `RtrError` that says what there is instead.
 * An adapter is returned with the folder of its base.
 */
export async function findPackage(model: string, options: PackageOptions = {}): Promise<FoundPackage> {
  const found = await locate(model, options)
  const base = await findAdapterBase(found.folder, options, (repository, revision) =>
    fromHub(repository, { ...options, revision, basePath: undefined }),
  )
  return base === undefined ? found : { ...found, basePath: base }
}

async function locate(model: string, options: PackageOptions): Promise<FoundPackage> {
  const builtinModels = options.builtinModels ?? readBuiltinModels()
  const path = resolve(options.relativeTo ?? "", model)
  const folder = model !== "" && isFolder(path) ? path : undefined
  const { name, revision } =
    folder === undefined ? splitRevision(model, options) : { name: model, revision: options.revision }
  const builtin = builtinModels.find((entry) => entry.name === name || entry.repository === name)
  if (builtin !== undefined) return fromBuiltin(builtin, revision, options)
  if (folder !== undefined) {
    if (revision !== undefined) throw noRevision(model, "a folder")
    const licence = readLicence(folder)
    requireAcceptedLicence(model, licence, options.acceptedLicences ?? [])
    return { name: basename(folder), folder, ...(licence !== undefined && { licence }) }
  }
  if (isRepository(name))
    return fromHub(name, { ...options, revision }).catch((cause: unknown) => {
      throw alsoNoFolder(cause, path)
    })
  const names = builtinModels.map((entry) => entry.name).join(", ")
  throw new RtrError(
    "invalid_request",
    `Cannot load "${model}": ${model === "" ? "it has no name" : `there is no folder ${path}`}; use a built-in model (${names}), the folder of a package, or organisation/name of a hub`,
  )
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** A relative path of two parts looks like a repository; the hint names the folder that was looked for. */
function alsoNoFolder(cause: unknown, path: string): unknown {
  const isMissing = isRtrError(cause) && ["not_found", "unavailable", "upstream_unavailable"].includes(cause.code)
  if (!isMissing || cause.hint !== undefined) return cause
  return new RtrError(cause.code, cause.message, { hint: `there is no folder ${path} either`, cause })
}

/** `MODEL@REVISION`; revisions have no `@` and names have none either. */
function splitRevision(
  model: string,
  { revision }: PackageOptions,
): { readonly name: string; readonly revision: string | undefined } {
  const at = model.indexOf("@")
  if (at === -1) return { name: model, revision }
  const [name, pinned] = [model.slice(0, at), model.slice(at + 1)]
  if (revision !== undefined && revision !== pinned)
    throw new RtrError(
      "invalid_options",
      `Cannot load "${model}": another revision is given too, ${revision}; give one`,
    )
  return { name, revision: pinned }
}

const noRevision = (model: string, kind: string): RtrError =>
  new RtrError("invalid_options", `Cannot load "${model}" at a revision: it is ${kind}, which has none; leave it out`)

async function fromBuiltin(
  builtin: BuiltinModel,
  revision: string | undefined,
  options: PackageOptions,
): Promise<FoundPackage> {
  const { name, folder, repository, licence } = builtin
  if (folder !== undefined && revision !== undefined) throw noRevision(name, "a built-in package")
  const isPinned = revision === undefined || revision === builtin.revision
  if (isPinned) requireAcceptedLicence(name, licence, options.acceptedLicences ?? [])
  if (folder !== undefined) return { name, folder, licence }
  const model = repository ?? name
  // Another revision is another model: what is recorded says nothing about it.
  if (!isPinned) return { ...(await fromHub(model, { ...options, revision })), name }
  const recorded = builtin.files
  const found = await fromHub(model, { ...options, revision: builtin.revision }, recorded)
  await checkRecordedFiles(found.folder, recorded)
  return { ...found, name, licence, recorded }
}

async function fromHub(repository: string, options: PackageOptions, recorded?: RecordedFiles): Promise<FoundPackage> {
  const [{ fetchModel }, { readHubSettings }] = await Promise.all([
    import("../hub/fetch-model.ts"),
    import("../hub/settings.ts"),
  ])
  const { revision, onProgress, onNotice } = options
  let licence: string | undefined
  const { folder, commit } = await fetchModel({
    repository,
    revision,
    settings: readHubSettings(options),
    recorded,
    onProgress,
    onNotice,
    approve: (description) => {
      licence = readLicence(description)
      if (recorded === undefined) requireAcceptedLicence(repository, licence, options.acceptedLicences ?? [])
    },
  })
  return {
    name: repository.split("/").at(-1) ?? repository,
    folder,
    repository,
    commit,
    ...(licence !== undefined && { licence }),
  }
}
