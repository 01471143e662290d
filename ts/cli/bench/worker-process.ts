// A worker of one model in a process of its own, as `rtrun serve` starts it, on a private Unix socket.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { RtrError } from "rtr"
import { createWorkerClient, type WorkerClient } from "./worker-client.ts"

export interface WorkerProcess {
  readonly client: WorkerClient
  readonly card: ModelCard
  /** From starting the process until the model was ready. */
  readonly readyMs: number
  /** Undefined where the system does not tell. */
  memoryMib(): Memory | undefined
  stop(): Promise<void>
}

/** Resident memory of the process, in MiB. */
export interface Memory {
  readonly now: number
  readonly peak: number
}

/** What a bench reads of a model card of `GET /v1/models`. */
export interface ModelCard {
  readonly id: string
  readonly family: string
  readonly surfaces: readonly string[]
  readonly question_types: readonly string[]
  readonly heads: readonly { readonly name: string; readonly inputs: readonly string[] }[]
  readonly limits: { readonly truncate_tokens: number }
  readonly profile: string
  readonly profile_report?: { readonly served: string; readonly reason?: string }
  readonly engine: string
  readonly device: string
  readonly threads?: number
}

const pollMs = 20
const killAfterMs = 10_000

/** Starts `rtrun serve` with these arguments. Rejects with an `RtrError` when the process ends or the model cannot be loaded. */
export async function startWorkerProcess(serveArguments: readonly string[]): Promise<WorkerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "rtrun-bench-"))
  const socketPath = join(folder, "worker.sock")
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? "", "serve", ...serveArguments, "--uds", socketPath],
    // Standard input is a lifeline: the worker ends when this process does, however it ends.
    { stdio: ["pipe", "ignore", "pipe"], env: { ...process.env, RTRUN_EXIT_WITH_STDIN: "1", NO_COLOR: "1" } },
  )
  child.stdin.on("error", () => {})
  let output = ""
  child.stderr.on("data", (piece: Buffer) => (output = (output + piece.toString()).slice(-4000)))
  const client = createWorkerClient(socketPath)
  const stop = async (): Promise<void> => {
    client.close()
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitUntilReady(child, client, () => output)
    const readyMs = performance.now() - startedAt
    const { body } = await client.ask("GET", "/v1/models")
    const [card] = body["models"] as readonly ModelCard[]
    if (card === undefined) throw new RtrError("internal_error", "The worker lists no model")
    return { client, card, readyMs, memoryMib: () => memoryOf(child.pid ?? 0), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function waitUntilReady(child: ChildProcess, client: WorkerClient, output: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new RtrError("unavailable", `Cannot start the worker: ${firstError(output())}`)
    const health = await client.ask("GET", "/health").catch(() => undefined)
    if (health?.status === 200) return
    const [model] = (health?.body["models"] ?? []) as readonly { status: string; reason?: string }[]
    if (model?.status === "failed") throw new RtrError("unavailable", model.reason ?? firstError(output()))
    await sleep(pollMs)
  }
}

/** What `rtrun serve` said when it gave up. */
function firstError(output: string): string {
  return /Error: (.*)/i.exec(output)?.[1] ?? (output.trim() || "it ended without a word")
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs)
  await exited
  clearTimeout(timer)
}

function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    const mebibytes = (name: string): number =>
      Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024)
    return { now: mebibytes("VmRSS"), peak: mebibytes("VmHWM") }
  } catch {
    return undefined
  }
}
