// Warns of a document with keys in it that every user of the machine can read.

import { statSync } from "node:fs"
import type { DocumentPath, Problem } from "rtr"
import type { LoadedDocument } from "rtr/node"

/** Others; a group is given on purpose, as for a service in /etc. */
const readableByAll = 0o004

/** The warning, or undefined for a file that is private, has no literal `secrets`, or lies where files have no such modes. */
export function exposedKeysWarning(
  path: string,
  secrets: readonly DocumentPath[],
  locate: LoadedDocument["locate"],
): Problem | undefined {
  const [first, ...others] = secrets
  if (first === undefined || process.platform === "win32") return undefined
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true || (found.mode & readableByAll) === 0) return undefined
  const what =
    others.length === 0
      ? first.includes("extra_headers")
        ? "may be a key"
        : "is a key"
      : `and ${others.length} more are keys`
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0")
  const position = locate(first)
  return {
    path: first,
    ...(position !== undefined && { position }),
    code: "invalid",
    message: `${what} that every user of this machine can read (mode ${mode}); run chmod 600 ${path}, or write \${VARIABLE} instead`,
  }
}
