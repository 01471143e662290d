// The only importer of the addon: finds it and the ONNX Runtime library, and offers inference inside this process.

import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { type ErrorCode, errorCodes, RtrError } from "../error.ts"
import type {
  DeploymentStatus,
  Inference,
  InferenceAnswer,
  InferenceTask,
  TextSpan,
  TokenCounts,
} from "../types/inference.ts"
import { toCodeUnits } from "./code-units.ts"
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

export interface EngineTask {
  readonly id: string
  readonly model?: string
  readonly kind: "classify" | "embeddings"
  readonly head?: string
  readonly input: readonly string[]
  readonly overflow?: "truncate" | "reject" | "window"
  /** Probability that a label or a span needs; the head's own when left out. */
  readonly threshold?: number
  readonly maxTokens?: number
}

export interface EngineTaskResult {
  readonly id: string
  readonly status: number
  readonly error?: { readonly code: string; readonly message: string }
  readonly labels?: readonly string[]
  /** Rows of label probabilities, row after row. */
  readonly probabilities?: Float32Array
  /** Of an input that was read in several windows: rows of their label probabilities. In the order of the inputs. */
  readonly windows?: readonly Float32Array[]
  /** Of a token head: the spans of each input. Places count code points. */
  readonly spans?: readonly (readonly TextSpan[])[]
  /** Rows of vectors, row after row. */
  readonly vectors?: Float32Array
  readonly inputs?: readonly TokenCounts[]
  readonly itemErrors?: readonly { readonly index: number; readonly code: string; readonly message: string }[]
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
  describe(): Promise<{ readonly apiVersion: string; readonly models: readonly Readonly<Record<string, unknown>>[] }>
  bundle(tasks: readonly EngineTask[], deadlineMs?: number): Promise<readonly EngineTaskResult[]>
  /** Answers the body of `POST /v1/<surface>` as the worker would. Rejects with the code of its error body. */
  ask(
    surface: "decisions" | "classify" | "embeddings" | "rerank",
    body: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
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
  // The library reads this when it loads; the engine sets it again on its side, where worker threads cannot hide it.
  process.env["ORT_DISABLE_TELEMETRY"] = "1"
  return withCode(addon().Engine.open({ runtimeLibrary: findRuntimeLibrary(), ...options }))
}

export async function listDevices(): Promise<readonly Device[]> {
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
    async bundle(tasks, { deadlineMs } = {}) {
      const results = await withCode(engine.bundle(tasks.map(toEngineTask), deadlineMs))
      return results.map((result, index) => toAnswer(result, tasks[index]))
    },
    status: () =>
      models.map(({ name, path }) => ({
        name,
        artifact: path,
        process: "in-process",
        state: "ready",
        ready: true,
        restarts: 0,
      })),
    close: () => engine.close(),
  }
}

function toEngineTask(task: InferenceTask, index: number): EngineTask {
  const common = { id: String(index), model: task.deployment, input: [task.text] }
  if (task.kind === "embed")
    return { ...common, kind: "embeddings", overflow: task.whole === true ? "reject" : "truncate" }
  const threshold = task.kind === "spans" ? task.threshold : undefined
  return {
    ...common,
    kind: "classify",
    overflow: task.whole === true ? "window" : "truncate",
    ...(task.head !== undefined && { head: task.head }),
    ...(threshold !== undefined && { threshold }),
  }
}

function toAnswer(result: EngineTaskResult, task: InferenceTask | undefined): InferenceAnswer {
  const failure = result.error ?? result.itemErrors?.[0]
  if (failure !== undefined) return { kind: "error", error: new RtrError(asCode(failure.code), failure.message) }
  const [input] = result.inputs ?? []
  const counts = input === undefined ? {} : { counts: input }
  if (task?.kind === "classify" && result.labels !== undefined && result.probabilities !== undefined) {
    const { labels, probabilities } = result
    const windows = rowsOf(result.windows?.[0], labels.length)
    const classification = { labels, probabilities, ...(windows.length > 0 && { windows }) }
    return { kind: "classify", classification, ...counts }
  }
  if (task?.kind === "spans" && result.spans?.[0] !== undefined) return toSpans(task.text, result.spans[0], counts)
  if (result.vectors !== undefined) return { kind: "embed", vector: result.vectors, ...counts }
  return { kind: "error", error: new RtrError("internal_error", "The engine's answer is missing") }
}

function toSpans(text: string, spans: readonly TextSpan[], counts: { readonly counts?: TokenCounts }): InferenceAnswer {
  try {
    return { kind: "spans", spans: toCodeUnits(text, spans), ...counts }
  } catch (cause) {
    // One answer that makes no sense fails its own question only.
    return {
      kind: "error",
      error: new RtrError("invalid_model_output", "The engine's answer makes no sense", { cause }),
    }
  }
}

function rowsOf(values: Float32Array | undefined, length: number): readonly Float32Array[] {
  const count = values === undefined || length === 0 ? 0 : values.length / length
  return Array.from({ length: count }, (_, row) => values?.subarray(row * length, (row + 1) * length) as Float32Array)
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
