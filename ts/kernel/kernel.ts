// Modules, generations and the pipeline become one router with an app for each listener.

import { loadGuardTexts } from "./chat/load-guard-texts.ts"
import { compileManagement } from "./config/sections/management.ts"
import type { SourceDocument } from "./config/source-document.ts"
import type { Environment } from "./config/environment.ts"
import type { ResolveOptions } from "./config/resolve.ts"
import { isRtrError, moduleFaultText, RtrError } from "./error.ts"
import { type Activation, type ActivationOutcome, type Candidate, createActivation } from "./generations/activation.ts"
import type { Generation } from "./generations/generation.ts"
import {
  type DocumentInput,
  type LoadedDocument,
  loadDocument,
  type PrepareHost,
  type Prepared,
  prepareGeneration,
} from "./generations/prepare.ts"
import { httpClient } from "./generations/services.ts"
import { createSharedResources } from "./generations/shared-resources.ts"
import type { ListenerApp } from "./http/app.ts"
import { createHeldMemory, type HeldMemory } from "./http/held-memory.ts"
import { listOperations } from "./http/mount.ts"
import { createListenerApps, type ListenerAppsOptions, listenerKey } from "./listener-apps.ts"
import type { Services } from "./modules/capabilities.ts"
import type { Registry } from "./modules/registry.ts"
import { observeCalls } from "./observe-calls.ts"
import { decide, evaluate } from "./pipeline/decide.ts"
import { loadCosts } from "./pipeline/load-costs.ts"
import { loadReliability, type ModelCallers } from "./pipeline/load-reliability.ts"
import { loadStages } from "./pipeline/load-stages.ts"
import { createModelCaller, type TrackedModelCaller } from "./pipeline/model-caller.ts"
import { createModelFigures } from "./pipeline/model-figures.ts"
import { modelList } from "./pipeline/model-list.ts"
import { answer, callModel, type PipelineHost, resolveModel, run, unresolved } from "./pipeline/run.ts"
import { select } from "./pipeline/selection/select.ts"
import { type OnModuleError, readSignals, toSignalInput } from "./pipeline/signals.ts"
import { unscannedIn } from "./pipeline/unscanned.ts"
import type { Problem } from "./schema/problem.ts"
import type { CallRecord } from "./types/call.ts"
import type { ChatRequest } from "./types/chat.ts"
import type { KeptDocument, Log, OtherRequests } from "./types/capability.ts"
import { type Metrics, nullMetrics } from "./types/metrics.ts"
import type { Inference } from "./types/inference.ts"
import type { Plan, PlannedManagement } from "./types/plan.ts"
import type { KernelStatus } from "./types/status.ts"
import type { Transport } from "./types/transport.ts"
import type { UnroutedRequest } from "./types/route.ts"

export interface RouterOptions
  extends
    Pick<PrepareHost, "openInference" | "inference" | "readHeads" | "readFile" | "missingParts" | "refuse">,
    Pick<ResolveOptions, "checkHost"> {
  /** Built-in modules: their routes serve the management surface before the first activation. */
  readonly builtins: Registry
  /** All modules for a document: the built-in ones and those that it names. */
  readonly loadRegistry: (document: SourceDocument, source: string) => Promise<Registry>
  readonly transport: Transport
  readonly metrics?: Metrics
  /** The metrics exposition; left out on hosts without a metrics library. */
  readonly metricsText?: Services["metricsText"]
  /** What requests and replies may hold together; 256 MiB when left out. */
  readonly memory?: HeldMemory
  /** Read at each activation. */
  readonly environment?: () => Environment
  readonly hash: (text: string) => Promise<string>
  readonly log?: Log
  /**
   * Told about errors that are bugs. With a hook they are of a module: `about` is its kind and id, as in `plugin shout`, and
   * the same is told again after a minute at the earliest. Without one `about` is the request id. What modules throw may
   * quote a request: the message of `error` is for nobody but you.
   */
  readonly onInternalError?: (error: unknown, about: string, hook?: string) => void
  /** Told about each finished call. */
  readonly onRecord?: (record: CallRecord) => void
  /** Told about each request without a record: refused before its call began, or of an operation that calls no model. */
  readonly onUnrouted?: (request: UnroutedRequest) => void
  /** Told about each document that was tried, and what the one is that serves then. */
  readonly onActivation?: (outcome: ActivationOutcome, serving?: ServingDocument) => void
  /** What the host warns of beside the warnings of the document itself; the status has both. */
  readonly alsoWarn?: ((loaded: ServingDocument) => readonly Problem[]) | undefined
  /** The file of the document, for operations that change it. */
  readonly document?: KeptDocument | undefined
}

/** A document that serves. Its text, which tells places, is not kept: only who is told that it has become active can locate. */
export type ServingDocument = Omit<LoadedDocument, "locate"> & Partial<Pick<LoadedDocument, "locate">>

/** A candidate; `loaded` is what `load` made of it, `value` the document as its host has parsed it. */
export interface RouterCandidate extends Candidate {
  readonly loaded?: LoadedDocument
  readonly value?: object
}

/** The router before, during and after its configurations. Management works from the start, inference from the first activation on. */
export interface Router {
  /** Reads and checks a document without serving it. */
  load(document: DocumentInput): Promise<LoadedDocument>
  /** Serves a document from then on; requests that run keep the one that they started with. */
  activate(candidate: RouterCandidate): Promise<ActivationOutcome>
  readonly plan: () => Plan | undefined
  /** The app of an inference listener, by its name in the document. */
  listener(name: string): ListenerApp
  readonly management: ListenerApp
  readonly metrics: ListenerApp
  /** The document's first inference listener, for hosts that serve one. */
  readonly inference: ListenerApp
  readonly status: () => KernelStatus
  setPhase(phase: KernelStatus["phase"], message?: string): void
  /** `/ready` turns to 503, so that load balancers send no more. */
  drain(): void
  close(): Promise<void>
}

/** Everything that one generation serves with. */
interface Serving extends Prepared {
  readonly apps: ReadonlyMap<string, ListenerApp>
  readonly told: readonly Problem[]
}

export function createRouter(options: RouterOptions): Router {
  const { transport, metrics = nullMetrics, environment = () => ({}), onInternalError } = options
  /** Errors whose module is known; the request that they end need not tell of them again. */
  const ofModules = new WeakSet<object>()
  const instanceId = crypto.randomUUID()
  const createdAt = Math.floor(Date.now() / 1000)
  const figures = createModelFigures()
  const resources = createSharedResources()
  /** Memory is the process's, whatever listener and generation serve. */
  const memory = options.memory ?? createHeldMemory()
  /** A request leases the generation of the plan that its app was made for. */
  const generations = new WeakMap<Plan, Generation<Serving>>()
  let warming: Inference | undefined
  let state: Pick<KernelStatus, "phase" | "updatedAt" | "draining"> & { readonly message?: string } = {
    phase: "starting",
    updatedAt: new Date(),
    draining: false,
  }

  const status = (): KernelStatus => {
    const { inference: serving, told = [] } = activation.current()?.content ?? {}
    const deployments = [...(serving?.status() ?? []), ...(warming === serving ? [] : (warming?.status() ?? []))]
    return {
      ...state,
      ready: state.phase === "ready" && !state.draining,
      instanceId,
      activation: activation.status(),
      configWarnings: told,
      deployments,
    }
  }

  const sharedServices = {
    http: httpClient,
    metrics,
    log: options.log ?? (() => {}),
    clock: Date.now,
    random: Math.random,
    status,
    document: options.document,
    metricsText: options.metricsText ?? (async () => undefined),
  }

  const loading = {
    environment,
    loadRegistry: options.loadRegistry,
    readHeads: options.readHeads,
    missingParts: options.missingParts,
    readFile: options.readFile,
    refuse: options.refuse,
    ...(options.checkHost !== undefined && { checkHost: options.checkHost }),
  }

  /** Holds texts, so each is gone when its outcome was told. */
  const places = new WeakMap<Serving, LoadedDocument["locate"]>()
  const servingWithPlaces = (): ServingDocument | undefined => {
    const serving = activation.current()?.content
    const locate = serving && places.get(serving)
    if (locate === undefined) return serving
    places.delete(serving as Serving)
    return { ...(serving as Serving), locate }
  }

  const activation: Activation<Serving, RouterCandidate> = createActivation<Serving, RouterCandidate>({
    hash: options.hash,
    onOutcome(outcome) {
      const serving = servingWithPlaces()
      options.onActivation?.(outcome, serving)
    },
    onListenerError: (error) => onInternalError?.(error, "onActivation"),
    onActive: (generation) => generations.set(generation.content.plan, generation),
    close: (content) => content.close(),
    async prepare(candidate, hash, context) {
      const { enter, signal } = context
      const loaded = candidate.loaded ?? (await loadDocument(loading, candidate, enter))
      let host: PipelineHost | undefined
      let other: OtherRequests | undefined
      const active = (): PipelineHost => {
        if (host === undefined) throw notReady()
        return host
      }
      const models: TrackedModelCaller = createModelCaller(active)
      const services: PrepareHost["services"] = {
        ...sharedServices,
        models,
        run: (call) => run(active(), call),
        preview: async (call, asked) =>
          (await import("./pipeline/preview/preview.ts")).preview(active(), steps, call, asked),
        other: () => other ?? refuse(),
        readChat: (dialect, body) => readChat(active().plan, dialect, body),
        modelList: (listener) => modelList(active().plan, createdAt, listener),
        operations: () => listOperations(loaded.registry.all("route")),
      }
      const prepared = await prepareGeneration(
        {
          ...loading,
          openInference: options.openInference,
          inference: options.inference,
          resources,
          transport,
          services,
          figures: figures.read,
          onWarming(inference) {
            warming = inference
            // A preparation that was left behind may end while a newer one warms.
            return () => {
              if (warming === inference) warming = undefined
            }
          },
        },
        { hash, source: candidate.source, loaded, current: context.current?.content, enter, signal },
      )
      const { version } = context
      const { plan, inference } = prepared
      const onModuleError = reportSeldom(onInternalError, ofModules)
      const costs = await loadCosts(plan)
      const callers: ModelCallers = new Map()
      const hostOf = async (profile: Plan): Promise<PipelineHost> => {
        const reliability = await loadReliability(profile, metrics, callers)
        return {
          plan: profile,
          costs,
          ...(await loadStages(profile)),
          generation: version,
          transport,
          figures,
          inference,
          onModuleError,
          // Edge hosts without a guard do not ship what collects texts for guards.
          ...(profile.signals.some(({ guard }) => guard !== undefined) && {
            guardTexts: await loadGuardTexts(),
          }),
          ...reliability,
          onRecord: await observeCalls(profile, {
            metrics,
            costs,
            onModuleError,
            onRecord: options.onRecord,
            ...reliability,
          }),
          // An entry in a weak map for each request costs 2 µs, and as much again in garbage collection.
          ...(asksModels(loaded.registry, profile) && { track: models.track }),
        }
      }
      host = await hostOf(plan)
      if (plan.recipes !== undefined)
        host = await (await import("./pipeline/recipes/recipe-hosts.ts")).withRecipes(host, plan.recipes, hostOf)
      if (servesOthers(loaded.registry))
        other = (await import("./pipeline/other/other-requests.ts")).createOtherRequests(host, steps)
      try {
        const content: Serving = {
          ...prepared,
          told: [...loaded.warnings, ...(options.alsoWarn?.(loaded) ?? [])],
          apps: appsOf(
            loaded.registry,
            { ...services, ...prepared.services },
            { plan, tokens: plan.management.tokens },
          ),
        }
        places.set(content, loaded.locate)
        return content
      } catch (error) {
        await prepared.close()
        throw error
      }
    },
  })

  const appsOf = (
    registry: Registry,
    services: Services,
    serving: Pick<ListenerAppsOptions, "plan" | "tokens">,
  ): ReadonlyMap<string, ListenerApp> =>
    createListenerApps({
      ...serving,
      registry,
      services,
      memory,
      acquire: (plan) => generations.get(plan)?.lease() ?? (() => {}),
      onInternalError: (error, requestId) => {
        // An error of a dialect is told to clients in other words, with what the dialect threw as its cause.
        if (![error, (error as Error | undefined)?.cause].some((each) => isObject(each) && ofModules.has(each)))
          onInternalError?.(error, requestId)
      },
      onUnrouted: options.onUnrouted,
    })

  /** Routes of the built-in modules answer until a document is active; tokens that the first document asks for are asked for at once. */
  const appsBefore = (tokens: PlannedManagement["tokens"]): ReadonlyMap<string, ListenerApp> =>
    appsOf(
      options.builtins,
      { ...sharedServices, ...withoutDocument, operations: () => listOperations(options.builtins.all("route")) },
      { plan: undefined, tokens },
    )
  let beforeActivation = appsBefore(undefined)

  /** The app of whichever generation serves at the moment of the request. */
  const current = (key: string): ListenerApp => ({
    fetch(request) {
      const apps = activation.current()?.content.apps ?? beforeActivation
      return (apps.get(key) as ListenerApp).fetch(request)
    },
  })

  return {
    async load(document) {
      const loaded = await loadDocument(loading, document)
      if (activation.current() === undefined)
        beforeActivation = appsBefore(compileManagement(loaded.document, environment()).tokens)
      return loaded
    },
    activate: (candidate) => activation.submit(candidate),
    plan: () => activation.current()?.content.plan,
    listener: (name) => {
      const key = listenerKey(name)
      if (activation.current()?.content.apps.has(key) !== true) throw notReady()
      return current(key)
    },
    management: current("management"),
    metrics: current("metrics"),
    inference: {
      fetch(request) {
        const serving = activation.current()?.content
        const [first] = serving?.plan.listeners ?? []
        if (serving === undefined || first === undefined) throw notReady()
        return (serving.apps.get(listenerKey(first.name)) as ListenerApp).fetch(request)
      },
    },
    status,
    setPhase(phase, message) {
      state = { phase, updatedAt: new Date(), draining: state.draining, ...(message !== undefined && { message }) }
    },
    drain() {
      state = { ...state, draining: true, updatedAt: new Date() }
    },
    close: () => activation.close(),
  }
}

/** Steps of the pipeline that parts loaded on their own are given. */
const steps = {
  answer,
  callModel,
  decide,
  evaluate,
  readSignals,
  resolveModel,
  select,
  toSignalInput,
  unresolved,
  unscannedIn,
}

const notReady = (): RtrError =>
  new RtrError("not_ready", "The router has no active configuration yet", { retryAfterSeconds: 5 })

const refuse = (): never => {
  throw notReady()
}

/** Services that need a document. */
const withoutDocument = {
  inference: undefined,
  embedAll: refuse,
  models: { ask: refuse },
  kv: refuse,
  records: refuse,
  vectors: refuse,
  run: async () => refuse(),
  preview: async () => refuse(),
  other: refuse,
  readChat: refuse,
  plan: () => undefined,
  modelList: refuse,
} satisfies Partial<Services>

function readChat(plan: Plan, id: string, body: unknown): ChatRequest {
  const dialect = plan.dialects.get(id)
  if (dialect === undefined) throw new RtrError("internal_error", `There is no dialect "${id}"; this is a bug`)
  return dialect.readRequest(body)
}

/** Whether some module that works on requests may call models. */
const asksModels = (registry: Registry, { decisions }: Plan): boolean =>
  decisions.some(({ asking }) => asking?.callsModels) ||
  (["signal", "looper", "plugin"] as const).some((kind) =>
    registry.all(kind).some(({ module }) => module.needs?.includes("models") === true),
  )

/** Whether a route serves requests that are no chats. */
const servesOthers = (registry: Registry): boolean =>
  registry
    .all("route")
    .some(({ module }) => module.operations.some(({ needs }) => needs?.includes("routing.other") === true))

/** Codes that a module throws on purpose, for the client; these are mistakes, which somebody has to hear of. */
const mistakes: ReadonlySet<string> = new Set(["invalid_model_output", "invalid_module", "internal_error"])
/** A module that fails does so for every request. */
const quietMs = 60_000
const mostTold = 1000

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

function reportSeldom(onInternalError: RouterOptions["onInternalError"], ofModules: WeakSet<object>): OnModuleError {
  const toldAt = new Map<string, number>()
  return (module, error, hook) => {
    const isMistake = !isRtrError(error) || mistakes.has(error.code) || moduleFaultText(error) !== undefined
    // A selector that cannot reach its store goes on with the first candidate; nothing else would tell.
    if (!isMistake && !module.startsWith("selector ")) return
    if (isObject(error)) ofModules.add(error)
    const name = isRtrError(error) ? error.code : error instanceof Error ? error.constructor.name : typeof error
    // A module that is wrong in two ways is told of both.
    const key = `${module} ${hook} ${moduleFaultText(error) ?? name}`
    const now = performance.now()
    if (now - (toldAt.get(key) ?? -Infinity) < quietMs) return
    // Faults may have numbers in them.
    if (toldAt.size >= mostTold) toldAt.clear()
    toldAt.set(key, now)
    onInternalError?.(error, module, hook)
  }
}
