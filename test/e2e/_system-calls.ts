// What a process and its children ask of the system, as strace tells it: whom they reach and what they write.

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"

/** Whether calls can be traced here. */
export const canTrace: boolean = process.platform === "linux" && spawnSync("strace", ["-V"]).status === 0

const writing = ["openat", "open", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat"]
const others = ["symlink", "symlinkat", "unlink", "unlinkat", "truncate", "mknod", "mknodat"]

/** Arguments of strace, before the command: calls of the network and those that change files, to a log. */
export const traceArguments = (log: string): readonly string[] => [
  "--follow-forks",
  "--seccomp-bpf",
  "--quiet=all",
  "--string-limit=4096",
  `--output=${log}`,
  `--trace=%network,${[...writing, ...others].join(",")}`,
]

export interface Traced {
  /** Addresses on a network that the processes sent to or connected to, tried ones too. */
  readonly reached: readonly string[]
  /** Addresses on a network that they listen on. */
  readonly bound: readonly string[]
  /** Files and folders that they made, opened for writing, renamed or removed. */
  readonly written: readonly string[]
  /** Calls in the log; none at all would show nothing. */
  readonly calls: number
}

/** Reads a log. Relative paths are relative to `folder`. */
export function readTrace(log: string, folder: string): Traced {
  const lines = readFileSync(log, "utf8").split("\n")
  const reached: string[] = []
  const bound: string[] = []
  const written: string[] = []
  for (const line of lines) {
    const call = /^\d+\s+(?:<\.\.\. )?(\w+)/.exec(line)?.[1] ?? ""
    const address = /sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?"([^"]+)"/.exec(line)
    if (address !== null) (call === "bind" ? bound : reached).push(`${call} ${address[2]}:${address[1]}`)
    if (!isReceiving(call) && isWrite(call, line))
      written.push(...[...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = ""]) => resolve(folder, path)))
  }
  return { reached: reached.filter((text) => !isReceiving(text)), bound, written, calls: lines.length }
}

/** Names of the other end, which the system tells; nothing was sent with these calls. */
const isReceiving = (call: string): boolean => /^(accept|getsockname|getpeername|recv)/.test(call)

function isWrite(call: string, line: string): boolean {
  // A call that failed changed nothing.
  if (/ = -1 E/.test(line)) return false
  if (call.startsWith("open")) return /O_(WRONLY|RDWR|CREAT)/.test(line)
  return writing.includes(call) || others.includes(call)
}
