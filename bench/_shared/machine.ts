// What a result was measured on.

import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os"
import { join } from "node:path"
import { repository } from "./options.ts"

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGib: number
  readonly system: string
  /** Processes that wanted a core during the minute before; well above 0 means that others were busy. */
  readonly loadBefore: number
}

export interface Origin {
  readonly date: string
  readonly commit: string
  /** The working tree had changes that the commit does not have. */
  readonly changed: boolean
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
}

export function readOrigin(versions: Readonly<Record<string, string>> = {}): Origin {
  return {
    date: new Date().toISOString(),
    commit: git("rev-parse", "--short=12", "HEAD"),
    changed: git("status", "--porcelain", "--", ".", ":!bench/results") !== "",
    machine: {
      processor: cpus()[0]?.model.trim() ?? "unknown",
      cores: availableParallelism(),
      memoryGib: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${release()} ${arch()}`,
      loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
    },
    versions: { rtr: versionOf(join(repository, "package.json")), node: process.versions.node, ...versions },
  }
}

/** Version of a package that the repository has installed. */
export function installedVersion(name: string): string {
  return versionOf(join(repository, "node_modules", name, "package.json"))
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return "unknown"
  }
}
