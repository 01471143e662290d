// A server in its own process: started, waited for, looked at, stopped.

import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { Address } from "./load/address.ts"

export interface ServerOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Open when the server can be used. */
  readonly address: Address
  readonly timeoutMs?: number
}

export interface ServerProcess {
  readonly name: string
  readonly pid: number
  /** From spawning until the address was open. */
  readonly readyMs: number
  /** Processor time used so far, children included; 0 where the system does not tell. */
  cpuMs(): number
  /** Resident memory of the process alone, in MiB; 0 where the system does not tell. */
  rssMib(): number
  /** Resolves with the exit status, or with the signal that ended the process. One that does not stop in ten seconds is killed. */
  stop(): Promise<number | NodeJS.Signals>
}

const running = new Set<ChildProcess>()

// An interrupted bench must not leave servers behind.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130))

/** Resolves when the address is open. Rejects with the end of the server's output when it exits or takes too long. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  if (await isOpen(options.address))
    throw new Error(`Cannot start ${options.name}: something listens on ${describe(options.address)} already`)
  const startedAt = performance.now()
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => (output = (output + piece.toString()).slice(-4000)))
  let ended: string | undefined
  child.on("error", (error) => (ended = error.message))
  child.on("exit", (code, signal) => {
    ended = `it ended with ${code ?? signal}`
    running.delete(child)
  })
  const until = startedAt + (options.timeoutMs ?? 120_000)
  while (!(await isOpen(options.address))) {
    if (ended !== undefined || performance.now() > until) {
      child.kill("SIGKILL")
      throw new Error(`Cannot start ${options.name}: ${ended ?? "it does not listen in time"}\n${output}`)
    }
    await sleep(5)
  }
  const pid = child.pid ?? 0
  return {
    name: options.name,
    pid,
    readyMs: performance.now() - startedAt,
    cpuMs: () => [pid, ...childrenOf(pid)].reduce((sum, id) => sum + cpuMsOf(id), 0),
    rssMib: () => rssMibOf(pid),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
        child.kill("SIGTERM")
        const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
        await exited
        clearTimeout(timer)
      }
      return child.exitCode ?? child.signalCode ?? 1
    },
  }
}

function isOpen(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
}

const describe = (address: Address): string => ("path" in address ? address.path : `port ${address.port}`)

// ── what Linux tells about a process ──

const millisecondsPerTick = 10

function cpuMsOf(pid: number): number {
  // The command's name may hold spaces; the numbers start behind its closing bracket.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ")
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * millisecondsPerTick
}

export function rssMibOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

/** Processes that this one started, and theirs. */
export function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? [])
    .flatMap((id) => [Number(id), ...childrenOf(Number(id))])
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The Node that runs this bench. */
export const node: string = realpathSync(process.execPath)
