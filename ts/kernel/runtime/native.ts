// The only importer of the addon: finds it and the ONNX Runtime library, and offers inference inside this process.

import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { type ErrorCode, errorCodes, RtrError } from "../error.ts"
import type {
  DeploymentStatus,
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
} from "../types/inference.ts"
import { fromBundleReply, toBundleBody } from "./worker-bodies/bundle-body.ts"
import { findUp } from "./find-up.ts"

/** Options of the engine; see `rtrun serve --help` for what each limit means. */
export interface EngineOptions {
  readonly runtimeLibrary: string
  readonly models: readonly EngineModel[]
  readonly threads?: number
  readonly logLevel?: string
  /** Bound before any model is loaded; `serve` without an address serves it. */
  readonly listen?: ServeAddress
  readonly maxQueue?: number
  readonly maxQueuedTokens?: number
  readonly maxBatchTokens?: number
  readonly maxRequestBytes?: number
  readonly maxBundleTasks?: number
  readonly batchWindowMs?: number
  readonly resultCacheEntries?: number
  readonly loadAttempts?: number
  readonly loadRetrySeconds?: number
  readonly memoryBudgetGib?: number
  /** Panics on purpose, once in so many seconds at each place that can have one; `RTRUN_PANIC_EVERY_SECONDS` when left out. */
  readonly panicEverySeconds?: number
  /** Folder that keeps what comparing profiles found; without one, models with `max_speed` compare at every load. */
  readonly verdicts?: string
}

export interface EngineModel {
  readonly name: string
  readonly path: string
  readonly family?: string
  readonly device?: string
  readonly profile?: string
  readonly engine?: string
  readonly memoryBudgetGib?: number
  /** Folder of the base model of an adapter. */
  readonly basePath?: string
  /** The commit of the package, which its card then tells. */
  readonly revision?: string
  /** The most tokens of an input that is read in windows, unless a request says otherwise. */
  readonly maxScanTokens?: number
}

export interface ModelState {
  readonly id: string
  readonly status: DeploymentStatus["state"]
  readonly reason?: string
}

export interface ServeAddress {
  readonly uds?: string
  readonly host?: string
  readonly port?: number
}

/** Loaded models behind a handle. */
export interface Engine {
  /** Resolves when every model is ready or has failed for good. */
  ready(): Promise<readonly ModelState[]>
  /** The state of every model now: one whose thread panicked is loaded again. */
  states(): readonly ModelState[]
  describe(): Promise<{ readonly apiVersion: string; readonly models: readonly Readonly<Record<string, unknown>>[] }>
  /** Answers the body of `POST /v1/bundle` as the worker would. Rejects with the code of its error body. */
  ask(body: string, caller?: string): Promise<string>
  /** Says that nobody waits for the calls of a caller any more: they reject, and nothing more is computed for them. */
  leave(caller: string): void
  /** Serves the worker's HTTP contract, at the address of `listen` unless one is given. */
  serve(address?: ServeAddress): Promise<ServeAddress>
  /** Pending while a server runs. */
  closed(): Promise<void>
  close(graceMs?: number): Promise<void>
}

export interface Device {
  readonly id: string
  readonly kind: string
  readonly available: boolean
  readonly reason?: string
  readonly [detail: string]: unknown
}

/** What became of the profile that a model was asked to serve. */
export interface ProfileReport {
  readonly asked: string
  readonly served: string
  /** In which precision products are computed. */
  readonly precision: string
  /** Texts whose answers were compared with those of `exact`. */
  readonly probes: number
  /** The part of the labels that are the same. */
  readonly label_agreement?: number
  readonly least_cosine?: number
  /** Why another profile is served than was asked for. */
  readonly reason?: string
}

interface Addon {
  readonly Engine: {
    open(options: EngineOptions): Promise<Engine>
    devices(runtimeLibrary: string): Promise<readonly Device[]>
  }
}

const require = createRequire(import.meta.url)
const fileName = `rtrun.${process.platform}-${process.arch}.node`

let loaded: Addon | undefined

function addon(): Addon {
  if (loaded !== undefined) return loaded
  const path = findUp(join("native", fileName))
  if (path === undefined)
    throw new RtrError(
      "unavailable",
      `Cannot find the addon native/${fileName}; in a checkout, build it with: npm run build`,
    )
  loaded = require(path) as Addon
  return loaded
}

const libraryNames: Readonly<Record<string, string>> = {
  linux: "libonnxruntime.so.1",
  darwin: "libonnxruntime.dylib",
  win32: "onnxruntime.dll",
}

/** Path of the ONNX Runtime library: `RTRUN_ONNXRUNTIME`, the copy in the package, or the one of `onnxruntime-node`. */
export function findRuntimeLibrary(): string {
  const name = libraryNames[process.platform] ?? "libonnxruntime.so.1"
  const path =
    process.env["RTRUN_ONNXRUNTIME"] ??
    findUp(join("native", name)) ??
    findUp(join("node_modules/onnxruntime-node/bin/napi-v6", process.platform, process.arch, name))
  if (path === undefined)
    throw new RtrError("unavailable", `Cannot find the ONNX Runtime library ${name}; set RTRUN_ONNXRUNTIME to its path`)
  return path
}

/** Opens an engine; loading goes on in the background. Rejects with an `RtrError` for impossible options. */
export async function openEngine(
  options: Omit<EngineOptions, "runtimeLibrary"> & { readonly runtimeLibrary?: string },
): Promise<Engine> {
  withoutTelemetry()
  return withCode(addon().Engine.open({ runtimeLibrary: findRuntimeLibrary(), ...readPanics(), ...options }))
}

/** The library reads this when it loads. A worker thread has a copy of the environment: there the engine refuses to load it. */
function withoutTelemetry(): void {
  process.env["ORT_DISABLE_TELEMETRY"] = "1"
}

/** Whoever starts the process may want to see that it stands panics. */
function readPanics(): Pick<EngineOptions, "panicEverySeconds"> {
  const name = "RTRUN_PANIC_EVERY_SECONDS"
  const value = process.env[name]
  if (value === undefined) return {}
  const panicEverySeconds = Number(value)
  if (!(panicEverySeconds > 0))
    throw new RtrError("invalid_options", `${name} is "${value}"; it must be a number of seconds above 0`)
  return { panicEverySeconds }
}

export async function listDevices(): Promise<readonly Device[]> {
  withoutTelemetry()
  return withCode(addon().Engine.devices(findRuntimeLibrary()))
}

export interface NativeInferenceOptions {
  /** Folders of packages by deployment name. */
  readonly models: Readonly<Record<string, string>>
  readonly threads?: number
}

/** Inference inside this process. Rejects when a model cannot be loaded. */
export async function createNativeInference(options: NativeInferenceOptions): Promise<Inference> {
  const models = Object.entries(options.models).map(([name, path]) => ({ name, path }))
  // Whoever embeds the engine wants to know at once; trying again is for services.
  const engine = await openEngine({ models, loadAttempts: 1, threads: options.threads ?? availableParallelism() })
  const states = await engine.ready()
  const failed = states.find(({ status }) => status !== "ready")
  if (failed !== undefined) {
    await engine.close()
    throw new RtrError("unavailable", `Cannot load model "${failed.id}": ${failed.reason ?? failed.status}`)
  }
  return {
    bundle: (tasks, given = {}) => answerUntilLeft(engine, tasks, given),
    status: () =>
      engine.states().map(({ id, status, reason }) => ({
        name: id,
        artifact: options.models[id] ?? id,
        process: "in-process",
        state: status,
        ready: status === "ready",
        ...(reason === undefined ? {} : { reason }),
        restarts: 0,
      })),
    close: () => engine.close(),
  }
}

let callers = 0

/** Ends the work for a caller that leaves, as a closed connection does it at a worker. */
async function answerUntilLeft(
  engine: Engine,
  tasks: readonly InferenceTask[],
  { deadlineMs, signal, source }: InferenceOptions,
): Promise<readonly InferenceAnswer[]> {
  const body = toBundleBody(tasks, ({ deployment: model }) => ({ model, overflow: "truncate" }), { deadlineMs, source })
  if (signal === undefined) return fromBundleReply(200, await withCode(engine.ask(body)), tasks)
  const caller = source ?? `call ${(callers += 1)}`
  const leave = (): void => engine.leave(caller)
  signal.addEventListener("abort", leave, { once: true })
  try {
    signal.throwIfAborted()
    return fromBundleReply(200, await withCode(engine.ask(body, caller)), tasks)
  } catch (cause) {
    if (!signal.aborted) throw cause
    const error = new RtrError("client_closed_request", "the client left", { cause })
    return tasks.map(() => ({ kind: "error", error }))
  } finally {
    signal.removeEventListener("abort", leave)
  }
}

const asCode = (code: unknown): ErrorCode =>
  typeof code === "string" && code in errorCodes ? (code as ErrorCode) : "internal_error"

/** Turns the addon's errors, which carry a code, into ours. */
async function withCode<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (cause) {
    throw new RtrError(
      asCode((cause as { code?: unknown } | null)?.code),
      cause instanceof Error ? cause.message : "The engine failed",
      { cause },
    )
  }
}
