// Inference through workers over HTTP: one call to each worker that the tasks concern.

import { isRtrError, RtrError } from "../error.ts"
import { reasonOf } from "../types/fact.ts"
import type {
  DeploymentStatus,
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
} from "../types/inference.ts"
import { type Metrics, nullMetrics } from "../types/metrics.ts"
import type { Transport, TransportResponse } from "../types/transport.ts"
import { fromBundleReply, type Served, toBundleBody } from "./worker-bodies/bundle-body.ts"

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
    { deadlineMs = 60_000, signal, source }: InferenceOptions,
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
        body: toBundleBody(tasks, (task) => servedBy(byName.get(task.deployment) ?? worker), { deadlineMs, source }),
        headersTimeoutMs: deadlineMs,
        bodyTimeoutMs: deadlineMs,
        ...(worker.socketPath !== undefined && { socketPath: worker.socketPath }),
        ...(signal !== undefined && { signal }),
      })
      serverTiming = response.header("server-timing")
      answers = fromBundleReply(response.status, await textOf(response, startedAt + deadlineMs), tasks)
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

/** The time-outs of a transport are for silence: who sends a little again and again would be listened to without end. */
async function textOf(response: TransportResponse, untilMs: number): Promise<string> {
  return response.text(maxAnswerBytes, () => {
    if (performance.now() <= untilMs) return
    response.cancel()
    throw new RtrError("deadline_exceeded", "The model worker did not answer in time")
  })
}

const servedBy = ({ servedName: model, overflow, maxTokens }: RemoteDeployment): Served => ({
  model,
  overflow,
  maxTokens,
})

const addressOf = (deployment: RemoteDeployment | undefined): string =>
  deployment === undefined ? "" : `${deployment.socketPath ?? ""}\0${deployment.origin}`

function unavailable(tasks: readonly InferenceTask[], why: string): readonly InferenceAnswer[] {
  return tasks.map(({ deployment }) => ({
    kind: "error",
    error: new RtrError("unavailable", `Deployment "${deployment}" ${why}`),
  }))
}

// ── metrics ──

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
