// One worker process that this router started: watched, started again when it ends, stopped when no lease uses it.

import { type ChildProcess, spawn } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type DeploymentStatus, type Metrics, RtrError } from "../kernel/index.ts"
import { createNodeTransport, type Environment, type NeededDeployment } from "../kernel/runtime/node.ts"
import { workerCommand, workerEnvironment } from "./environment.ts"
import { createHealthReader, type Health, type HealthReader } from "./health.ts"
import type { WorkerLog } from "./log.ts"
import type { ModelState, Worker, WorkerAddress } from "./worker.ts"

/** Waits before repeated restarts: the shortest and the longest. A single failure is followed by a restart without a wait. */
const shortestRestartMs = 1000
const longestRestartMs = 60_000
/** A process that ran this long had not failed at its start. */
const stableMs = 60_000
/** A process that ends so often before its first answer will not come up by itself. */
const hopelessEnds = 3
const startPollMs = 50
/** A process that has answered before and now misses this many polls hangs; each waits two seconds. */
const hungPolls = 4
const watchPollMs = 5000
const killAfterMs = 10_000
/** Bytes that a managed worker accepts in one request. */
const maxRequestBytes = 64 * 1024 * 1024

export interface ProcessContext {
  readonly folder: string
  /** Number of this process among all of its pool: two processes of one name may run at the same time. */
  readonly serial: number
  readonly threads: number
  readonly environment: Environment
  readonly metrics: Metrics
  readonly log: WorkerLog
  /** Called whenever a state may have changed. */
  readonly changed: () => void
}

export interface ModelsEntry {
  readonly model: string | undefined
  readonly name: string
  readonly device: string
  readonly profile: string
}

/** The entry of a deployment in the models file of its process. Leases that share the process may differ in everything else. */
export function toModelsEntry(deployment: NeededDeployment): ModelsEntry {
  return {
    model: deployment.artifact,
    name: deployment.name,
    device: deployment.device ?? "auto",
    profile: deployment.profile ?? "exact",
  }
}

export class ManagedProcess implements Worker {
  readonly process: string
  readonly address: WorkerAddress
  readonly #members: readonly string[]
  readonly #context: ProcessContext
  readonly #socketPath: string
  readonly #modelsFile: string
  // Its own connections, so that stopping it closes all of them.
  readonly #transport = createNodeTransport()
  readonly #reader: HealthReader
  #child: ChildProcess | undefined
  #health: Health | undefined
  #restarts = 0
  #endsWithoutAnswer = 0
  #wasReady = false
  #waitMs = 0
  #restartTimer: NodeJS.Timeout | undefined
  #stopping: Promise<void> | undefined

  constructor(name: string, members: readonly NeededDeployment[], context: ProcessContext) {
    this.process = name
    this.#members = members.map((member) => member.name)
    this.#context = context
    // A path of a socket has room for about a hundred characters.
    const file = join(context.folder, `${context.serial}-${name.slice(0, 32)}`)
    this.#socketPath = `${file}.sock`
    this.#modelsFile = `${file}.models.json`
    this.address = { origin: "http://localhost", socketPath: this.#socketPath }
    this.#reader = createHealthReader(this.#transport, this.address, "when ready")
    writeModelsFile(this.#modelsFile, members)
    this.#start()
  }

  get restarts(): number {
    return this.#restarts
  }

  model(servedName: string): ModelState | undefined {
    if (!this.#wasReady && this.#endsWithoutAnswer >= hopelessEnds)
      return {
        status: "failed",
        reason: `its process ended ${hopelessEnds} times before it answered; its log says why`,
      }
    return this.#health?.get(servedName)
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restartTimer)
    if (this.#child !== undefined) await this.#end(this.#child)
    await this.#transport.close()
    rmSync(this.#socketPath, { force: true })
    rmSync(this.#modelsFile, { force: true })
  }

  async #end(child: ChildProcess): Promise<void> {
    // It never started, or it has ended.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.kill("SIGTERM")
    const timer = setTimeout(() => {
      this.#context.log("warning", "runtime_process_killed", { process: this.process })
      child.kill("SIGKILL")
    }, killAfterMs)
    await exited
    clearTimeout(timer)
  }

  #start(): void {
    const startedAt = Date.now()
    let child: ChildProcess
    try {
      child = this.#spawn()
    } catch (error) {
      // Node throws some failures and reports others; a full memory may do either.
      this.#logFailure(error as Error)
      this.#ended(0, null, null)
      return
    }
    this.#child = child
    child.stdin?.on("error", () => {})
    child.on("error", (error) => this.#logFailure(error))
    child.once("close", (code, signal) => this.#ended(Date.now() - startedAt, code, signal))
    void this.#watch(child)
  }

  #logFailure(error: Error): void {
    this.#context.log("error", "runtime_process_failed", { process: this.process, reason: error.message })
  }

  #spawn(): ChildProcess {
    const [command, ...prefix] = workerCommand(this.#context.environment)
    return spawn(
      command,
      [
        ...prefix,
        "serve",
        "--models",
        this.#modelsFile,
        "--uds",
        this.#socketPath,
        "--threads",
        String(this.#context.threads),
        "--log-level",
        "warning",
        "--max-request-bytes",
        String(maxRequestBytes),
      ],
      // Standard input is a lifeline: the worker ends when this process does, however it ends.
      {
        stdio: ["pipe", 2, 2],
        env: { ...workerEnvironment(this.#context.environment), RTRUN_EXIT_WITH_STDIN: "1" },
        // In a group of its own: Ctrl-C in a terminal is for the router, whose running requests still need the worker.
        detached: true,
      },
    )
  }

  #ended(ranMs: number, code: number | null, signal: string | null): void {
    this.#endsWithoutAnswer = this.#health === undefined ? this.#endsWithoutAnswer + 1 : 0
    this.#reader.forget()
    this.#setHealth(undefined)
    if (this.#stopping !== undefined) return
    const wait = ranMs > stableMs ? 0 : this.#waitMs
    this.#waitMs = Math.min(longestRestartMs, Math.max(shortestRestartMs, wait * 2))
    this.#context.log("warning", "runtime_process_exited", { process: this.process, code, signal, restart_ms: wait })
    this.#restarts += 1
    for (const deployment of this.#members)
      this.#context.metrics.counter("rtr_model_runtime_restarts_total", { deployment }).add()
    this.#restartTimer = setTimeout(() => this.#start(), wait).unref()
  }

  async #watch(child: ChildProcess): Promise<void> {
    // A process that is stopping finishes its running requests; a missed poll is no sign that it hangs.
    const alive = (): boolean =>
      this.#stopping === undefined && this.#child === child && child.exitCode === null && child.signalCode === null
    let missed = 0
    while (alive()) {
      const health = await this.#reader.read()
      if (!alive()) return
      // A slow answer is no reason to give up what the process serves; several in a row are.
      missed = health === undefined && this.#health !== undefined ? missed + 1 : 0
      if (missed === 0) this.#setHealth(health)
      if (missed >= hungPolls) {
        this.#context.log("warning", "runtime_process_hangs", { process: this.process })
        child.kill("SIGKILL")
        return
      }
      // A process that serves nothing is started again; before the first time, the router itself gives up.
      if (this.#wasReady && health !== undefined && this.#isEvery(health, "failed")) {
        child.kill("SIGKILL")
        return
      }
      const settled = health !== undefined && this.#isEvery(health, "ready")
      await sleep(settled ? watchPollMs : startPollMs, undefined, { ref: false })
    }
  }

  #isEvery(health: Health, status: DeploymentStatus["state"]): boolean {
    return this.#members.every((name) => health.get(name)?.status === status)
  }

  #setHealth(health: Health | undefined): void {
    this.#health = health
    this.#wasReady ||= health !== undefined && this.#isEvery(health, "ready")
    this.#context.changed()
  }
}

function writeModelsFile(file: string, members: readonly NeededDeployment[]): void {
  try {
    writeFileSync(file, JSON.stringify(members.map(toModelsEntry)), { mode: 0o600 })
  } catch (cause) {
    throw new RtrError("unavailable", `Cannot write ${file} (${(cause as NodeJS.ErrnoException).code})`, { cause })
  }
}
