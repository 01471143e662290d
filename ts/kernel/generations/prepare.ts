// The stages of one candidate: from its text to everything that serves requests.

import { applyAliases } from "../config/aliases.ts"
import { documentSchema } from "../config/document-schema.ts"
import { type Environment, expandEnvironment } from "../config/environment.ts"
import { compilePlan } from "../config/compile.ts"
import { ConfigError } from "../config/config-error.ts"
import { type NeededDeployment, neededDeployments } from "../config/bindings.ts"
import type { MissingParts } from "../config/accepted/left-out.ts"
import type { ReadHeadsBeside } from "../config/package-heads.ts"
import { resolveDocument, type ResolvedDocument, type ResolveOptions, withPlace } from "../config/resolve.ts"
import { boundBy } from "./bound.ts"
import { type SourceDocument, wrapDocument } from "../config/source-document.ts"
import { autoNamesOf } from "../config/sections/router.ts"
import { stateStore, type StoreEntry } from "../config/sections/stores.ts"
import { type DocumentPath, isRtrError, RtrError, secondsText } from "../error.ts"
import type { Services } from "../modules/capabilities.ts"
import type { Problem } from "../schema/problem.ts"
import type { Registry } from "../modules/registry.ts"
import { setUp } from "../modules/set-up.ts"
import { validate, validateInSteps } from "../schema/validate.ts"
import { createPause, doWork } from "../host/work.ts"
import { valueAt } from "../schema/value-at.ts"
import { withValuesAt } from "../schema/with-values.ts"
import type { MaybePromise } from "../types/module-base.ts"
import { reasonOf } from "../types/fact.ts"
import type { Inference } from "../types/inference.ts"
import type { Plan } from "../types/plan.ts"
import type { ReadDocumentFile } from "../types/signal.ts"
import type { Transport } from "../types/transport.ts"
import type { ModelFigures } from "../types/selector.ts"
import type { ActivationStage } from "../types/status.ts"
import { createEmbedAll, type NamedStore, storeServices } from "./services.ts"
import type { Lease, SharedResources } from "./shared-resources.ts"

/** Model deployments that are started or shared for one generation. */
export interface InferenceLease {
  /** Closing it releases the lease. */
  readonly inference: Inference
  /** Resolves when every deployment is ready. Rejects when one has failed for good. */
  ready(signal?: AbortSignal): Promise<void>
  release(): Promise<void>
}

export interface PrepareHost {
  readonly environment: () => Environment
  /** Built-in modules and those that the document names, found relative to its source. */
  readonly loadRegistry: (document: SourceDocument, source: string) => Promise<Registry>
  readonly readHeads?: ReadHeadsBeside | undefined
  /** Whether a document is served that needs a part which the router does not have; refused when left out. */
  readonly missingParts?: MissingParts | undefined
  /** Reads a file that a document names, beside that document. Left out on hosts that read none. */
  readonly readFile?: ((path: string, source: string) => Promise<string>) | undefined
  /** Relative artifacts start at the folder of the document, whose path `source` is. Left out on hosts that start no workers. */
  readonly openInference?: ((deployments: readonly NeededDeployment[], source: string) => InferenceLease) | undefined
  /** Answers model questions on hosts that bring their own inference. */
  readonly inference?: Inference | undefined
  readonly resources: SharedResources
  /** Calls to services that answer model questions. */
  readonly transport: Transport
  /** Services that do not depend on the document. */
  readonly services: Omit<Services, "inference" | "embedAll" | "kv" | "records" | "vectors" | "readFile" | "plan">
  /** Problems for which a host refuses a document that is valid. */
  readonly refuse?: ((loaded: LoadedDocument) => readonly Problem[]) | undefined
  /** Live figures of a model by name. */
  readonly figures: (model: string) => ModelFigures
  /** Told about the deployments that warm, for the status. What it returns runs when they warm no longer. */
  readonly onWarming: (inference: Inference | undefined) => () => void
}

/** A document, read and checked. */
export interface LoadedDocument extends ResolvedDocument {
  readonly registry: Registry
  /** Reads files beside the document. */
  readonly readFile?: ReadDocumentFile | undefined
}

/** What one generation consists of, beside the apps of its listeners. The text, which `locate` holds, is not kept. */
export interface Prepared extends Omit<LoadedDocument, "locate"> {
  readonly plan: Plan
  readonly services: Services
  readonly inference: Inference | undefined
  close(): Promise<void>
}

/** A document as text, or as a value that its host has parsed already. */
export interface DocumentInput {
  readonly text: string
  readonly source: string
  readonly value?: object
  /** In place of the host's. */
  readonly environment?: Environment
}

/** Reads and checks a document. Throws a `ConfigError` that lists every problem. */
export async function loadDocument(
  host: Pick<PrepareHost, "environment" | "loadRegistry" | "readHeads" | "readFile" | "missingParts" | "refuse"> &
    Pick<ResolveOptions, "onlyCheck" | "checkHost">,
  { text, source, value, environment }: DocumentInput,
  enter: (stage: ActivationStage) => void = () => {},
): Promise<LoadedDocument> {
  enter("parse")
  const document = value === undefined ? await readText(text, source) : wrapDocument(value)
  enter("compile")
  const registry = await host.loadRegistry(document, source)
  enter("validate")
  const { readHeads, readFile, onlyCheck, checkHost, missingParts = "refuse" } = host
  const bound = readFile && ((path: string) => readFile(path, source))
  const resolved = await resolveExplained(
    document,
    {
      source,
      registry,
      environment: environment ?? host.environment(),
      ...(onlyCheck !== undefined && { onlyCheck }),
      ...(checkHost !== undefined && { checkHost }),
      ...(readHeads !== undefined && { readHeads: (artifact: string) => readHeads(artifact, source) }),
      readFile: bound,
    },
    missingParts,
  )
  const loaded = { ...resolved, registry, readFile: bound }
  const refused = host.refuse?.(loaded) ?? []
  if (refused.length > 0) throw new ConfigError(source, refused)
  return loaded
}

/** The list of the format's keys is long and only for documents that the router does not serve whole, so it loads with the first of them. */
async function resolveExplained(
  document: SourceDocument,
  options: ResolveOptions,
  missing: MissingParts,
): Promise<ResolvedDocument> {
  const { recipes, entrypoints } = (document.value ?? {}) as {
    readonly recipes?: unknown
    readonly entrypoints?: unknown
  }
  const loaded =
    recipes === undefined && entrypoints === undefined ? undefined : await import("../config/recipes/resolve.ts")
  const resolve = (by: typeof resolveDocument, given: ResolveOptions): MaybePromise<ResolvedDocument> =>
    loaded?.resolveRecipes(document, given, { resolveDocument: by, autoNamesOf, createPause }) ?? by(document, given)
  try {
    return await resolve(resolveDocument, options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { resolveAccepting } = await import("../config/accepted/resolve-accepting.ts")
    const tools = {
      resolveDocument,
      applyAliases,
      expandEnvironment,
      documentSchema,
      validate,
      validateInSteps,
      valueAt,
      withValuesAt,
      doWork,
    }
    return resolveAccepting(resolve, options, { ...tools, missing })
  }
}

/** The YAML parser loads with the first text: hosts that pass parsed documents start without it. */
async function readText(text: string, source: string): Promise<SourceDocument> {
  const { readInTurns } = await import("../config/document.ts")
  return readInTurns(text, source)
}

export interface PrepareOptions {
  readonly hash: string
  readonly source: string
  readonly loaded: LoadedDocument
  /** The document that serves, whose listeners are open. */
  readonly current: Pick<LoadedDocument, "document"> | undefined
  readonly enter: (stage: ActivationStage) => void
  readonly signal: AbortSignal
}

/** Starts what the document needs and sets its modules up. A failure leaves nothing open. */
export async function prepareGeneration(host: PrepareHost, prepareOptions: PrepareOptions): Promise<Prepared> {
  const { loaded, current, hash, source, signal, enter } = prepareOptions
  if (current !== undefined) {
    const { restartRequired } = await import("./restart.ts")
    const problems = restartRequired(boundBy(current.document), boundBy(loaded.document))
    if (problems.length > 0)
      throw new ConfigError(
        source,
        problems.map((problem) => withPlace(problem, loaded.locate(problem.path))),
      )
  }
  enter("warm")
  const { registry } = loaded
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) {
      try {
        await withinMs(closer(), closeMs)
      } catch (error) {
        // The others still have to be closed.
        host.services.log("warning", "close_failed", { reason: isRtrError(error) ? error.message : "internal_error" })
      }
    }
  }
  let warmed: (() => void) | undefined
  try {
    const outside = registry.all("signal").some(({ module }) => module.services)
      ? (await import("./outside.ts")).bindServices(loaded.document, registry)
      : undefined
    const { document } = outside ?? loaded
    const recipes = document.recipes && (await import("../config/recipes/compile.ts"))
    const deployments =
      recipes?.deploymentsOf(document, registry, neededDeployments) ?? neededDeployments(document, registry)
    const lease = deployments.length === 0 ? undefined : host.openInference?.(deployments, source)
    if (lease !== undefined) closers.push(() => lease.release())
    if (lease === undefined) checkAnswered(deployments, host.inference)
    const own = lease?.inference ?? host.inference
    warmed = host.onWarming(own)
    await lease?.ready(signal)
    const inference = outside ? await outside.open(own, { ...host, closers, reasonOf }) : own
    stopWhenAborted(signal)

    const open = async (entry: StoreToOpen): Promise<NamedStore> => {
      const opening = await openStore(host, registry, entry)
      closers.push(() => opening.release())
      return opening.value
    }
    const store = await open(stateStore(document, registry))
    const routes = registry.all("route").some(({ module }) => module.open) && (await import("./open-routes.ts"))
    const opened = routes ? await routes.openRoutes(loaded, { ...host, closers, open }) : undefined
    const { embedAll, leases } = createEmbedAll(inference, host.resources, (name) =>
      JSON.stringify(deployments.find((deployment) => deployment.name === name) ?? name),
    )
    closers.push(async () => {
      for (const vectors of leases) await vectors.release()
    })
    let plan: Plan | undefined
    const services: Services = {
      ...host.services,
      inference,
      embedAll,
      ...storeServices(store),
      readFile: loaded.readFile,
      plan: () => plan,
      opened,
    }
    const options = {
      document,
      hash,
      registry,
      environment: host.environment(),
      services,
      figures: host.figures,
    }
    const compile = routes ? routes.adjusting(compilePlan) : compilePlan
    const compiled = await (recipes?.compileRecipes(options, compile) ?? compile(options))
    closers.push(() => compiled.close())
    stopWhenAborted(signal)
    plan = compiled.plan
    if (plan.decisions.some(({ looper }) => looper))
      plan = (await import("../config/sections/looper-names.ts")).withLooperNames(plan)
    const { locate: _, ...kept } = loaded
    return { ...kept, plan, services, inference, close }
  } catch (error) {
    await close()
    throw error
  } finally {
    warmed?.()
  }
}

/** A host's own inference that lacks a model would otherwise fail with each request. */
function checkAnswered(deployments: readonly NeededDeployment[], inference: Inference | undefined): void {
  const loaded = inference?.status() ?? []
  const has = (needed: NeededDeployment): boolean =>
    inference?.has?.(needed) ?? (loaded.length === 0 || loaded.some(({ name }) => name === needed.name))
  const lacking = deployments.filter((needed) => !has(needed))
  if (lacking.length === 0) return
  const list = lacking.map(({ name, artifact }) => (artifact === undefined ? name : `${name} (${artifact})`))
  throw new RtrError(
    "invalid_config",
    `Cannot ask model deployments ${list.join(", ")}: the inference of this kernel does not have them; make a new kernel with createNativeInference({ config }) of this document`,
  )
}

/** Says where in the document the store stands that cannot be opened. */
function atStore(error: unknown, path: DocumentPath): unknown {
  if (!isRtrError(error) || error.path !== undefined) return error
  return new RtrError(error.code, error.message, { path, cause: error })
}

/** A module that never says that it is closed must not keep the process. */
const closeMs = 5000

async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RtrError("unavailable", `it took longer than ${secondsText(ms)}`)), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function stopWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new RtrError("unavailable", "A newer configuration has come")
}

export interface StoreToOpen extends Required<StoreEntry> {
  /** Where the document names it; `global.stores.state` when left out. */
  readonly path?: DocumentPath
}

/** Equal settings share one store, so its data outlives a generation. */
async function openStore(
  { resources, services }: PrepareHost,
  registry: Registry,
  { type, configuration, path = ["global", "stores", "state"] }: StoreToOpen,
): Promise<Lease<NamedStore>> {
  const registered = registry.find("store", type)
  if (registered === undefined) throw new RtrError("invalid_config", `There is no store "${type}"`, { path })
  const { module } = registered
  return resources.acquire(
    `store:${JSON.stringify([type, configuration])}`,
    async () => {
      try {
        const open = await setUp({ kind: "store", id: type, source: registered.source }, () =>
          module.setup(configuration, { clock: services.clock }),
        )
        return { type, shapes: module.shapes, open }
      } catch (error) {
        throw atStore(error, path)
      }
    },
    ({ open }) => open.close(),
  )
}
