// Modules, a plan and the pipeline become one router with an h3 app for each listener.

import { compilePlan } from "./config/compile.ts"
import type { Environment } from "./config/environment.ts"
import type { ResolvedDocument } from "./config/resolve.ts"
import { isRtrError, RtrError } from "./error.ts"
import { createListenerApp, type ListenerApp, type MountedOperation } from "./http/app.ts"
import type { Registry } from "./modules/registry.ts"
import { failedEnd, watchEnd } from "./pipeline/finish.ts"
import { preview } from "./pipeline/preview.ts"
import { type PipelineHost, run } from "./pipeline/run.ts"
import type { OnFault } from "./pipeline/signals.ts"
import { type OnTooLong, tellRarely } from "./pipeline/too-long.ts"
import { createTracer } from "./pipeline/trace.ts"
import type { Call, Outcome } from "./types/call.ts"
import type { Inference } from "./types/inference.ts"
import { type Metrics, nullMetrics } from "./types/metrics.ts"
import type { ListenerKind, RouteRequest } from "./types/module.ts"
import type { Plan, PlannedListener } from "./types/plan.ts"
import type { KernelStatus, ModelEntry, RoutePowers } from "./types/route.ts"
import type { Transport } from "./types/transport.ts"

export interface RouterOptions {
  readonly registry: Registry
  readonly transport: Transport
  readonly inference?: Inference
  readonly metrics?: Metrics
  /** The metrics exposition; left out on hosts without a metrics library. */
  readonly metricsText?: RoutePowers["metrics"]["metricsText"]
  readonly environment?: Environment
  /** Told about errors that are bugs, with the request id and never with content. */
  readonly onInternalError?: (error: unknown, requestId: string) => void
  /** Told about requests that are refused for the length of their text, once a minute at most, with how many there were. */
  readonly onTooLong?: OnTooLong
}

/** The router before and after its configuration is active. Management works from the start, inference from `activate` on. */
export interface Router {
  /** Compiles and warms a document and serves it from then on; requests that run keep the plan they started with. */
  activate(resolved: Pick<ResolvedDocument, "document">, hash: string): Promise<Plan>
  readonly plan: () => Plan | undefined
  /** The app of one inference listener. Throws before the first activation. */
  listener(listener: Pick<PlannedListener, "name" | "apiKeys">): ListenerApp
  readonly management: ListenerApp
  readonly metrics: ListenerApp
  readonly status: () => KernelStatus
  setPhase(phase: KernelStatus["phase"], message?: string): void
  /** `/ready` turns to 503, so that load balancers send no more. */
  drain(): void
  close(): Promise<void>
}

export function createRouter(options: RouterOptions): Router {
  const { registry, transport, inference, metrics = nullMetrics, environment = {} } = options
  const instanceId = crypto.randomUUID()
  const createdAt = Math.floor(Date.now() / 1000)
  let host: PipelineHost | undefined
  let state: Pick<KernelStatus, "phase" | "updatedAt" | "draining"> & { readonly message?: string } = {
    phase: "starting",
    updatedAt: new Date(),
    draining: false,
  }

  const tooLong = tellRarely(options.onTooLong)

  const active = (): PipelineHost => {
    if (host === undefined)
      throw new RtrError("not_ready", "The router has no active configuration yet", { retryAfterSeconds: 5 })
    return host
  }

  const status = (): KernelStatus => ({
    ...state,
    ready: state.phase === "ready" && !state.draining,
    instanceId,
    configHash: host?.plan.hash,
    deployments: inference?.status() ?? [],
  })

  const runCall = async (call: Call): Promise<Outcome> => {
    const { tracer } = active()
    try {
      const outcome = await run(active(), call)
      if (outcome.routing.automatic) tracer.signals(outcome.routing.signalMs, outcome.routing.familyMs)
      return watchEnd(outcome, call, (end) => {
        tracer.finish(endpoint, end)
        // The listener's own catch is behind us: the reply streams.
        if (end.error?.code === "internal_error") options.onInternalError?.(end.error.cause ?? end.error, call.id)
      })
    } catch (error) {
      tracer.finish(endpoint, failedEnd(call, error))
      if (isRtrError(error) && error.code === "context_length_exceeded") tooLong(call.id)
      throw error
    }
  }

  const powers: RoutePowers = {
    "pipeline.run": { run: runCall, createCall: (request, from) => toCall(request, from, active().plan) },
    "pipeline.preview": { preview: (call) => preview(active(), call) },
    plan: { plan: () => host?.plan },
    models: { models: (listener) => modelList(active().plan, createdAt, listener) },
    status: { status },
    metrics: { metricsText: options.metricsText ?? (async () => undefined) },
  }

  const operations = (kind: ListenerKind): readonly MountedOperation[] =>
    registry.all("route").flatMap(({ id, module }) => {
      if (!module.listeners.includes(kind)) return []
      const handlers = module.setup(Object.assign({}, ...module.needs.map((need) => powers[need])) as never)
      if (handlers.length !== module.operations.length)
        throw new RtrError(
          "invalid_module",
          `Route "${id}" has ${module.operations.length} operations but ${handlers.length} handlers`,
        )
      return module.operations.map((operation, index) => ({
        ...operation,
        handle: handlers[index] as MountedOperation["handle"],
      }))
    })

  const app = (kind: ListenerKind, name: string, apiKeys: readonly string[]): ListenerApp =>
    createListenerApp({
      listener: name,
      surface: kind === "inference" ? "inference" : "management",
      apiKeys,
      operations: operations(kind),
      ...(options.onInternalError !== undefined && { onInternalError: options.onInternalError }),
    })

  return {
    async activate(resolved, hash) {
      const plan = await compilePlan({ document: resolved.document, hash, registry, environment, inference })
      host = { plan, transport, inference, tracer: createTracer(metrics, plan), onFault: reportOnce(options) }
      state = { phase: "ready", updatedAt: new Date(), draining: state.draining }
      return plan
    },
    plan: () => host?.plan,
    listener: ({ name, apiKeys }) => app("inference", name, apiKeys),
    management: app("management", "management", []),
    metrics: app("metrics", "metrics", []),
    status,
    setPhase(phase, message) {
      state = { phase, updatedAt: new Date(), draining: state.draining, ...(message !== undefined && { message }) }
    },
    drain() {
      state = { ...state, draining: true, updatedAt: new Date() }
    },
    async close() {
      await Promise.all([transport.close(), inference?.close()])
    },
  }
}

/** A module that fails does so for every request; the first time says where. */
function reportOnce({ onInternalError }: RouterOptions): OnFault {
  const reported = new Set<string>()
  return (module, error) => {
    // A model of another task gives no answer to any request, so that somebody has to hear of it; other errors pass.
    if ((isRtrError(error) && error.code !== "invalid_model_output") || reported.has(module)) return
    reported.add(module)
    onInternalError?.(error, module)
  }
}

/** The only inference endpoint there is; the label of its metrics. */
const endpoint = "/v1/chat/completions"

function toCall(request: Call["request"], from: RouteRequest, plan: Plan): Call {
  const listener = plan.listeners.find(({ name }) => name === from.listener)
  return {
    id: from.id,
    request,
    header: (name) => from.request.headers.get(name) ?? undefined,
    signal: from.request.signal,
    startedAt: from.startedAt,
    listener: from.listener,
    grants: listener?.models,
    upstreamTimeoutMs: listener?.timeoutMs ?? defaultUpstreamTimeoutMs,
  }
}

const defaultUpstreamTimeoutMs = 300_000

/** Automatic names first, then the configured models; a listener with grants lists only what it grants. */
function modelList(plan: Plan, created: number, listener: string | undefined): readonly ModelEntry[] {
  const grants = plan.listeners.find(({ name }) => name === listener)?.models
  const automatic = plan.autoNames.map((id): ModelEntry => ({
    id,
    object: "model",
    created,
    owned_by: "rtr",
    description: "Automatic routing",
    routing: { resolution: "virtual", selectable: true },
  }))
  const configured = !plan.listConfiguredModels
    ? []
    : [...plan.models.values()].map((target): ModelEntry => {
        const { name: _, description, ...card } = target.card ?? {}
        return {
          id: target.name,
          object: "model",
          created,
          owned_by: "upstream-endpoint",
          ...(typeof description === "string" && { description }),
          routing: { resolution: "passthrough", selectable: true },
          ...(Object.keys(card).length > 0 && { card }),
        }
      })
  return [...automatic, ...configured].filter(({ id }) => grants === undefined || grants.has(id))
}
