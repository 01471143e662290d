// A repository of the hub as a package folder: resolved to a commit, fetched into the cache, taken from the cache when it is there.

import { isRtrError, RtrError } from "../../kernel/index.ts"
import { readJsonDescription } from "../packages/package-file.ts"
import { type CachedFiles, createModelCache, type ModelCache } from "./cache.ts"
import { findCachedPackage } from "./cached-package.ts"
import { createHubClient } from "./client.ts"
import { describeFile, downloadFile, type DownloadContext } from "./download.ts"
import { toStorageError } from "./partial-file.ts"
import { checkRevision, isCommit, isRepository } from "./repository.ts"
import { resolveRevision } from "./revision.ts"
import { selectDescription, selectWeights } from "./select-files.ts"
import type { HubSettings } from "./settings.ts"

/** Size and SHA-256 of files that are known before anything is fetched. */
export type RecordedFiles = Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>

export interface HubProgress {
  readonly repository: string
  readonly receivedBytes: number
  /** Grows while the hub is still being asked what there is. */
  readonly totalBytes: number
}

export interface FetchModelOptions {
  /** `organisation/name`. */
  readonly repository: string
  /** Branch, tag or commit; `main` when left out. */
  readonly revision?: string | undefined
  readonly settings: HubSettings
  /** Exactly these files are fetched, and their SHA-256 is checked. */
  readonly recorded?: RecordedFiles | undefined
  /** Called when the small files are there and before any weights are fetched; what it throws ends the fetch. */
  readonly approve?: ((folder: string) => void | Promise<void>) | undefined
  readonly onProgress?: ((progress: HubProgress) => void) | undefined
  /** One-line messages for people: waits, and what was not asked for. */
  readonly onNotice?: ((message: string) => void) | undefined
}

export interface FetchedModel {
  /** The package folder. */
  readonly folder: string
  readonly repository: string
  readonly commit: string
}

/** Rejects with an `RtrError` that says what is missing, wrong or not allowed; the cache then holds no damaged file. */
export async function fetchModel(options: FetchModelOptions): Promise<FetchedModel> {
  const { repository, settings, recorded, approve, onNotice } = options
  if (!isRepository(repository))
    throw new RtrError("invalid_request", `Cannot fetch "${repository}": a repository is named organisation/name`)
  const revision = checkRevision(options.revision ?? "main")
  const cache = createModelCache(settings.cacheFolder, repository)
  const fromCache = async (takesForeign: boolean): Promise<FetchedModel | undefined> => {
    const commit = await findCachedPackage(cache, revision, { recorded, takesForeign, onNotice })
    if (commit === undefined) return undefined
    await approve?.(cache.snapshotFolder(commit))
    return { folder: cache.snapshotFolder(commit), repository, commit }
  }
  if (settings.offline || isCommit(revision)) {
    const cached = await fromCache(settings.offline)
    if (cached !== undefined) return cached
    if (settings.offline) throw await notCached(cache, revision, settings)
  }
  try {
    return await fetchFromHub(options, cache, revision)
  } catch (cause) {
    if (!isRtrError(cause) || cause.code !== "upstream_unavailable") throw toStorageError(cause, settings.cacheFolder)
    const cached = await fromCache(true)
    if (cached === undefined) throw cause
    onNotice?.(`${cause.message}; using commit ${cached.commit} from the cache`)
    return cached
  }
}

async function fetchFromHub(options: FetchModelOptions, cache: ModelCache, revision: string): Promise<FetchedModel> {
  const { repository, settings, recorded, approve, onNotice } = options
  const notice = (message: string): void => onNotice?.(message)
  const client = createHubClient(settings)
  try {
    const { commit, files } = await resolveRevision(client, settings, repository, revision, notice)
    const folder = cache.snapshotFolder(commit)
    const fetched = { folder, repository, commit }
    if (revision !== commit) {
      await cache.writeRef(revision, commit)
      notice(`${repository}@${revision} is commit ${commit}; pin it with ${repository}@${commit}`)
    }
    if ((await findCachedPackage(cache, commit, { recorded })) !== undefined) {
      await approve?.(folder)
      return fetched
    }
    const report = progressReport(options)
    const context = { client, settings, cache, commit, notice, onBytes: report.receive }
    const description = recorded === undefined ? selectDescription(files) : namesOf(recorded, files, cache)
    const described = await fetchFiles(context, description, recorded, report)
    await approve?.(folder)
    const weights = recorded === undefined ? selectRest(folder, files, description, cache) : []
    const rest = await fetchFiles(context, weights, recorded, report)
    await cache.writeListing(commit, { ...described, ...rest })
    return fetched
  } finally {
    await client.close()
  }
}

/** The recorded names; all must be in the repository. */
function namesOf(recorded: RecordedFiles, files: readonly string[], cache: ModelCache): readonly string[] {
  const names = Object.keys(recorded)
  const missing = names.filter((name) => !files.includes(name))
  if (missing.length === 0) return names
  throw new RtrError("invalid_package", `Cannot use ${cache.repository}: it does not have ${missing.join(", ")}`)
}

function selectRest(
  folder: string,
  files: readonly string[],
  description: readonly string[],
  cache: ModelCache,
): readonly string[] {
  const read = (name: string): unknown =>
    description.includes(name) ? (readJsonDescription(folder, name) ?? undefined) : undefined
  const manifest = read("manifest.json") as { files?: object } | undefined
  const settings = read("rtrun.json") as { heads?: readonly { file?: unknown }[] } | undefined
  const selected = selectWeights(files, {
    manifest: manifest?.files === undefined ? undefined : Object.keys(manifest.files),
    named: (settings?.heads ?? []).map(({ file }) => String(file)),
  })
  if (!selected.some((path) => /\.(safetensors|onnx)$/.test(path)))
    throw new RtrError(
      "invalid_package",
      `Cannot use ${cache.repository}: it has neither *.safetensors nor an ONNX graph`,
    )
  return selected.filter((path) => !description.includes(path))
}

/** Requests at a time: small files wait mostly for answers. */
const parallelFiles = 4

async function fetchFiles(
  context: DownloadContext,
  paths: readonly string[],
  recorded: RecordedFiles | undefined,
  report: ProgressReport,
): Promise<CachedFiles> {
  const entries: [string, { bytes: number; digest: string }][] = []
  await eachOf(paths, async (path) => {
    const file = await describeFile(context, path)
    checkRecorded(context.cache, file, recorded?.[path])
    report.expect(file.bytes)
    await downloadFile(context, file)
    await context.cache.linkFile(context.commit, path, file.digest)
    entries.push([path, { bytes: file.bytes, digest: file.digest }])
  })
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Large files are refused before they are fetched; the SHA-256 of small ones is checked with the whole package. */
function checkRecorded(
  cache: ModelCache,
  file: { path: string; bytes: number; digest: string },
  recorded: { bytes: number; sha256: string } | undefined,
): void {
  if (recorded === undefined) return
  if (file.bytes === recorded.bytes && (file.digest.length !== 64 || file.digest === recorded.sha256)) return
  throw new RtrError(
    "invalid_package",
    `Cannot use ${cache.repository}/${file.path}: the hub has ${file.bytes} bytes with digest ${file.digest}; ${recorded.bytes} bytes with SHA-256 ${recorded.sha256} are recorded`,
  )
}

/** Works on several items at a time; after a failure no new one is begun, and the others end before it is thrown. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item
      next += 1
      try {
        await work(item)
      } catch (cause) {
        next = items.length
        throw cause
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: parallelFiles }, run))
  const failed = results.find((result) => result.status === "rejected")
  if (failed !== undefined) throw failed.reason
}

interface ProgressReport {
  readonly expect: (bytes: number) => void
  readonly receive: (bytes: number) => void
}

function progressReport({ repository, onProgress }: FetchModelOptions): ProgressReport {
  let totalBytes = 0
  let receivedBytes = 0
  const report = (): void => onProgress?.({ repository, receivedBytes, totalBytes })
  return {
    expect: (bytes) => {
      totalBytes += bytes
      report()
    },
    receive: (bytes) => {
      receivedBytes += bytes
      report()
    },
  }
}

async function notCached(cache: ModelCache, revision: string, settings: HubSettings): Promise<RtrError> {
  const commit = await cache.findCommit(revision)
  const problem =
    commit === undefined
      ? `${settings.cacheFolder} does not know this revision`
      : `${cache.snapshotFolder(commit)} is not complete`
  return new RtrError(
    "unavailable",
    `Cannot load ${cache.repository}@${revision} offline: ${problem}; fetch it once with: rtrun prepare ${cache.repository}@${revision}`,
  )
}
