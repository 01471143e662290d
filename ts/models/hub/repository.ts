// Names of the hub: repositories, revisions and files, checked before they become part of a URL or a path.

import { RtrError } from "../../kernel/index.ts"

const part = "[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
const repositoryPattern = new RegExp(`^${part}/${part}$`)
const commitPattern = /^[0-9a-f]{40}$/

/** Whether a text is `organisation/name`. Two dashes in a row mean a slash in the cache, so no name has them. */
export const isRepository = (text: string): boolean =>
  repositoryPattern.test(text) && text.length <= 200 && !text.includes("--") && !text.includes("..")

export const isCommit = (revision: string): boolean => commitPattern.test(revision)

/** A branch, tag or commit that may stand in a URL and name a file under `refs/`. Throws an `RtrError` otherwise. */
export function checkRevision(revision: string): string {
  if (isInnerPath(revision) && /^[\w./-]+$/.test(revision) && revision.length <= 200) return revision
  throw new RtrError(
    "invalid_request",
    `Cannot use revision ${JSON.stringify(revision)}: it must be a branch, a tag or a commit`,
  )
}

/** Whether a path stays inside its folder on every system: relative, with `/`, without `.`, `..` or empty parts. */
export function isInnerPath(path: string): boolean {
  if (path.length > 1000 || [...path].some((character) => character < " " || "\\:\x7f".includes(character)))
    return false
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..")
}
