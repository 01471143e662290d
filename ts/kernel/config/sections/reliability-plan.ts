// What `reliability`, `fallback` and `candidate_requirements` mean: their checks, their defaults, and the plan of them.

import type { DocumentPath } from "../../error.ts"
import type { Problem } from "../../schema/problem.ts"
import type {
  ModelTarget,
  Plan,
  PlannedEjection,
  PlannedFallback,
  PlannedReliability,
  PlannedTimeouts,
  RetryReason,
} from "../../types/plan.ts"
import type { Registry } from "../../modules/registry.ts"
import type { ConfigDocument } from "../document-schema.ts"
import type { CompileContext } from "../compile.ts"
import { checkActions, withAction } from "./decision-action.ts"
import { createNarrow, type NarrowingTools } from "./narrowing.ts"
import type { ProviderModel } from "./providers.ts"
import type { FallbackEntry, ReliabilityEntry, ReliabilityTools, RequirementsEntry } from "./reliability.ts"

/** Words of `retry_on`. HTTP/1.1 refuses streams with its connections. */
const reasonOfWord: Readonly<Record<string, RetryReason>> = {
  "connect-failure": "connect-failure",
  "refused-stream": "connect-failure",
  reset: "reset",
  timeout: "timeout",
  "5xx": "5xx",
  "gateway-error": "gateway-error",
  "retriable-4xx": "retriable-4xx",
}

/** Failures that pass: the same request may succeed a moment later or elsewhere. */
const defaultRetryOn = "connect-failure,reset,timeout,408,425,429,500,502,503,504,529"
const defaultStatuses = [502, 503, 504, 529]

export interface ReliabilityPlan {
  check(registry: Registry): readonly Problem[]
  /** The calls of one model; undefined for a model whose calls are made once. */
  ofModel(model: ProviderModel): PlannedReliability | undefined
  /** What becomes of the plan: its decisions, and how a request goes from one model to another. */
  planned(
    plan: Pick<Plan, "decisions" | "models">,
    context: CompileContext,
    narrowing: NarrowingTools,
  ): Pick<Plan, "decisions" | "fallback" | "recipes">
}

export function createReliabilityPlan(document: ConfigDocument, tools: ReliabilityTools): ReliabilityPlan {
  return {
    check: (registry) => [
      ...(document.providers?.models ?? []).flatMap(({ reliability = {} }, index) =>
        checkEntry(reliability, ["providers", "models", index, "reliability"], tools),
      ),
      ...checkFallbacks(document, tools),
      ...checkActions(document, registry, tools),
    ],
    ofModel: (model) => compileReliability(model, document, tools),
    planned({ decisions, models }, context, narrowing) {
      const fallback = compileFallback(document, models, tools)
      const checks = [fallback, ...(fallback?.ofDecision?.values() ?? [])].some(
        (each) => each?.checksCapabilities || each?.checksContext,
      )
      const entries = document.routing?.decisions ?? []
      const acting = decisions.map((decision, index) => {
        const { action } = entries[index] ?? {}
        return action === undefined ? decision : withAction(decision, { action }, models)
      })
      return {
        decisions: acting,
        fallback: fallback && { ...fallback, ...(checks && { narrow: createNarrow(context, narrowing) }) },
        // Requests that name a model have hosts of their own, as those of recipes have.
        ...(acting.some(({ overridesModel }) => overridesModel) && { recipes: [] }),
      }
    },
  }
}

// ── checks ──

function checkEntry(entry: ReliabilityEntry, at: DocumentPath, tools: ReliabilityTools): readonly Problem[] {
  const { invalid, suggestion } = tools
  const words = wordsOf(entry.retry_on ?? "connect-failure")
  const problems = words
    .filter((word) => reasonOfWord[word] === undefined && !isStatus(word))
    .map((word) =>
      invalid(
        [...at, "retry_on"],
        `"${word}" is neither a status from 400 to 599 nor one of ${Object.keys(reasonOfWord).join(", ")}${suggestion(word, Object.keys(reasonOfWord))}`,
      ),
    )
  const needs = (key: keyof ReliabilityEntry, others: readonly (keyof ReliabilityEntry)[]): void => {
    if (entry[key] !== undefined && others.every((other) => !entry[other]))
      problems.push(invalid([...at, key], `does nothing without ${others.join(" or ")}`))
  }
  needs("base_ejection_time", ["consecutive_5xx", "failure_percent"])
  needs("max_ejection_percent", ["consecutive_5xx", "failure_percent"])
  needs("hedge_budget_percent", ["hedge_delay"])
  return [...problems, ...checkTimes(entry, at, tools)]
}

/** Those of the router, of the routing, and of each decision. */
function checkFallbacks(document: ConfigDocument, tools: ReliabilityTools): readonly Problem[] {
  const { routing, global } = document
  const decisions = (routing?.decisions ?? []).flatMap(({ fallback }, index) => {
    const at: DocumentPath = ["routing", "decisions", index, "fallback"]
    const breaker =
      fallback?.circuit_breaker === undefined
        ? []
        : [
            tools.invalid(
              [...at, "circuit_breaker"],
              "belongs to routing.fallback: backends are left out for all decisions",
            ),
          ]
    return [...breaker, ...checkFallback(fallback, document, at, tools)]
  })
  return [
    ...checkFallback(global?.router?.fallback, document, ["global", "router", "fallback"], tools),
    ...checkFallback(routing?.fallback, document, ["routing", "fallback"], tools),
    ...decisions,
    ...checkSwitches(document, tools),
  ]
}

/**
 * Warns of a fallback that has settings and no `enabled`. `global.router.fallback` is left out, because a recipe may switch it on;
 * `enabled: false` needs no warning.
 */
function checkSwitches(document: ConfigDocument, { invalid }: ReliabilityTools): readonly Problem[] {
  const { routing: { fallback, decisions = [] } = {} } = document
  const isSet = (entry: FallbackEntry = {}): boolean =>
    Object.values({ ...entry, enabled: undefined, version: undefined }).some((value) => value !== undefined)
  const usual = fallbackOf(document).enabled
  if (usual !== undefined) return []
  const told = (at: DocumentPath): Problem => ({
    ...invalid(at, "does nothing without enabled: true"),
    severity: "warning",
  })
  const isSwitchedOn = decisions.some((decision) => decision.fallback?.enabled === true)
  return [
    ...(isSet(fallback) && !isSwitchedOn ? [told(["routing", "fallback"])] : []),
    ...decisions.flatMap(({ fallback: own }, index) =>
      // A circuit breaker is refused there anyway.
      isSet({ ...own, circuit_breaker: undefined }) && own?.enabled === undefined
        ? [told(["routing", "decisions", index, "fallback"])]
        : [],
    ),
  ]
}

function checkFallback(
  fallback: FallbackEntry | undefined,
  document: ConfigDocument,
  at: DocumentPath,
  tools: ReliabilityTools,
): readonly Problem[] {
  if (fallback === undefined) return []
  const { invalid, suggestion, callableModels, durationMs, isDuration } = tools
  const problems = [
    ...checkTimes(fallback, at, tools),
    ...checkTimes(fallback.circuit_breaker ?? {}, [...at, "circuit_breaker"], tools),
  ]
  const callable = callableModels(document)
  for (const [index, model] of (fallback.models ?? []).entries())
    if (!callable.has(model))
      problems.push(
        invalid([...at, "models", index], `"${model}" is not in providers.models${suggestion(model, callable)}`),
      )
  const { total_timeout: total, per_attempt_timeout: each } = fallback
  if (
    total !== undefined &&
    each !== undefined &&
    isDuration(total) &&
    isDuration(each) &&
    durationMs(each) > durationMs(total)
  )
    problems.push(invalid([...at, "per_attempt_timeout"], `is longer than total_timeout, which is ${total}`))
  return problems
}

function checkTimes(entry: object, at: DocumentPath, tools: ReliabilityTools): readonly Problem[] {
  return Object.entries(entry).flatMap(([key, value]) =>
    /_(?:timeout|time|delay|period)$/.test(key) && typeof value === "string" && isNone(value, tools)
      ? [tools.invalid([...at, key], "must be longer than 0s; leave it out for the default")]
      : [],
  )
}

/** A text that is no duration is what the schema reports. */
const isNone = (text: string, { durationMs, isDuration }: ReliabilityTools): boolean =>
  isDuration(text) && durationMs(text) === 0

const wordsOf = (text: string): readonly string[] => text.split(",").map((word) => word.trim())
const isStatus = (word: string): boolean => /^[45]\d\d$/.test(word)

// ── plan ──

function compileReliability(
  { reliability, backend_refs: refs = [] }: ProviderModel,
  document: ConfigDocument,
  tools: ReliabilityTools,
): PlannedReliability | undefined {
  const breaker = breakerOf(document, tools)
  const hasGroups = refs.some(({ priority }) => priority !== undefined)
  if (reliability === undefined && !hasGroups && breaker === undefined) return undefined
  const entry = reliability ?? {}
  const retryOn = wordsOf(entry.retry_on ?? defaultRetryOn)
  const asksForRetries = entry.retry_on !== undefined || entry.retry_budget_percent !== undefined
  return {
    leastRequest: entry.lb_policy === "least_request",
    honoursRetryAfter: reliability !== undefined,
    retries: entry.retry_count ?? (asksForRetries ? 1 : 0),
    retryOn: new Set(retryOn.map((word) => reasonOfWord[word] ?? Number(word))),
    retryShare: (entry.retry_budget_percent ?? 20) / 100,
    timeouts: compileTimeouts(entry, tools),
    ejection: compileEjection(entry, tools) ?? breaker,
    hedging:
      entry.hedge_delay === undefined
        ? undefined
        : { delayMs: tools.durationMs(entry.hedge_delay), share: (entry.hedge_budget_percent ?? 10) / 100 },
  }
}

const compileTimeouts = (entry: ReliabilityEntry, tools: ReliabilityTools): PlannedTimeouts => ({
  connectMs: msOf(entry.connect_timeout, tools),
  firstByteMs: msOf(entry.first_byte_timeout, tools),
  idleMs: msOf(entry.idle_timeout, tools),
  totalMs: msOf(entry.total_timeout, tools),
})

/** 0 turns either rule off. */
function compileEjection(entry: ReliabilityEntry, tools: ReliabilityTools): PlannedEjection | undefined {
  if (!entry.consecutive_5xx && !entry.failure_percent) return undefined
  return {
    consecutive: entry.consecutive_5xx || undefined,
    failureShare: entry.failure_percent ? entry.failure_percent / 100 : undefined,
    baseMs: msOf(entry.base_ejection_time, tools) ?? 30_000,
    maxShare: (entry.max_ejection_percent ?? 50) / 100,
    probes: 1,
  }
}

/** A model whose every backend is out is passed over, so all of them may be. */
function breakerOf(document: ConfigDocument, tools: ReliabilityTools): PlannedEjection | undefined {
  const fallback = fallbackOf(document)
  const follows = [fallback, ...(document.routing?.decisions ?? []).map((decision) => decision.fallback)]
  if (!follows.some((each) => each?.enabled === true)) return undefined
  const {
    consecutive_failures: consecutive = 3,
    cooldown_period: cooldown,
    half_open_probes: probes = 1,
  } = fallback.circuit_breaker ?? {}
  return consecutive === 0
    ? undefined
    : {
        consecutive,
        failureShare: undefined,
        baseMs: msOf(cooldown, tools) ?? 30_000,
        maxShare: 1,
        probes: Math.max(1, probes),
      }
}

/** What the routing says, and where it says nothing the router. */
function fallbackOf({ routing, global }: ConfigDocument): FallbackEntry {
  const { circuit_breaker: usual, ...router } = global?.router?.fallback ?? {}
  const { circuit_breaker: breaker, ...own } = routing?.fallback ?? {}
  return { ...router, ...own, circuit_breaker: { ...usual, ...breaker } }
}

function compileFallback(
  document: ConfigDocument,
  models: ReadonlyMap<string, ModelTarget>,
  tools: ReliabilityTools,
): PlannedFallback | undefined {
  const { routing: { candidate_requirements: requirements, decisions = [] } = {} } = document
  const fallback = fallbackOf(document)
  const planned = planOne(fallback, requirements, models, tools)
  const ofDecision = new Map(
    decisions.flatMap(({ name, fallback: own, candidate_requirements: more }) =>
      own === undefined && more === undefined
        ? []
        : [[name, planOne({ ...fallback, ...own }, { ...requirements, ...more }, models, tools)] as const],
    ),
  )
  if (![planned, ...ofDecision.values()].some(doesAnything)) return undefined
  return ofDecision.size === 0 ? planned : { ...planned, ofDecision }
}

const doesAnything = ({ onFailure, checksCapabilities, checksContext }: PlannedFallback): boolean =>
  onFailure || checksCapabilities || checksContext

function planOne(
  fallback: FallbackEntry,
  requirements: RequirementsEntry = {},
  models: ReadonlyMap<string, ModelTarget>,
  tools: ReliabilityTools,
): PlannedFallback {
  const onFailure = fallback.enabled === true
  return {
    onFailure,
    models: (onFailure ? (fallback.models ?? []) : []).flatMap((model) => models.get(model) ?? []),
    maxAttempts: onFailure ? (fallback.max_attempts ?? 3) : 1,
    totalMs: msOf(fallback.total_timeout, tools),
    perAttemptMs: msOf(fallback.per_attempt_timeout, tools),
    statuses: new Set(fallback.retryable_status_codes ?? defaultStatuses),
    checksCapabilities: requirements.capabilities === "declared",
    checksContext: requirements.context === "known_limits",
  }
}

const msOf = (text: string | undefined, { durationMs }: ReliabilityTools): number | undefined =>
  text === undefined ? undefined : durationMs(text)
