// Starts a router on Node: management first, then models, then the inference listeners.

import { compileListener } from "../config/compile.ts"
import type { Environment } from "../config/environment.ts"
import { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import { createRouter, type Router, type RouterOptions } from "../kernel.ts"
import type { Inference } from "../types/inference.ts"
import type { LoadedConfig } from "./load-config.ts"
import { openListener, type OpenListener } from "./node-listener.ts"
import { createNodeTransport } from "./node-transport.ts"
import { createPrometheusMetrics, type PrometheusMetrics } from "./prometheus.ts"

export interface StartOptions {
  readonly config: LoadedConfig
  /** Connects the models; runs after the management listener is open. */
  readonly connectInference?: (metrics: PrometheusMetrics) => Inference
  /** Resolves when the models that `connectInference` started are ready. */
  readonly whenReady?: () => Promise<void>
  readonly metricsPort?: number
  readonly metricsAddress?: string
  readonly environment?: Environment
  readonly onInternalError?: (error: unknown, requestId: string) => void
  readonly onTooLong?: RouterOptions["onTooLong"]
}

export interface RunningRouter {
  readonly router: Router
  /** Where each listener can be reached, by name; `management` and `metrics` among them. */
  readonly addresses: Readonly<Record<string, string>>
  /** Stops accepting, lets running requests finish for `graceMs` at most, then closes everything. */
  stop(graceMs: number): Promise<void>
}

/** Opens management and metrics at once, and the inference listeners when the models are ready. */
export async function startRouter(options: StartOptions): Promise<RunningRouter> {
  const { config } = options
  const prometheus = createPrometheusMetrics()
  const inference = options.connectInference?.(prometheus)
  const router = await createOrClose(inference, () =>
    createRouter({
      registry: config.registry,
      transport: createNodeTransport(),
      metrics: prometheus.metrics,
      metricsText: prometheus.metricsText,
      environment: options.environment ?? process.env,
      ...(inference !== undefined && { inference }),
      ...(options.onInternalError !== undefined && { onInternalError: options.onInternalError }),
      ...(options.onTooLong !== undefined && { onTooLong: options.onTooLong }),
    }),
  )
  const open: OpenListener[] = []
  const addresses: Record<string, string> = {}
  const add = async (name: string, app: ListenerApp, address: string, port: number): Promise<void> => {
    const listener = await openListener(app, address, port)
    open.push(listener)
    addresses[name] = listener.url
  }
  const stop = async (graceMs: number): Promise<void> => {
    router.drain()
    await Promise.all(open.map((listener) => listener.close(graceMs)))
    await router.close()
  }

  try {
    const management = config.document.global?.services?.management_api
    await add(
      "management",
      onlyLocalNames(router.management),
      management?.bind_address ?? "127.0.0.1",
      management?.port ?? 8080,
    )
    if (config.document.global?.services?.observability?.metrics?.enabled ?? true)
      await add(
        "metrics",
        onlyLocalNames(router.metrics),
        options.metricsAddress ?? "127.0.0.1",
        options.metricsPort ?? 9190,
      )
    router.setPhase("loading_model_deployments")
    await options.whenReady?.()
    router.setPhase("initializing_models")
    const plan = await router.activate(config, config.hash)
    for (const listener of plan.listeners.length > 0 ? plan.listeners : [defaultListener])
      await add(listener.name, router.listener(listener), listener.address, listener.port)
    return { router, addresses, stop }
  } catch (error) {
    router.setPhase("error", error instanceof RtrError ? error.message : "startup failed")
    await stop(0)
    throw error
  }
}

/**
 * Refuses requests to a name other than `localhost`. A web page can make its own name point at this machine, and the browser
 * then treats this router as a part of that page.
 */
function onlyLocalNames(app: ListenerApp): ListenerApp {
  return {
    fetch: (request) =>
      isLocalName(request.headers.get("host") ?? "")
        ? app.fetch(request)
        : new Response("This port answers to localhost and to IP addresses only\n", { status: 421 }),
  }
}

const isLocalName = (host: string): boolean => /^(localhost|[\d.]+|\[[\da-f:.]+\])?(:\d+)?$/i.test(host)

/** Workers that started for a router that cannot be made would keep the process alive. */
async function createOrClose(inference: Inference | undefined, create: () => Router): Promise<Router> {
  try {
    return create()
  } catch (error) {
    await inference?.close()
    throw error
  }
}

/** The listener of a document that declares none: loopback only, because it asks for no key. */
const defaultListener = compileListener({ name: "http-8801", address: "127.0.0.1", port: 8801 })
