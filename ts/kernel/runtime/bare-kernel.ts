// A kernel of exactly the modules that its host passes, so that a bundle holds no other.

import type { SourceDocument } from "../config/source-document.ts"
import type { Environment } from "../config/environment.ts"
import { RtrError } from "../error.ts"
import type { DocumentInput } from "../generations/prepare.ts"
import type { ListenerApp } from "../http/app.ts"
import { formatProblem } from "../config/config-error.ts"
import { createHeldMemory } from "../http/held-memory.ts"
import { createRouter, type Router, type RouterOptions } from "../kernel.ts"
import { errorResponse, inferenceErrorBody } from "../http/error-body.ts"
import { requestIdOf } from "../http/request-id.ts"
import { type BuiltinEntry, createRegistry, type OutsideModule, type Registry } from "../modules/registry.ts"
import type { Inference } from "../types/inference.ts"
import type { Plan } from "../types/plan.ts"
import type { Transport } from "../types/transport.ts"
import { createFetchTransport } from "./fetch-transport.ts"

export interface KernelOptions extends Pick<
  RouterOptions,
  "readFile" | "metrics" | "metricsText" | "log" | "onInternalError" | "onRecord" | "onUnrouted" | "onActivation"
> {
  /** A v0.3 document: YAML or JSON text, or the parsed value. */
  readonly config: string | object
  /** Name of the document in error messages. */
  readonly source?: string
  /** Outside modules by id, as their files export them. */
  readonly modules?: Readonly<Record<string, unknown>>
  /**
   * Values for `${NAME}` references and `api_key_env`; none when left out, because an edge host has no environment of its own.
   * `createKernel` of `rtr/node` takes `process.env`.
   */
  readonly environment?: Environment
  /** Answers model questions; without it, signals that ask a model are refused. The kernel closes it when it is closed itself. */
  readonly inference?: Inference
  /** Bytes of memory that requests and replies may hold together; 256 MiB when left out. */
  readonly memoryBytes?: number
  /** How backends are called; the host's `fetch` when left out. */
  readonly transport?: Transport
}

export interface Kernel {
  /** Serves the inference surface; the document's first listener gives keys and model grants. A closed kernel answers 503. */
  fetch(request: Request): Response | Promise<Response>
  /** Serves the management surface. Without `management_api.auth` it asks for no token; do not expose it. */
  readonly management: ListenerApp
  /** The plan that serves. */
  readonly plan: Plan
  /**
   * Serves another document from then on; requests that run keep theirs. Rejects with a `ConfigError` or an `RtrError`, and
   * goes on with the old one, when it cannot be used.
   */
  activate(config: string | object): Promise<void>
  close(): Promise<void>
}

/**
 * Like `createKernel`, without the built-in modules: a bundler then includes only those in `modules`. A kernel needs at least a
 * route, a dialect, a provider, a selector and a store.
 */
export function createBareKernel(options: KernelOptions): Promise<Kernel> {
  return openKernel(options, [])
}

/** Reads, checks and activates a configuration with the modules of the host and the built-in ones. */
export async function openKernel(
  options: KernelOptions & Pick<RouterOptions, "checkHost" | "alsoWarn">,
  builtins: readonly BuiltinEntry[],
): Promise<Kernel> {
  const { config, source = "the configuration", modules = {}, environment = {}, memoryBytes, ...rest } = options
  if (memoryBytes !== undefined && !(memoryBytes > 0))
    throw new RtrError("invalid_options", `memoryBytes is ${memoryBytes}; it must be a number above 0`)
  const transport = options.transport ?? createFetchTransport()
  const router = createRouter({
    ...rest,
    onActivation(outcome, serving) {
      if (outcome.result === "active" && serving !== undefined)
        for (const warning of [...serving.warnings, ...(options.alsoWarn?.(serving) ?? [])])
          options.log?.("warning", "config_warning", { message: formatProblem(warning, source) })
      options.onActivation?.(outcome, serving)
    },
    transport,
    builtins: await createRegistry(builtins),
    loadRegistry: (document) => registryFor(builtins, modules, document),
    environment: () => environment,
    memory: createHeldMemory(memoryBytes),
    hash: sha256,
  })
  let closed = false
  const close = async (): Promise<void> => {
    closed = true
    await router.close()
    await transport.close()
    await options.inference?.close()
  }
  try {
    await activate(router, source, config)
  } catch (error) {
    await close()
    throw error
  }
  const planOf = (): Plan => {
    const plan = router.plan()
    if (closed || plan === undefined) throw new RtrError("unavailable", "The kernel is closed")
    return plan
  }
  return {
    fetch(request) {
      return closed ? closedReply(request) : router.inference.fetch(request)
    },
    management: router.management,
    get plan() {
      return planOf()
    },
    activate: (next) => activate(router, source, next),
    close,
  }
}

function closedReply({ headers }: Request): Response {
  const [error, requestId] = [new RtrError("unavailable", "The kernel is closed"), requestIdOf(headers)]
  return errorResponse(error, inferenceErrorBody(error, requestId), { requestId })
}

async function activate(router: Router, source: string, config: string | object): Promise<void> {
  const outcome = await router.activate({ ...toInput(config, source), trigger: "api" })
  if (outcome.result === "rejected") throw outcome.error
  if (outcome.result === "superseded")
    throw new RtrError("unavailable", "Another configuration came before this one could be activated")
  router.setPhase("ready")
}

/** What a host passes, as the stages of a candidate take it. */
export function toInput(config: string | object, source: string): DocumentInput {
  if (typeof config === "string") return { text: config, source }
  if (typeof config !== "object" || config === null)
    throw new RtrError(
      "invalid_config",
      "Cannot create a kernel without config: pass the text of a document, or its value",
    )
  return { text: JSON.stringify(config), source, value: config }
}

/** Modules that a document names must be passed here; this host loads no files. */
export async function registryFor(
  builtins: readonly BuiltinEntry[],
  modules: Readonly<Record<string, unknown>>,
  { value }: SourceDocument,
): Promise<Registry> {
  const named = (value as { modules?: unknown } | null)?.modules
  const missing = (Array.isArray(named) ? named : []).filter(
    (name): name is string => typeof name === "string" && !(moduleId(name) in modules),
  )
  if (missing.length > 0)
    throw new RtrError(
      "invalid_module",
      `Cannot load ${missing.join(", ")}: createKernel loads no files; import the module and pass it as modules: { ${JSON.stringify(moduleId(missing[0] ?? ""))}: … }`,
    )
  const outside = Object.entries(modules).map(([id, module]): OutsideModule => ({
    id,
    module: unwrap(module),
    source: "createKernel",
  }))
  return createRegistry(builtins, outside)
}

/** `./signals/shouting.ts`, `rtr-signal-shouting` and `@team/rtr-signal-shouting` all have the id `shouting`. */
export function moduleId(name: string): string {
  const last = name.split("/").at(-1) ?? name
  return last
    .replace(/\.(ts|mts|js|mjs)$/, "")
    .replace(/^rtr-(signal|selector|looper|plugin|provider|dialect|store|route)-/, "")
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
