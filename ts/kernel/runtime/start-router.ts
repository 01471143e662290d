// Starts a router on Node: management first, then models, then the inference listeners; then it follows its document.

import { resolve } from "node:path"
import { getHeapStatistics } from "node:v8"
import { checkHost } from "../config/host-matters.ts"
import type { NeededDeployment } from "../config/bindings.ts"
import type { ReadHeadsBeside } from "../config/package-heads.ts"
import type { Environment } from "../config/environment.ts"
import { type DocumentPath, RtrError } from "../error.ts"
import type { ActivationOutcome, Candidate } from "../generations/activation.ts"
import type { InferenceLease, LoadedDocument } from "../generations/prepare.ts"
import type { ListenerApp } from "../http/app.ts"
import { inferenceErrorBody, managementErrorBody } from "../http/error-body.ts"
import { createHeldMemory } from "../http/held-memory.ts"
import { createRouter, type Router, type RouterOptions } from "../kernel.ts"
import type { Metrics } from "../types/metrics.ts"
import type { ListenerKind } from "../types/route.ts"
import { sha256 } from "./bare-kernel.ts"
import { createKeptDocument } from "./kept-document/kept-document.ts"
import { isLoopback } from "../config/listeners/loopback.ts"
import { type LocalNamesOptions, onlyLocalNames } from "./local-names.ts"
import { configInput, readConfigFile, withFormat } from "./load-config.ts"
import { openListener, type OpenListener } from "./node-listener.ts"
import { readDocumentFile } from "./document-files.ts"
import { loadBuiltins, loadRegistryFor } from "./node-modules.ts"
import { createNodeTransport } from "./node-transport.ts"
import { createPrometheusMetrics } from "./prometheus.ts"
import { returnMemory } from "./return-memory.ts"
import { type FileWatch, watchFile } from "./watch-file.ts"

/** Worker processes for the life of the router. */
export interface RouterWorkers {
  /** Relative artifacts start at the folder of `source`, the path of the document. */
  open(deployments: readonly NeededDeployment[], source: string): InferenceLease
  close(): Promise<void>
}

export interface StartOptions extends Pick<
  RouterOptions,
  | "log"
  | "onInternalError"
  | "onRecord"
  | "onUnrouted"
  | "onActivation"
  | "inference"
  | "missingParts"
  | "refuse"
  | "alsoWarn"
> {
  /** The configuration file. */
  readonly path: string
  /** A folder of Kubernetes files whose routing the document takes; they are read again with the file. */
  readonly crd?: string | undefined
  /** Activates the file again when it changes. */
  readonly watch?: boolean
  /** Starts and stops workers; without it, documents that need a model deployment are refused. */
  readonly createWorkers?: (metrics: Metrics) => RouterWorkers
  readonly readHeads?: ReadHeadsBeside
  readonly metricsPort?: number
  readonly metricsAddress?: string
  readonly environment?: Environment
  /** Told what the document is and which deployments it needs, before anything is started. */
  readonly onLoaded?: (loaded: LoadedDocument) => void
}

export interface RunningRouter {
  readonly router: Router
  /** Where each listener can be reached, by name; `management` and `metrics` among them. */
  readonly addresses: Readonly<Record<string, string>>
  /** Reads the file and activates it. */
  reload(trigger: Candidate["trigger"]): Promise<ActivationOutcome>
  /** Stops accepting, lets running requests finish for `graceMs` at most, then closes everything. */
  stop(graceMs: number): Promise<void>
}

/** A listener that is to be opened. */
interface Place {
  readonly name: string
  readonly kind: ListenerKind
  readonly address: string
  readonly port: number
  /** Answers to the names of this machine only, unless it has keys. */
  readonly localOnly: boolean
  readonly hasKeys?: () => boolean
  /** The section that says so; undefined where that is an option of the command, or nothing. */
  readonly section?: DocumentPath | undefined
}

/** The part of the heap that requests and replies may hold. The rest is for what the work on them needs, and for the process. */
const heldPart = 0.4

/** Opens management and metrics at once, and the inference listeners when the models are ready. */
export async function startRouter(options: StartOptions): Promise<RunningRouter> {
  const { path, environment = process.env, metricsAddress = "127.0.0.1" } = options
  const text = readConfigFile(path)
  const prometheus = createPrometheusMetrics()
  const workers = options.createWorkers?.(prometheus.metrics)
  const transport = createNodeTransport()
  const memory = createHeldMemory(getHeapStatistics().heap_size_limit * heldPart)
  const stopReturning = returnMemory(memory)
  const router: Router = createRouter({
    ...options,
    builtins: await loadBuiltins(),
    loadRegistry: loadRegistryFor,
    readFile: readDocumentFile,
    checkHost,
    transport,
    metrics: prometheus.metrics,
    metricsText: prometheus.metricsText,
    environment: () => environment,
    hash: sha256,
    memory,
    document: createKeptDocument({
      path,
      toInput: (next) => configInput({ path, text: next, crd: options.crd }),
      router: () => router,
      environment: () => environment,
      log: options.log,
    }),
    ...(workers !== undefined && { openInference: (deployments, source) => workers.open(deployments, source) }),
  })
  const open: OpenListener[] = []
  const addresses: Record<string, string> = {}
  let watching: FileWatch | undefined
  const places: Place[] = []
  const add = async (place: Place, app: ListenerApp): Promise<void> => {
    const { name, kind, address, port, localOnly, hasKeys } = place
    // These are answered before the app of the listener sees them, where nobody would catch what a host's function throws.
    const onRefused: LocalNamesOptions["onRefused"] = (refused) => {
      const about = { listener: name, kind, path: undefined, open: false, key: undefined, totalMs: 0 }
      try {
        options.onUnrouted?.({ ...refused, ...about })
      } catch (error) {
        options.onInternalError?.(error, refused.id ?? "unknown")
      }
    }
    const toBody = kind === "inference" ? inferenceErrorBody : managementErrorBody
    const guarded = localOnly
      ? onlyLocalNames(app, { toBody, onRefused, ...(hasKeys !== undefined && { hasKeys }) })
      : app
    const listener = await openListener(guarded, address, port, {
      onUnreadable(status) {
        const error = status === 408 ? "request_timeout" : "invalid_request"
        onRefused({ id: undefined, method: undefined, status, error })
      },
    }).catch((error: unknown) => {
      throw atPlace(error, path, place, places)
    })
    places.push(place)
    open.push(listener)
    addresses[name] = listener.url
  }
  const stop = async (graceMs: number): Promise<void> => {
    watching?.close()
    stopReturning()
    router.drain()
    await Promise.all(open.map((listener) => listener.close(graceMs)))
    await router.close()
    await transport.close()
    await workers?.close()
  }

  try {
    const input = await configInput({ path, text, crd: options.crd })
    const loaded = await router.load(input).catch(async (error: unknown) => {
      throw await withFormat(error, { path, text })
    })
    options.onLoaded?.(loaded)
    const { management_api: management, observability } = loaded.document.global?.services ?? {}
    await add(
      {
        name: "management",
        kind: "management",
        address: management?.bind_address ?? "127.0.0.1",
        port: management?.port ?? 8080,
        localOnly: isLoopback(management?.bind_address ?? "127.0.0.1"),
        section: ["global", "services", "management_api"],
      },
      router.management,
    )
    if (observability?.metrics?.enabled ?? true)
      await add(
        {
          name: "metrics",
          kind: "metrics",
          address: metricsAddress,
          port: options.metricsPort ?? 9190,
          // Prometheus asks by the name of a service in a network of containers.
          localOnly: isLoopback(metricsAddress),
        },
        router.metrics,
      )
    router.setPhase("loading_model_deployments")
    const outcome = await router.activate({ ...input, trigger: "start", loaded })
    if (outcome.result === "rejected") throw outcome.error
    const plan = router.plan()
    if (plan === undefined) throw new RtrError("unavailable", "The router was stopped while it started")
    const { listeners: written = [] } = loaded.document
    for (const [index, { name, address, port }] of plan.listeners.entries()) {
      const hasKeys = (): boolean =>
        router.plan()?.listeners.some((each) => each.name === name && each.apiKeys.length > 0) === true
      await add(
        {
          name,
          kind: "inference",
          address,
          port,
          localOnly: isLoopback(address),
          hasKeys,
          section: written.length === 0 ? undefined : ["listeners", index],
        },
        router.listener(name),
      )
    }
    router.setPhase("ready")
    const activate = async (next: string, trigger: Candidate["trigger"]): Promise<ActivationOutcome> =>
      router.activate({ ...(await configInput({ path, text: next, crd: options.crd })), trigger })
    /** With what goes on serving. */
    const tellFile = (level: "info" | "warning", event: string, fields: object = {}): void => {
      const { version, activeHash } = router.status().activation
      options.log?.(level, event, { file: path, ...fields, version, hash: activeHash })
    }
    if (options.watch === true)
      watching = watchFile(resolve(path), text, {
        onChange: (next) => void activate(next, "watch").catch(() => {}),
        onUnreadable: ({ message }) => tellFile("warning", "config_unreadable", { reason: message }),
        onReadable: () => tellFile("info", "config_readable"),
      })
    return { router, addresses, reload: async (trigger) => activate(readConfigFile(path), trigger), stop }
  } catch (error) {
    router.setPhase("error", error instanceof RtrError ? error.message : "startup failed")
    await stop(0)
    throw error
  }
}

/** Says where the address or the port stands, and which of the router's own listeners has the port already. */
function atPlace(error: unknown, file: string, place: Place, opened: readonly Place[]): unknown {
  if (!(error instanceof RtrError)) return error
  const { address, port, section } = place
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  const other = code === "EADDRINUSE" ? opened.find((each) => each.port === port) : undefined
  const message =
    other === undefined
      ? error.message
      : `Cannot listen on ${address}:${port}: ${port} is the port of ${wordsFor(other)}, and ${wordsFor(place)} needs one of its own`
  const { cause } = error
  if (section === undefined) return new RtrError(error.code, message, { cause })
  const wrongPort = code === "EADDRINUSE" || code === "EACCES"
  const key = wrongPort ? "port" : place.kind === "inference" ? "address" : "bind_address"
  return new RtrError(error.code, message, { cause, path: [...section, key], hint: `The document is ${file}` })
}

const wordsFor = ({ kind, name }: Place): string =>
  kind === "inference"
    ? `listener "${name}"`
    : kind === "management"
      ? "the management API"
      : "GET /metrics (--metrics-port)"
