// A pool whose workers are processes without models.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Inference, Metrics } from "rtr"
import { createWorkerPool, type WorkerPool } from "rtr/node"
import { onTestFinished } from "vitest"
import { emptyFolder } from "./hub.ts"
import { createRecordedMetrics } from "./metrics.ts"
import type { FakeModel } from "./worker-process.ts"

export interface TestPool {
  readonly pool: WorkerPool
  /** Parent of the folder of sockets. */
  readonly folder: string
  /** How many processes the pool has spawned. */
  spawned(): number
  readonly events: readonly { readonly event: string; readonly [field: string]: unknown }[]
}

/** The pool is closed when the test ends. */
export function startTestPool(metrics: Metrics = createRecordedMetrics(), environment: object = {}): TestPool {
  const folder = emptyFolder()
  const command = join(folder, "worker.sh")
  const log = join(folder, "spawned.log")
  const script = join(import.meta.dirname, "worker-process.ts")
  writeFileSync(command, `#!/bin/sh\necho >> "${log}"\nexec "${process.execPath}" "${script}" "$@"\n`, { mode: 0o700 })
  const events: { event: string }[] = []
  const sockets = emptyFolder()
  const pool = createWorkerPool({
    metrics,
    environment: { PATH: process.env["PATH"], RTRUN_COMMAND: command, RTRUN_DIR: sockets, ...environment },
    log: (level, event, fields) => events.push({ ...fields, level, event } as { event: string }),
  })
  onTestFinished(() => pool.close())
  return { pool, folder: sockets, events, spawned: () => readFileSync(log, "utf8").length }
}

export interface FakePackage {
  readonly folder: string
  /** Changes how the model behaves from now on. */
  behave(model: FakeModel): void
  /** Ids of all processes that were started with this package. */
  started(): readonly number[]
  /** Those that still run. */
  running(): readonly number[]
  /** How often a path was asked of the processes. */
  asked(path: string): number
}

export function fakePackage(model: FakeModel = {}): FakePackage {
  const folder = emptyFolder()
  const behave = (now: FakeModel): void => writeFileSync(join(folder, "fake.json"), JSON.stringify(now))
  const started = (): readonly number[] =>
    readdirSync(folder).flatMap((name) => (name.endsWith(".pid") ? [Number.parseInt(name, 10)] : []))
  behave(model)
  return {
    folder,
    behave,
    started,
    running: () => started().filter(isRunning),
    asked: (path) => {
      const log = join(folder, "asked.log")
      return existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter((line) => line === path).length
        : 0
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Who answers for a deployment, and with which options it is asked; the error's code when there is no answer. */
export async function whoAnswers(
  inference: Inference,
  deployment: string,
): Promise<{ readonly pid?: number; readonly options?: object; readonly code?: string }> {
  const [answer] = await inference.bundle([{ kind: "classify", deployment, text: "hello" }])
  if (answer?.kind === "error") return { code: answer.error.code }
  const [pid, options] = answer?.kind === "classify" ? answer.classification.labels : []
  return { pid: Number(pid), options: JSON.parse(String(options)) as object }
}
