// The folder of the sockets of this router's workers, and what routers that were killed have left beside it.

import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RtrError } from "../kernel/index.ts"
import type { Environment } from "../kernel/runtime/node.ts"
import type { WorkerLog } from "./log.ts"
import { hasEnded, ownIdentity, type ProcessIdentity } from "./process-identity.ts"

export interface SocketFolder {
  readonly path: string
  remove(): void
}

/** Names the process that a folder belongs to. */
const ownerFile = "owner.json"

/** A folder that only this user can open: whoever can reach a worker's socket can read prompts. */
export function openSocketFolder(environment: Environment, log: WorkerLog): SocketFolder {
  const parent = environment["RTRUN_DIR"] || tmpdir()
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    sweep(parent, log)
    // A folder of its own, so that two routers with the same setting do not take each other's workers.
    const path = mkdtempSync(join(parent, "rtr-"))
    const removeFiles = (): void => rmSync(path, { recursive: true, force: true })
    process.once("exit", removeFiles)
    writeFileSync(join(path, ownerFile), JSON.stringify(ownIdentity()), { mode: 0o600 })
    return {
      path,
      remove() {
        process.off("exit", removeFiles)
        removeFiles()
      },
    }
  } catch (cause) {
    throw new RtrError(
      "unavailable",
      `Cannot make a folder for worker sockets in ${parent} (${(cause as NodeJS.ErrnoException).code}); RTRUN_DIR names another one`,
      { cause },
    )
  }
}

/**
 * Removes folders whose process was killed before it could. A folder without an owner may be another router's that is just
 * starting, so it stays; another router may remove the same folder at the same time.
 */
function sweep(parent: string, log: WorkerLog): void {
  const left = readdirSync(parent).filter((name) => /^rtr-\w{6}$/.test(name) && removeLeft(join(parent, name)))
  if (left.length > 0) log("info", "left_worker_folders_removed", { folder: parent, folders: left.length })
}

function removeLeft(path: string): boolean {
  try {
    if (!isOwnFolder(path) || !hasEnded(readOwner(path))) return false
    const files = readdirSync(path).filter((name) => name !== ownerFile)
    // Only what a router puts there, file by file: a folder that anybody has used for something else stays.
    if (files.some((name) => !/^\d+-.*\.(sock|models\.json)$/.test(name))) return false
    // The owner goes last, so that a folder that is left half removed is found again.
    for (const name of [...files, ownerFile]) unlinkSync(join(path, name))
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}

/** A real folder of this user that nobody else can write to. Links are not followed. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

function readOwner(path: string): ProcessIdentity {
  const file = join(path, ownerFile)
  if (!lstatSync(file).isFile()) throw new Error(`${file} is no file`)
  return JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity
}
