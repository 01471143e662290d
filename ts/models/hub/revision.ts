// Resolves a revision of a hub repository to its commit and its list of files.

import { RtrError } from "../../kernel/index.ts"
import { type HubAnswer, type HubClient, toTryAgain } from "./client.ts"
import { isCommit, isInnerPath } from "./repository.ts"
import { withRetries } from "./retry.ts"
import type { HubSettings } from "./settings.ts"

export interface ResolvedRevision {
  /** Forty hexadecimal digits. */
  readonly commit: string
  /** Paths of all files of the repository at that commit. */
  readonly files: readonly string[]
}

/** A listing of a hundred thousand files has less. */
const maxListingBytes = 32 * 1024 * 1024

/** Resolves a branch, tag or commit. Rejects with an `RtrError` that says whether the hub, the token or the name is at fault. */
export async function resolveRevision(
  client: HubClient,
  settings: HubSettings,
  repository: string,
  revision: string,
  notice?: (message: string) => void,
): Promise<ResolvedRevision> {
  const subject = `${repository}@${revision}`
  const path = `/api/models/${repository}/revision/${encodeURIComponent(revision)}`
  const text = await withRetries(
    settings,
    `ask the hub for ${subject}`,
    async () => {
      const answer = await client.send({ method: "GET", path, subject, stayAtEndpoint: true })
      return readText(answer, settings, subject)
    },
    notice,
  )
  return readListing(text, subject, revision)
}

async function readText(answer: HubAnswer, settings: HubSettings, subject: string): Promise<string> {
  const host = new URL(answer.origin).host
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxListingBytes) throw unusable(subject, `its listing is longer than ${maxListingBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof RtrError ? cause : toTryAgain(cause, host, settings)
  }
  return Buffer.concat(chunks).toString()
}

function readListing(text: string, subject: string, revision: string): ResolvedRevision {
  const listing = parse(text) as { sha?: unknown; siblings?: unknown } | undefined
  if (typeof listing !== "object" || listing === null)
    throw unusable(subject, "the answer is not JSON; HUB_ENDPOINT may be wrong, or a proxy may have answered")
  const { sha, siblings } = listing
  if (typeof sha !== "string" || !isCommit(sha)) throw unusable(subject, "the answer names no commit")
  if (isCommit(revision) && sha !== revision) throw unusable(subject, `the answer is about commit ${sha}`)
  if (!Array.isArray(siblings)) throw unusable(subject, "the answer lists no files")
  const files = siblings.map((sibling: { rfilename?: unknown } | null) => {
    const path = sibling?.rfilename
    if (typeof path !== "string") throw unusable(subject, "the answer lists a file without a name")
    if (!isInnerPath(path)) throw unusable(subject, `it lists ${JSON.stringify(path)}, which leads out of its folder`)
    return path
  })
  return { commit: sha, files }
}

const unusable = (subject: string, problem: string): RtrError =>
  new RtrError("invalid_package", `Cannot use ${subject}: ${problem}`)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
