// Who a process is, in a form that a file can keep: a process id alone is given to somebody else later.

import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in the system's own unit; undefined where the system does not tell. */
  readonly start?: string | undefined
  /** Where the id means this process: one boot of one machine, and one container on it. */
  readonly space: string
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid), space: ownSpace() }
}

/** Whether the process has certainly ended. One of another machine, boot or container cannot be told about. */
export function hasEnded({ pid, start, space }: ProcessIdentity): boolean {
  if (space !== ownSpace() || !Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user is there all the same (EPERM).
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
  const found = startOf(pid)
  return start !== undefined && found !== undefined && found !== start
}

/** Field 22 of /proc/<pid>/stat. The name before it may hold anything, so fields are counted from its closing bracket. */
function startOf(pid: number): string | undefined {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

function ownSpace(): string {
  const boot = readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim())
  const container = readOr(() => readlinkSync("/proc/self/ns/pid"))
  return [hostname(), boot, container].filter((part) => part !== undefined).join(" ")
}

function readOr(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
