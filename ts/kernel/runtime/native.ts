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
  QuestionKind,
  TextSpan,
  TokenCounts,
} from "../types/inference.ts"
import { toCodeUnits } from "./code-units.ts"
import { findUp } from "./find-up.ts"
import {
  fromDecisionsReply,
  fromGroundedReply,
  fromImageReply,
  toImageBody,
  fromRerankReply,
  type JsonObject,
  toDecisionsBody,
  toGroundedBody,
  toRerankBody,
} from "./question-bodies.ts"

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
  /** Length of the vectors. */
  readonly dimensions?: number
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
  /** The state of every model now: one whose thread panicked is loaded again. */
  states(): readonly ModelState[]
  describe(): Promise<{ readonly apiVersion: string; readonly models: readonly Readonly<Record<string, unknown>>[] }>
  /** Bundles of one `source` share one place among those of others. */
  bundle(tasks: readonly EngineTask[], deadlineMs?: number, source?: string): Promise<readonly EngineTaskResult[]>
  /** Answers the body of `POST /v1/<surface>` as the worker would. Rejects with the code of its error body. */
  ask(
    surface: "decisions" | "classify" | "embeddings" | "rerank",
    body: Readonly<Record<string, unknown>>,
    source?: string,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Says that nobody waits for the calls of a source any more: they reject, and nothing more is computed for them. */
  leave(source: string): void
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
  // The library reads this when it loads. A worker thread has a copy of the environment: there the engine refuses to load it.
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

type EngineSurface = Parameters<Engine["ask"]>[0]

/** A kind is a task of the engine's bundle, or the body of a surface. */
type NativeKind<Kind extends QuestionKind> =
  | {
      readonly toTask: (task: InferenceTask<Kind>) => Omit<EngineTask, "id" | "model" | "input">
      readonly toAnswer: (result: EngineTaskResult, task: InferenceTask<Kind>) => InferenceAnswer | undefined
    }
  | {
      readonly surface: EngineSurface
      readonly toBody: (task: InferenceTask<Kind>) => JsonObject
      readonly fromReply: (reply: JsonObject, task: InferenceTask<Kind>) => InferenceAnswer
    }

const served = ({ deployment }: InferenceTask) => ({ model: deployment, overflow: "truncate" }) as const

/** How each kind of question is asked. */
const native: { readonly [Kind in QuestionKind]: NativeKind<Kind> } = {
  classify: { toTask: toClassify, toAnswer: fromClassified },
  spans: { toTask: toClassify, toAnswer: fromMarked },
  embed: {
    toTask: ({ whole, dimensions }) => ({
      kind: "embeddings",
      overflow: whole === true ? "reject" : "truncate",
      ...(dimensions !== undefined && { dimensions }),
    }),
    toAnswer: (result) =>
      result.vectors === undefined ? undefined : { kind: "embed", vector: result.vectors, ...countsOf(result) },
  },
  decide: {
    surface: "decisions",
    toBody: (task) => toDecisionsBody(task, served(task)),
    fromReply: fromDecisionsReply,
  },
  rerank: { surface: "rerank", toBody: (task) => toRerankBody(task, served(task)), fromReply: fromRerankReply },
}

/** The engine's bundle takes texts alone. */
const imageKind: NativeKind<"embed"> = {
  surface: "embeddings",
  toBody: ({ image = "", deployment }) => toImageBody(image, deployment),
  fromReply: fromImageReply,
}

/** A pair of texts is no input of the bundle either. */
const groundedKind: NativeKind<"spans"> = {
  surface: "classify",
  toBody: (task) => toGroundedBody(task, task.deployment),
  fromReply: fromGroundedReply,
}

function kindOf(task: InferenceTask): NativeKind<QuestionKind> {
  const isImage = task.kind === "embed" && task.image !== undefined
  const isGrounded = task.kind === "spans" && task.grounds !== undefined
  return (isImage ? imageKind : isGrounded ? groundedKind : native[task.kind]) as NativeKind<QuestionKind>
}

let callers = 0

/** Ends the work for a caller that leaves, as a closed connection does it at a worker. */
async function answerUntilLeft(
  engine: Engine,
  tasks: readonly InferenceTask[],
  { deadlineMs, signal, source }: InferenceOptions,
): Promise<readonly InferenceAnswer[]> {
  if (signal === undefined) return answerAll(engine, tasks, { deadlineMs, source })
  const name = source ?? `call ${(callers += 1)}`
  const leave = (): void => engine.leave(name)
  signal.addEventListener("abort", leave, { once: true })
  try {
    signal.throwIfAborted()
    return await answerAll(engine, tasks, { deadlineMs, source: name })
  } catch (cause) {
    if (!signal.aborted) throw cause
    const error = new RtrError("client_closed_request", "the client left", { cause })
    return tasks.map(() => ({ kind: "error", error }))
  } finally {
    signal.removeEventListener("abort", leave)
  }
}

/** Tasks that the engine's bundle knows go as one; the others beside it, each a call of its own. */
async function answerAll(
  engine: Engine,
  tasks: readonly InferenceTask[],
  { deadlineMs, source }: { readonly deadlineMs: number | undefined; readonly source: string | undefined },
): Promise<readonly InferenceAnswer[]> {
  const answers: InferenceAnswer[] = tasks.map(() => ({ kind: "error", error: missing() }))
  const bundled: { readonly task: EngineTask; readonly read: (result: EngineTaskResult) => void }[] = []
  const alone: Promise<void>[] = []
  tasks.forEach((task, index) => {
    const kind = kindOf(task)
    if ("surface" in kind) {
      const answer = withCode(engine.ask(kind.surface, withDeadline(kind.toBody(task), deadlineMs), source)).then(
        (reply) => kind.fromReply(reply, task),
      )
      alone.push(
        answer.then(
          (each) => void (answers[index] = each),
          (error: unknown) => void (answers[index] = { kind: "error", error: error as RtrError }),
        ),
      )
      return
    }
    const { deployment: model, text } = task
    bundled.push({
      task: { id: String(index), model, input: [text], ...kind.toTask(task) },
      read: (result) => void (answers[index] = toAnswer(result, () => kind.toAnswer(result, task))),
    })
  })
  if (bundled.length > 0) {
    const results = await withCode(
      engine.bundle(
        bundled.map(({ task }) => task),
        deadlineMs,
        source,
      ),
    )
    bundled.forEach(({ read }, position) => {
      const result = results[position]
      if (result !== undefined) read(result)
    })
  }
  await Promise.all(alone)
  return answers
}

function withDeadline(body: JsonObject, deadlineMs: number | undefined): JsonObject {
  if (deadlineMs === undefined) return body
  return { ...body, options: { ...(body["options"] as object), deadline_ms: Math.max(1, Math.round(deadlineMs)) } }
}

function toClassify(task: InferenceTask<"classify" | "spans">): Omit<EngineTask, "id" | "model" | "input"> {
  const threshold = task.kind === "spans" ? task.threshold : undefined
  return {
    kind: "classify",
    overflow: task.whole === true ? "window" : "truncate",
    ...(task.head !== undefined && { head: task.head }),
    ...(threshold !== undefined && { threshold }),
  }
}

const missing = (): RtrError => new RtrError("internal_error", "The engine's answer is missing")

function toAnswer(result: EngineTaskResult, read: () => InferenceAnswer | undefined): InferenceAnswer {
  const failure = result.error ?? result.itemErrors?.[0]
  if (failure !== undefined) return { kind: "error", error: new RtrError(asCode(failure.code), failure.message) }
  return read() ?? { kind: "error", error: missing() }
}

function countsOf({ inputs }: EngineTaskResult): { readonly counts?: TokenCounts } {
  const [counts] = inputs ?? []
  return counts === undefined ? {} : { counts }
}

function fromClassified(result: EngineTaskResult): InferenceAnswer | undefined {
  const { labels, probabilities } = result
  if (labels === undefined || probabilities === undefined) return undefined
  const windows = rowsOf(result.windows?.[0], labels.length)
  const classification = { labels, probabilities, ...(windows.length > 0 && { windows }) }
  return { kind: "classify", classification, ...countsOf(result) }
}

function fromMarked(result: EngineTaskResult, { text }: InferenceTask<"spans">): InferenceAnswer | undefined {
  const [spans] = result.spans ?? []
  return spans === undefined ? undefined : toSpans(text, spans, countsOf(result))
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
