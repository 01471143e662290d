// From a resolved document to a frozen plan: every module is set up, every name becomes an object.

import { RtrError } from "../error.ts"
import type { Registry } from "../modules/registry.ts"
import type { UnknownPolicy } from "../types/call.ts"
import type { Inference } from "../types/inference.ts"
import type { PluginHooks, PluginModule, RegisteredModule } from "../types/module.ts"
import type {
  ModelTarget,
  Plan,
  PlannedCandidate,
  PlannedDecision,
  PlannedListener,
  PlannedPlugin,
  RuleNode,
  SignalFamily,
} from "../types/plan.ts"
import { compileModels, compileReasoning } from "./compile-models.ts"
import { compileSignals } from "./compile-signals.ts"
import { durationMs } from "../schema/duration.ts"
import type { Environment } from "./environment.ts"
import { formatPath } from "../schema/problem.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { DecisionEntry, RuleEntry } from "./schema/routing.ts"

export interface CompileOptions {
  readonly document: ConfigDocument
  readonly hash: string
  readonly registry: Registry
  readonly environment: Environment
  readonly inference: Inference | undefined
}

/** Names that mean automatic routing when the document does not replace them (spec 1). */
const autoAliases = ["auto", "rtr/auto"]

/** Compiles and warms: vectors of fixed texts are made here. Rejects with an `RtrError` that names the path. */
export async function compilePlan(options: CompileOptions): Promise<Plan> {
  const { document, hash } = options
  const models = compileModels(options)
  const signals = await compileSignals(options)
  const decisions = await Promise.all(
    (document.routing?.decisions ?? []).map((decision, index) =>
      compileDecision(decision, index, { ...options, models, signals }),
    ),
  )
  const management = document.global?.services?.management_api
  const preview = document.global?.services?.api?.routing_preview
  const router = document.global?.router
  const defaultName = document.providers?.defaults?.model
  return Object.freeze({
    hash,
    listeners: (document.listeners ?? []).map(compileListener),
    management: {
      address: management?.bind_address ?? "127.0.0.1",
      port: management?.port ?? 8080,
      previewTimeoutMs: (preview?.request_timeout_seconds ?? 120) * 1000,
      previewConcurrency: preview?.max_concurrency ?? 16,
    },
    metricsEnabled: document.global?.services?.observability?.metrics?.enabled ?? true,
    signals: signals.families,
    slotCount: signals.slotCount,
    signalTimeoutMs: document.global?.model_catalog?.signal_timeout_ms,
    strategy: document.routing?.strategy ?? router?.strategy ?? "priority",
    decisions,
    defaultModel: defaultName === undefined ? undefined : models.get(defaultName),
    models,
    autoNames: [...new Set([router?.auto_model_name ?? "MoM", ...(router?.auto_model_names ?? autoAliases)])],
    listConfiguredModels: router?.include_config_models_in_list ?? true,
  })
}

export function compileListener(listener: NonNullable<ConfigDocument["listeners"]>[number]): PlannedListener {
  return {
    name: listener.name,
    address: listener.address,
    port: listener.port,
    timeoutMs: durationMs(listener.timeout ?? "300s"),
    apiKeys: listener.api_keys ?? [],
    models: listener.models === undefined ? undefined : new Set(listener.models),
  }
}

interface DecisionContext extends CompileOptions {
  readonly models: ReadonlyMap<string, ModelTarget>
  readonly signals: { readonly families: readonly SignalFamily[] }
}

async function compileDecision(
  decision: DecisionEntry,
  index: number,
  context: DecisionContext,
): Promise<PlannedDecision> {
  const { rules: entry, algorithm = { type: "static" } } = decision
  const candidates = (decision.modelRefs ?? []).map((ref) => compileCandidate(decision, ref, context))
  const selector = context.registry.find("selector", algorithm.type)
  if (selector === undefined)
    throw new RtrError("invalid_config", `There is no selector "${algorithm.type}"`, {
      path: ["routing", "decisions", index, "algorithm", "type"],
    })
  return {
    name: decision.name,
    priority: decision.priority ?? 0,
    tier: decision.tier ?? 0,
    rules: compileRules(entry ?? {}, context.signals.families),
    onUnknown: (entry?.on_unknown ?? "no_match") as UnknownPolicy,
    algorithm: algorithm.type,
    candidates,
    select:
      candidates.length > 1
        ? await selector.module.setup((algorithm[algorithm.type] ?? {}) as never, { candidates })
        : undefined,
    plugins: await compilePlugins(decision, index, context),
  }
}

function compileCandidate(
  decision: DecisionEntry,
  ref: NonNullable<DecisionEntry["modelRefs"]>[number],
  { document, models }: DecisionContext,
): PlannedCandidate {
  const model = ref.lora_name ?? ref.model
  const target = models.get(model)
  if (target === undefined)
    throw new RtrError(
      "invalid_config",
      `Cannot compile decision "${decision.name}": model "${model}" is not in providers.models`,
    )
  return {
    model,
    target,
    score: domainScore(document, decision.name, ref.model),
    reasoning: compileReasoning(document, ref),
  }
}

/** Score that the domain with the decision's name gives a model; 1 when it says nothing. */
function domainScore(document: ConfigDocument, decision: string, model: string): number {
  const domain = document.routing?.signals?.["domains"]?.find(({ name }) => name === decision)
  const scores = domain?.["model_scores"] as readonly { model: string; score: number }[] | undefined
  return scores?.find((entry) => entry.model === model)?.score ?? 1
}

async function compilePlugins(
  decision: DecisionEntry,
  index: number,
  { registry }: DecisionContext,
): Promise<readonly PlannedPlugin[]> {
  const listed = (decision.plugins ?? []).map(({ type, configuration }, position) => {
    const registered = registry.find("plugin", type)
    if (registered === undefined)
      throw new RtrError(
        "invalid_config",
        `There is no plugin "${type}" (${formatPath(["routing", "decisions", index, "plugins", position])})`,
      )
    return { registered, configuration }
  })
  const orderOf = ({ registered }: { registered: RegisteredModule<PluginModule> }): number =>
    registered.module.order ?? 100
  return Promise.all(
    listed
      .toSorted((a, b) => orderOf(a) - orderOf(b))
      .map(async ({ registered, configuration }) => ({
        type: registered.id,
        hooks: checkHooks(await registered.module.setup(configuration), registered),
      })),
  )
}

const hookNames: readonly string[] = ["before", "around", "onChunk", "after"] satisfies (keyof PluginHooks)[]

/** A misspelt hook would never run, which for a plugin that guards something is the worst that can happen. */
function checkHooks(hooks: PluginHooks, { id, source }: RegisteredModule<PluginModule>): PluginHooks {
  const wrong =
    typeof hooks !== "object" || hooks === null
      ? "no hooks"
      : Object.entries(hooks).find(([name, hook]) => !hookNames.includes(name) || typeof hook !== "function")?.[0]
  if (wrong !== undefined)
    throw new RtrError(
      "invalid_module",
      `Cannot use plugin "${id}" from ${source}: its setup returned ${wrong}; hooks are the functions ${hookNames.join(", ")}`,
    )
  return hooks
}

/** Turns a canonical tree into one that knows its facts by slot number. */
function compileRules(entry: RuleEntry, families: readonly SignalFamily[]): RuleNode {
  const { type, name = "" } = entry
  if (type !== undefined) {
    const family = families.find((candidate) => candidate.type === type)
    const position = family?.rules.indexOf(name) ?? -1
    if (family === undefined || position < 0) throw new RtrError("invalid_config", `There is no ${type} rule "${name}"`)
    return {
      kind: "leaf",
      type,
      name,
      slot: family.firstSlot + position,
      predicate: entry.predicate,
      onError: entry.on_error ?? family.onUnknown,
    }
  }
  const children = (entry.conditions ?? []).map((child) => compileRules(child, families))
  const [only] = children
  if (entry.operator === "NOT" && only !== undefined) return { kind: "NOT", children: [only] }
  return { kind: entry.operator === "OR" ? "OR" : "AND", children }
}
