// The kernel as a web-standard `fetch` handler, for edge hosts and for your own server.

import { builtinModules } from "../../plugins/registry.gen.ts"
import { readDocument, type SourceDocument, wrapDocument } from "../config/document.ts"
import type { Environment } from "../config/environment.ts"
import { resolveDocument } from "../config/resolve.ts"
import { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import { createRouter, type RouterOptions } from "../kernel.ts"
import { createRegistry, type OutsideModule, type Registry } from "../modules/registry.ts"
import type { Inference } from "../types/inference.ts"
import type { Metrics } from "../types/metrics.ts"
import type { Plan } from "../types/plan.ts"
import type { RoutePowers } from "../types/route.ts"
import type { Transport } from "../types/transport.ts"
import { createFetchTransport } from "./fetch-transport.ts"

export interface KernelOptions {
  /** A v0.3 document: YAML or JSON text, or the parsed value. */
  readonly config: string | object
  /** Name of the document in error messages. */
  readonly source?: string
  /** Outside modules by id, as their files export them. */
  readonly modules?: Readonly<Record<string, unknown>>
  /** Values for `${NAME}` references and `api_key_env`. */
  readonly environment?: Environment
  /** Answers model questions; without it, signals that ask a model are refused. */
  readonly inference?: Inference
  /** How backends are called; the host's `fetch` when left out. */
  readonly transport?: Transport
  readonly metrics?: Metrics
  readonly metricsText?: RoutePowers["metrics"]["metricsText"]
  readonly onInternalError?: (error: unknown, requestId: string) => void
  /** Told about requests that are refused for the length of their text, once a minute at most. */
  readonly onTooLong?: RouterOptions["onTooLong"]
}

export interface Kernel {
  /** Serves the inference surface; the document's first listener gives keys and model grants. */
  fetch(request: Request): Response | Promise<Response>
  /** Serves the management surface. It has no authentication; do not expose it. */
  readonly management: ListenerApp
  readonly plan: Plan
  close(): Promise<void>
}

/** Reads, checks and activates a configuration. Rejects with a `ConfigError` that lists every problem. */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const source = options.source ?? "the configuration"
  const document: SourceDocument =
    typeof options.config === "string" ? readDocument(options.config, source) : wrapDocument(options.config)
  const registry = await registryFor(options.modules ?? {}, document.value)
  const environment = options.environment ?? {}
  const resolved = resolveDocument(document, { source, registry, environment })
  const { config: _, source: __, modules: ___, ...rest } = options
  const router = createRouter({
    ...rest,
    registry,
    environment,
    transport: options.transport ?? createFetchTransport(),
  })
  const plan = await router.activate(
    resolved,
    await sha256(typeof options.config === "string" ? options.config : JSON.stringify(options.config)),
  )
  const app = router.listener(plan.listeners[0] ?? { name: "embedded", apiKeys: [] })
  return { fetch: app.fetch, management: router.management, plan, close: router.close }
}

/** Modules that a document names must be passed here; this host loads no files. */
async function registryFor(modules: Readonly<Record<string, unknown>>, document: unknown): Promise<Registry> {
  const named = (document as { modules?: unknown } | null)?.modules
  const missing = (Array.isArray(named) ? named : []).filter(
    (name): name is string => typeof name === "string" && !(moduleId(name) in modules),
  )
  if (missing.length > 0)
    throw new RtrError(
      "invalid_module",
      `Cannot load ${missing.join(", ")} here; pass it to createKernel as modules: { ${moduleId(missing[0] ?? "")}: … }`,
    )
  const outside = Object.entries(modules).map(([id, module]): OutsideModule => ({
    id,
    module: unwrap(module),
    source: "createKernel",
  }))
  return createRegistry(builtinModules, outside)
}

/** `./signals/shouting.ts`, `rtr-signal-shouting` and `@team/rtr-signal-shouting` all have the id `shouting`. */
export function moduleId(name: string): string {
  const last = name.split("/").at(-1) ?? name
  return last.replace(/\.(ts|mts|js|mjs)$/, "").replace(/^rtr-(signal|selector|plugin|provider|route)-/, "")
}

/** Accepts a module or the namespace object of its file. */
export function unwrap(module: unknown): unknown {
  return typeof module === "object" && module !== null && "default" in module ? module.default : module
}

/** SHA-256 of a text as 64 hex digits: the identity of a document. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
