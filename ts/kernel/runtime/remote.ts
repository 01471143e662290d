// Inference through workers over HTTP: one call to each worker that the tasks concern.

import { type ErrorCode, errorCodes, isRtrError, RtrError } from "../error.ts"
import { reasonOf } from "../pipeline/signals.ts"
import type {
  DeploymentStatus,
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
  TextSpan,
  TokenCounts,
} from "../types/inference.ts"
import { type Metrics, nullMetrics } from "../types/metrics.ts"
import type { Transport } from "../types/transport.ts"
import { toCodeUnits } from "./code-units.ts"

/** One deployment as its worker serves it. */
export interface RemoteDeployment {
  readonly name: string
  /** Model name at the worker. */
  readonly servedName: string
  /** Origin of the worker; with `socketPath` only a name. */
  readonly origin: string
  readonly socketPath?: string
  readonly overflow: "truncate" | "reject"
  readonly maxTokens?: number
}

export interface RemoteInferenceOptions {
  readonly deployments: readonly RemoteDeployment[]
  readonly transport: Transport
  readonly status: () => readonly DeploymentStatus[]
  readonly metrics?: Metrics
  /** Runs when the inference closes, for example to stop managed workers. */
  readonly onClose?: () => Promise<void>
}

const maxAnswerBytes = 64 * 1024 * 1024

export function createRemoteInference(options: RemoteInferenceOptions): Inference {
  const { transport, metrics = nullMetrics } = options
  const byName = new Map(options.deployments.map((deployment) => [deployment.name, deployment]))
  const meters = new Map(options.deployments.map(({ name }) => [name, createMeter(metrics, name)]))

  return {
    async bundle(tasks, callOptions = {}) {
      const answers: InferenceAnswer[] = Array.from({ length: tasks.length })
      const groups = Map.groupBy(
        tasks.map((task, index) => ({ task, index })),
        ({ task }) => addressOf(byName.get(task.deployment)),
      )
      await Promise.all(
        [...groups.values()].map(async (group) => {
          const deployment = byName.get(group[0]?.task.deployment ?? "")
          const result =
            deployment === undefined || isAway(deployment)
              ? unavailable(
                  group.map(({ task }) => task),
                  deployment === undefined ? "does not exist" : "is not ready",
                )
              : await ask(
                  deployment,
                  group.map(({ task }) => task),
                  callOptions,
                )
          group.forEach(({ index }, position) => {
            answers[index] = result[position] ?? {
              kind: "error",
              error: new RtrError("internal_error", "The worker's answer is missing"),
            }
          })
        }),
      )
      return answers
    },
    status: options.status,
    close: async () => options.onClose?.(),
  }

  /** A worker that is known to be away is not asked: waiting for it would hold up the request for nothing. */
  function isAway({ name }: RemoteDeployment): boolean {
    return options.status().find((status) => status.name === name)?.ready === false
  }

  async function ask(
    worker: RemoteDeployment,
    tasks: readonly InferenceTask[],
    { deadlineMs = 60_000, signal }: InferenceOptions,
  ): Promise<readonly InferenceAnswer[]> {
    const startedAt = performance.now()
    const names = [...new Set(tasks.map(({ deployment }) => deployment))]
    let answers: readonly InferenceAnswer[]
    let serverTiming: string | undefined
    try {
      const response = await transport.request({
        method: "POST",
        url: `${worker.origin}/v1/bundle`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          tasks: tasks.map((task, index) => toWireTask(task, index, byName.get(task.deployment) ?? worker)),
          options: { deadline_ms: Math.round(deadlineMs) },
        }),
        headersTimeoutMs: deadlineMs,
        bodyTimeoutMs: deadlineMs,
        ...(worker.socketPath !== undefined && { socketPath: worker.socketPath }),
        ...(signal !== undefined && { signal }),
      })
      serverTiming = response.header("server-timing")
      answers = fromWire(response.status, await response.text(maxAnswerBytes), tasks)
    } catch (error) {
      const known = isRtrError(error)
        ? error
        : new RtrError("unavailable", "The model worker cannot be reached", { cause: error })
      answers = tasks.map(() => ({ kind: "error", error: known }))
    }
    const elapsedMs = performance.now() - startedAt
    for (const name of names)
      meters.get(name)?.(
        elapsedMs,
        serverTiming,
        answers.filter((_, index) => tasks[index]?.deployment === name),
      )
    return answers
  }
}

const addressOf = (deployment: RemoteDeployment | undefined): string =>
  deployment === undefined ? "" : `${deployment.socketPath ?? ""}\0${deployment.origin}`

function unavailable(tasks: readonly InferenceTask[], why: string): readonly InferenceAnswer[] {
  return tasks.map(({ deployment }) => ({
    kind: "error",
    error: new RtrError("unavailable", `Deployment "${deployment}" ${why}`),
  }))
}

// ── the wire (spec 2, bundle) ──

function toWireTask(task: InferenceTask, index: number, deployment: RemoteDeployment): object {
  const model = deployment.servedName
  const options = readingOptions(task, deployment)
  if (task.kind !== "embed") {
    const { head, text: input } = task
    const threshold = task.kind === "spans" ? task.threshold : undefined
    return {
      id: String(index),
      classify: {
        model,
        ...(head !== undefined && { head }),
        input,
        options: { ...options, ...(threshold !== undefined && { threshold }) },
      },
    }
  }
  return { id: String(index), embeddings: { model, input: [task.text], encoding_format: "base64", options } }
}

/** The deployment's own limit is for questions that a beginning answers; a text to be read whole has the scan budget of the model. */
function readingOptions(task: InferenceTask, { overflow, maxTokens }: RemoteDeployment): object {
  if (task.whole === true && overflow !== "reject") return { overflow: task.kind === "embed" ? "reject" : "window" }
  return { overflow, ...(maxTokens !== undefined && { max_tokens: maxTokens }) }
}

interface WireError {
  readonly code?: unknown
  readonly message?: unknown
}

interface WireResult {
  readonly status: number
  readonly error?: WireError
  readonly classify?: {
    readonly labels: readonly string[]
    readonly results: readonly {
      readonly probabilities?: readonly number[]
      readonly spans?: readonly TextSpan[]
      readonly windows?: readonly { readonly probabilities?: readonly number[]; readonly scores?: readonly number[] }[]
      readonly input?: WireInput
      readonly error?: WireError
    }[]
  }
  readonly embeddings?: {
    readonly data: readonly { readonly embedding?: string; readonly input?: WireInput; readonly error?: WireError }[]
  }
}

interface WireInput {
  readonly truncated?: boolean
  readonly tokens?: number
  readonly special_tokens?: number
  readonly unknown_tokens?: number
}

function fromWire(status: number, body: string, tasks: readonly InferenceTask[]): readonly InferenceAnswer[] {
  const value = JSON.parse(body) as { readonly results?: readonly (WireResult | null)[]; readonly error?: WireError }
  if (status !== 200 || value.results === undefined) {
    const error = toError(value.error)
    return tasks.map(() => ({ kind: "error", error }))
  }
  const { results } = value
  return tasks.slice(0, results.length).map((task, index) => toAnswer(results[index] ?? null, task))
}

function toAnswer(result: WireResult | null, { text, whole = false }: InferenceTask): InferenceAnswer {
  const classified = result?.classify?.results?.[0]
  const embedded = result?.embeddings?.data?.[0]
  const input = classified?.input ?? embedded?.input
  // A worker that knows no windows may cut the text all the same.
  if (whole && input?.truncated === true)
    return { kind: "error", error: new RtrError("max_length_exceeded", "The model worker read a part of the text") }
  const counts = countsOf(input)
  try {
    if (classified?.probabilities !== undefined) {
      const labels = result?.classify?.labels ?? []
      const toNumbers = (values: readonly number[]): Float32Array =>
        onlyNumbers(Float32Array.from(values, nullIsNaN), labels.length)
      const windows = classified.windows?.map(({ probabilities, scores }) => toNumbers(probabilities ?? scores ?? []))
      const probabilities = toNumbers(classified.probabilities)
      return {
        kind: "classify",
        classification: { labels, probabilities, ...(windows !== undefined && { windows }) },
        ...counts,
      }
    }
    if (classified?.spans !== undefined) return { kind: "spans", spans: toCodeUnits(text, classified.spans), ...counts }
    if (embedded?.embedding !== undefined)
      return { kind: "embed", vector: onlyNumbers(fromBase64(embedded.embedding)), ...counts }
  } catch (cause) {
    // One answer that makes no sense fails its own question only.
    return {
      kind: "error",
      error: new RtrError("invalid_model_output", "The model worker's answer makes no sense", { cause }),
    }
  }
  return { kind: "error", error: toError(classified?.error ?? embedded?.error ?? result?.error) }
}

/** Nothing for a worker that does not count the words that its models do not see. */
function countsOf({ tokens, special_tokens: specialTokens = 0, unknown_tokens: unknownTokens }: WireInput = {}): {
  readonly counts?: TokenCounts
} {
  if (typeof tokens !== "number" || typeof unknownTokens !== "number") return {}
  return { counts: { tokens, specialTokens, unknownTokens } }
}

/** JSON has no NaN and writes null instead, which would become 0. */
const nullIsNaN = (value: number | null): number => value ?? Number.NaN

/** Comparisons with NaN are false, so a signal would report what was never computed as no match. */
function onlyNumbers(values: Float32Array, count: number = values.length): Float32Array {
  if (values.length !== count || !values.every(Number.isFinite))
    throw new TypeError("not the numbers that were asked for")
  return values
}

/** Keeps the worker's code when it is one of ours; its message stays private, because it may describe the input. */
function toError(error: WireError | undefined): RtrError {
  const code =
    typeof error?.code === "string" && Object.hasOwn(errorCodes, error.code) ? (error.code as ErrorCode) : "unavailable"
  return new RtrError(code, `The model worker answered with ${code}`)
}

/** Little-endian 32-bit floats. */
function fromBase64(text: string): Float32Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return new Float32Array(bytes.buffer)
}

// ── metrics (spec 2, router-side runtime metrics) ──

type Meter = (elapsedMs: number, serverTiming: string | undefined, answers: readonly InferenceAnswer[]) => void

const surface = "bundle"

function createMeter(metrics: Metrics, deployment: string): Meter {
  const duration = metrics.histogram("rtr_model_runtime_request_duration_seconds", { deployment, surface })
  const transport = metrics.histogram("rtr_model_runtime_transport_seconds", { deployment, surface })
  return (elapsedMs, serverTiming, answers) => {
    duration.observe(elapsedMs / 1000)
    const failed = answers.find((answer) => answer.kind === "error")
    metrics
      .counter("rtr_model_runtime_requests_total", {
        deployment,
        outcome: failed?.kind === "error" ? reasonOf(failed.error) : "ok",
      })
      .add()
    for (const answer of answers)
      if (answer.kind === "error")
        metrics.counter("rtr_model_runtime_unknown_answers_total", { deployment, reason: reasonOf(answer.error) }).add()
    const phases = readServerTiming(serverTiming)
    if (phases.size === 0) return
    const total = phases.get("total") ?? 0
    transport.observe(Math.max(0, elapsedMs - total) / 1000)
    for (const [phase, ms] of phases)
      if (phase !== "total")
        metrics
          .histogram("rtr_model_runtime_server_seconds", {
            deployment,
            surface,
            phase: knownPhases.has(phase) ? phase : "other",
          })
          .observe(ms / 1000)
  }
}

const knownPhases: ReadonlySet<string> = new Set(["parse", "tokenize", "queue", "forward", "post", "serialize"])

/** Milliseconds by phase of a `Server-Timing` header. */
export function readServerTiming(header: string | undefined): ReadonlyMap<string, number> {
  const phases = new Map<string, number>()
  for (const entry of header?.split(",") ?? []) {
    const [, name, value] = /^\s*([\w-]+)\s*;\s*dur=([\d.]+)/.exec(entry) ?? []
    if (name !== undefined) phases.set(name, Number(value))
  }
  return phases
}
