// A lock between processes: a file that only one can create. Node has no advisory locks, so the holder keeps the file fresh instead.

import { randomUUID } from "node:crypto"
import { readlinkSync } from "node:fs"
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const refreshMs = 5_000
/** A holder that has not refreshed its lock for this long is gone, wherever it ran. */
const staleMs = 60_000
const pollMs = 100

/** Runs work while no other process holds the same lock. `onWait` is called once if it has to wait. */
export async function withLock<Value>(file: string, work: () => Promise<Value>, onWait?: () => void): Promise<Value> {
  const holder = JSON.stringify({ process: process.pid, host: hostName(), id: randomUUID() })
  await mkdir(dirname(file), { recursive: true })
  for (let waited = false; !(await acquire(file, holder)); waited = true) {
    if (!waited) onWait?.()
    await sleep(pollMs)
  }
  const refresh = setInterval(() => {
    const now = new Date()
    void utimes(file, now, now).catch(() => {})
  }, refreshMs)
  refresh.unref()
  try {
    return await work()
  } finally {
    clearInterval(refresh)
    if ((await readHolder(file)) === holder) await rm(file, { force: true })
  }
}

async function acquire(file: string, holder: string): Promise<boolean> {
  try {
    await writeFile(file, holder, { flag: "wx" })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  }
  const other = await readHolder(file)
  if (other !== undefined && (await isStale(file, other))) await removeStale(file, other)
  return false
}

const readHolder = (file: string): Promise<string | undefined> => readFile(file, "utf8").catch(() => undefined)

async function isStale(file: string, holder: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return false
  if (Date.now() - found.mtimeMs > staleMs) return true
  const { process: id, host } = parseHolder(holder)
  return host === hostName() && typeof id === "number" && !isRunning(id)
}

function parseHolder(holder: string): { process?: unknown; host?: unknown } {
  try {
    return JSON.parse(holder) as { process?: unknown; host?: unknown }
  } catch {
    // Its holder is about to write it.
    return {}
  }
}

/** Where process numbers mean the same: containers may share a host's name but count their processes for themselves. */
function hostName(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return hostname()
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Takes the file away and looks at it again: if another process was faster, it is that one's new lock, and goes back. */
async function removeStale(file: string, holder: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`
  try {
    await rename(file, aside)
  } catch {
    return
  }
  if ((await readHolder(aside)) !== holder) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
}
