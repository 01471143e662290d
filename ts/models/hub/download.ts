// Fetches one file into the cache: resumed where it was cut, checked against its digest, and only then given its name.

import { mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { RtrError } from "../../kernel/index.ts"
import type { CachedFile, ModelCache } from "./cache.ts"
import { type HubAnswer, type HubClient, toTryAgain } from "./client.ts"
import { digestOfFile, digestOfTag } from "./digest.ts"
import { PartialFile } from "./partial-file.ts"
import { withLock } from "./lock.ts"
import { TryAgain, withRetries } from "./retry.ts"
import type { HubSettings } from "./settings.ts"

export interface DownloadContext {
  readonly client: HubClient
  readonly settings: HubSettings
  readonly cache: ModelCache
  readonly commit: string
  /** Bytes that have come, or that an earlier try had left. Negative when they had to be thrown away. */
  readonly onBytes: (bytes: number) => void
  readonly notice: (message: string) => void
}

/** What the hub says a file is, before any of it is fetched. */
export interface RemoteFile extends CachedFile {
  readonly path: string
  /** `ETag` of the endpoint, if it serves the file itself. */
  readonly tag: string | undefined
}

/** Asks for size and digest of a file. Rejects with an `RtrError` when the hub gives none that can be checked. */
export async function describeFile(context: DownloadContext, path: string): Promise<RemoteFile> {
  const { client, settings, cache, commit } = context
  const subject = `${cache.repository}/${path}`
  return withRetries(
    settings,
    `fetch ${subject}`,
    async () => {
      const request = { ...requestFor(context, path), method: "HEAD" as const, stayAtEndpoint: true }
      const { endpointHeaders: headers, status, body } = await client.send(request)
      await body.dump()
      refusePage(headers, path, subject)
      const linked = digestOfTag(headers["x-linked-etag"])
      const digest = linked ?? digestOfTag(headers["etag"])
      // The length of a redirect is that of the redirect.
      const bytes = Number(headers["x-linked-size"] ?? (status === 200 ? headers["content-length"] : undefined))
      if (digest === undefined || !Number.isSafeInteger(bytes) || bytes < 0)
        throw new RtrError(
          "invalid_package",
          `Cannot use ${subject}: the hub gives no digest or no size to check it by`,
        )
      const found = headers["x-repo-commit"]
      if (found !== undefined && found !== commit)
        throw new RtrError(
          "invalid_package",
          `Cannot use ${subject}: the hub answers with commit ${found}, not ${commit}`,
        )
      return { path, digest, bytes, tag: status === 200 ? headers["etag"] : undefined }
    },
    context.notice,
  )
}

/** Makes sure that the blob of a file is in the cache. Other processes that want the same blob wait for this one. */
export async function downloadFile(context: DownloadContext, file: RemoteFile): Promise<void> {
  const { cache, notice } = context
  const blob = cache.blobPath(file.digest)
  const isThere = async (): Promise<boolean> => (await stat(blob).catch(() => undefined))?.size === file.bytes
  if (await isThere()) return context.onBytes(file.bytes)
  await mkdir(dirname(blob), { recursive: true })
  await withLock(
    cache.lockPath(file.digest),
    async () => {
      if (await isThere()) return context.onBytes(file.bytes)
      const partial = await PartialFile.open(`${blob}.rtrun.incomplete`, file.bytes)
      try {
        await fill(context, file, partial)
      } finally {
        await partial.close()
      }
      await rename(partial.path, blob)
      await syncFolder(dirname(blob))
    },
    () => notice(`another process is fetching ${file.path}; waiting for it`),
  )
}

/** Fills the partial file until it is whole and has the right digest. */
async function fill(context: DownloadContext, file: RemoteFile, partial: PartialFile): Promise<void> {
  const { settings, cache, onBytes } = context
  const subject = `${cache.repository}/${file.path}`
  for (let resumed = partial.bytes > 0; ; resumed = false) {
    onBytes(partial.bytes)
    const tags = new Map([[new URL(settings.endpoint).origin, file.tag]])
    await withRetries(settings, `fetch ${subject}`, () => receive(context, file, partial, tags), context.notice)
    await partial.sync()
    const digest = await digestOfFile(partial.path, file.digest)
    if (digest === file.digest) return
    onBytes(-partial.bytes)
    await partial.restart()
    // What an earlier process left may have been damaged; a file that came whole and is wrong stays wrong.
    if (resumed) continue
    await rm(partial.path, { force: true })
    throw new RtrError(
      "invalid_package",
      `Cannot use ${subject}: it has digest ${digest}; the hub records ${file.digest}`,
    )
  }
}

/** One request for what is missing. */
async function receive(
  context: DownloadContext,
  file: RemoteFile,
  partial: PartialFile,
  tags: Map<string, string | undefined>,
): Promise<void> {
  const { client, settings, cache, onBytes } = context
  if (partial.bytes === file.bytes) return
  const from = partial.bytes
  const answer = await client.send({
    ...requestFor(context, file.path),
    headersFor: (origin): Readonly<Record<string, string>> =>
      from === 0 ? {} : { range: `bytes=${from}-`, ...ifRange(tags.get(origin)) },
  })
  const subject = `${cache.repository}/${file.path}`
  refusePage(answer.headers, file.path, subject)
  tags.set(answer.origin, answer.headers["etag"])
  if (!continuesAt(answer, from, file.bytes)) {
    onBytes(-partial.bytes)
    await partial.restart()
    if (answer.status !== 200) {
      await answer.body.dump()
      throw new TryAgain(`${new URL(answer.origin).host} answers another range than asked for`)
    }
  }
  const host = new URL(answer.origin).host
  const pieces = (answer.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const progressed = (): boolean => partial.bytes > from
  for (;;) {
    const next = await pieces.next().catch((cause: unknown) => {
      throw toTryAgain(cause, host, settings, progressed())
    })
    if (next.done === true) break
    if (partial.bytes + next.value.length > file.bytes) {
      answer.body.destroy()
      await rm(partial.path, { force: true })
      throw new RtrError(
        "invalid_package",
        `Cannot use ${subject}: it has more than the ${file.bytes} bytes that the hub records`,
      )
    }
    await partial.append(next.value)
    onBytes(next.value.length)
  }
  if (partial.bytes < file.bytes)
    throw new TryAgain(`${host} sent ${partial.bytes} of ${file.bytes} bytes`, { progressed: progressed() })
}

/** Whether an answer goes on where the partial file ends. */
function continuesAt({ status, headers }: HubAnswer, from: number, bytes: number): boolean {
  if (status === 200) return from === 0
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "") ?? []
  return status === 206 && Number(start) === from && (total === "*" || Number(total) === bytes)
}

/** Only a strong tag promises the same bytes. */
const ifRange = (tag: string | undefined): Readonly<Record<string, string>> =>
  tag === undefined || tag.startsWith("W/") ? {} : { "if-range": tag }

function requestFor(
  { cache, commit }: DownloadContext,
  path: string,
): { method: "GET"; path: string; subject: string } {
  const name = path.split("/").map(encodeURIComponent).join("/")
  return {
    method: "GET",
    path: `/${cache.repository}/resolve/${commit}/${name}`,
    subject: `${cache.repository}/${path}`,
  }
}

/** Log-in pages of networks and proxies come with status 200. */
function refusePage(headers: Readonly<Record<string, string>>, path: string, subject: string): void {
  if (!/^text\/html\b/i.test(headers["content-type"] ?? "") || /\.html?$/i.test(path)) return
  throw new RtrError(
    "unavailable",
    `Cannot fetch ${subject}: a web page came instead of the file; HUB_ENDPOINT may be wrong, or a proxy may have answered`,
  )
}

/** After this the new name survives a power cut; not every system can do it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
