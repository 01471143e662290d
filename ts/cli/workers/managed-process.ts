// One worker process that this router started: watched, started again when it ends, stopped with the router.

import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { DeploymentStatus, Metrics, Transport } from "rtr"
import type { NeededDeployment, RemoteDeployment } from "rtr/node"
import { logEvent } from "../print.ts"
import { type Environment, threadsOf, workerCommand, workerEnvironment } from "./environment.ts"
import { readServedHeads, withFit } from "./served-heads.ts"
import { type Health, readHealth, remoteInput } from "./health.ts"

/** Waits before repeated restarts: the shortest and the longest (spec 2, Limits). A lone failure is mended at once. */
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
/** Bytes that a managed worker accepts in one request (spec 2, Limits). */
const maxRequestBytes = 64 * 1024 * 1024

export interface ProcessContext {
  readonly folder: string
  readonly transport: Transport
  readonly metrics: Metrics
  readonly environment: Environment
}

export class ManagedProcess {
  readonly #name: string
  readonly #members: readonly NeededDeployment[]
  readonly #context: ProcessContext
  readonly #socketPath: string
  readonly #modelsFile: string
  #child: ChildProcess | undefined
  #health: Health | undefined
  #restarts = 0
  #endsWithoutAnswer = 0
  #wasReady = false
  #waitMs = 0
  #stopping = false

  constructor(name: string, members: readonly NeededDeployment[], context: ProcessContext) {
    this.#name = name
    this.#members = members
    this.#context = context
    this.#socketPath = join(context.folder, `${name}.sock`)
    this.#modelsFile = join(context.folder, `${name}.models.json`)
    writeFileSync(this.#modelsFile, JSON.stringify(members.map(toModelsEntry)), { mode: 0o600 })
    this.#start()
  }

  remoteDeployments(): readonly RemoteDeployment[] {
    return this.#members.map((member) => ({
      ...remoteInput(member),
      name: member.name,
      servedName: member.name,
      origin: "http://localhost",
      socketPath: this.#socketPath,
    }))
  }

  status(): readonly DeploymentStatus[] {
    const hopeless = !this.#wasReady && this.#endsWithoutAnswer >= hopelessEnds
    return this.#members.map((member) => {
      const model = hopeless
        ? ({
            status: "failed",
            reason: `its process ended ${hopelessEnds} times before it answered; its log says why`,
          } as const)
        : this.#health?.models.get(member.name)
      const state = model?.status ?? "starting"
      return {
        name: member.name,
        artifact: member.artifact ?? "",
        process: this.#name,
        state,
        ready: state === "ready",
        restarts: this.#restarts,
        ...(model?.reason !== undefined && { reason: model.reason }),
      }
    })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.kill("SIGTERM")
    const timer = setTimeout(() => {
      logEvent("warning", "runtime_process_killed", { process: this.#name })
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
    logEvent("error", "runtime_process_failed", { process: this.#name, reason: error.message })
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
        String(threadsOf(this.#context.environment)),
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
    this.#setHealth(undefined)
    if (this.#stopping) return
    const wait = ranMs > stableMs ? 0 : this.#waitMs
    this.#waitMs = Math.min(longestRestartMs, Math.max(shortestRestartMs, wait * 2))
    logEvent("warning", "runtime_process_exited", { process: this.#name, code, signal, restart_ms: wait })
    this.#restarts += 1
    for (const { name } of this.#members)
      this.#context.metrics.counter("rtr_model_runtime_restarts_total", { deployment: name }).add()
    setTimeout(() => {
      if (!this.#stopping) this.#start()
    }, wait).unref()
  }

  async #watch(child: ChildProcess): Promise<void> {
    const alive = (): boolean => this.#child === child && child.exitCode === null && child.signalCode === null
    let missed = 0
    while (alive()) {
      const health = await this.#readHealth()
      if (!alive()) return
      // A slow answer is no reason to give up what the process serves; several in a row are.
      missed = health === undefined && this.#health !== undefined ? missed + 1 : 0
      if (missed === 0) this.#setHealth(health)
      if (missed >= hungPolls) {
        logEvent("warning", "runtime_process_hangs", { process: this.#name })
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

  async #readHealth(): Promise<Health | undefined> {
    const { transport } = this.#context
    const address = { origin: "http://localhost", socketPath: this.#socketPath }
    const served = this.#members.map((member) => ({ ...member, servedName: member.name }))
    return withFit(await readHealth(transport, address), served, () => readServedHeads(transport, address))
  }

  #isEvery(health: Health, status: DeploymentStatus["state"]): boolean {
    return this.#members.every(({ name }) => health.models.get(name)?.status === status)
  }

  #setHealth(health: Health | undefined): void {
    this.#health = health
    this.#wasReady ||= health !== undefined && this.#isEvery(health, "ready")
    for (const { name } of this.#members)
      this.#context.metrics
        .gauge("rtr_model_runtime_ready", { deployment: name })
        .set(health?.models.get(name)?.status === "ready" ? 1 : 0)
  }
}

function toModelsEntry(deployment: NeededDeployment): object {
  return {
    model: deployment.artifact,
    name: deployment.name,
    device: deployment.device ?? "auto",
    profile: deployment.profile ?? "exact",
  }
}
