import { describe, expect, test } from "vitest"
import { canonicalDocument } from "../../../../ts/kernel/config/canonical.ts"
import type { ConfigDocument } from "../../../../ts/kernel/config/document-schema.ts"
import type { ReliabilityPlan } from "../../../../ts/kernel/config/sections/reliability-plan.ts"
import { loadReliability } from "../../../../ts/kernel/config/sections/reliability.ts"
import type { ModelTarget, PlannedFallback } from "../../../../ts/kernel/types/plan.ts"
import { documentWith, load } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const documentOf = (reliability: unknown, changes: object = {}) =>
  documentWith({ "providers.models.0.reliability": reliability, ...changes })

async function planOf(reliability: object | undefined, changes: object = {}) {
  const document = documentOf(reliability, changes) as unknown as ConfigDocument
  const plan = await loadReliability(document)
  return plan?.ofModel(document.providers?.models?.[0] as never)
}

const plannedBy = (plan: ReliabilityPlan | undefined, models: ReadonlyMap<string, ModelTarget> = new Map()) => {
  const { narrow: _, ...fallback } =
    plan?.planned({ decisions: [], models }, { document: {} } as never, {} as never).fallback ?? {}
  return Object.keys(fallback).length === 0 ? undefined : (fallback as PlannedFallback)
}

describe("the plan of a model", () => {
  test("has the defaults of the format, and failures that pass are tried again", async () => {
    expect(await planOf({ retry_count: 2, consecutive_5xx: 3, hedge_delay: "1s" })).toEqual({
      leastRequest: false,
      honoursRetryAfter: true,
      retries: 2,
      retryOn: new Set(["connect-failure", "reset", "timeout", 408, 425, 429, 500, 502, 503, 504, 529]),
      retryShare: 0.2,
      timeouts: { connectMs: undefined, firstByteMs: undefined, idleMs: undefined, totalMs: undefined },
      ejection: { consecutive: 3, failureShare: undefined, baseMs: 30_000, maxShare: 0.5, probes: 1 },
      hedging: { delayMs: 1000, share: 0.1 },
    })
  })

  test("has what the document says", async () => {
    const written = {
      lb_policy: "least_request",
      retry_count: 0,
      retry_on: "refused-stream, 5xx,418",
      retry_budget_percent: 50,
      connect_timeout: "1s",
      first_byte_timeout: "2s",
      idle_timeout: "3s",
      total_timeout: "1m4s",
      failure_percent: 40,
      base_ejection_time: "5s",
      max_ejection_percent: 100,
      hedge_delay: "800ms",
      hedge_budget_percent: 5,
    }
    expect(await planOf(written)).toEqual({
      leastRequest: true,
      honoursRetryAfter: true,
      retries: 0,
      retryOn: new Set(["connect-failure", "5xx", 418]),
      retryShare: 0.5,
      timeouts: { connectMs: 1000, firstByteMs: 2000, idleMs: 3000, totalMs: 64_000 },
      ejection: { consecutive: undefined, failureShare: 0.4, baseMs: 5000, maxShare: 1, probes: 1 },
      hedging: { delayMs: 800, share: 0.05 },
    })
  })

  test("tries once more where the document only says on what", async () => {
    expect((await planOf({ retry_on: "503" }))?.retries).toBe(1)
    expect((await planOf({ retry_count: 0, retry_on: "503" }))?.retries).toBe(0)
  })

  test("is left out where nothing asks for it, and there for a group or a fallback", async () => {
    expect(await planOf(undefined)).toBeUndefined()
    expect(await planOf(undefined, { "routing.candidate_requirements": { context: "known_limits" } })).toBeUndefined()
    expect(await planOf(undefined, { "providers.models.0.backend_refs.0.priority": 1 })).toMatchObject({
      retries: 0,
      honoursRetryAfter: false,
    })
    const breaker = { consecutive_failures: 5, cooldown_period: "7s", half_open_probes: 2 }
    expect(
      (await planOf(undefined, { "routing.fallback": { enabled: true, circuit_breaker: breaker } }))?.ejection,
    ).toEqual({ consecutive: 5, failureShare: undefined, baseMs: 7000, maxShare: 1, probes: 2 })
    const off = { enabled: true, circuit_breaker: { consecutive_failures: 0 } }
    expect(await planOf(undefined, { "routing.fallback": off })).toBeUndefined()
  })
})

test("the fallback has its defaults and its models", async () => {
  const fallbackOf = async (routing: object) => {
    const plan = await loadReliability({ routing } as ConfigDocument)
    const large = { name: "large" } as ModelTarget
    return plannedBy(plan, new Map([["large", large]]))
  }
  expect(await fallbackOf({ fallback: { enabled: true, models: ["large"], total_timeout: "9s" } })).toEqual({
    onFailure: true,
    models: [{ name: "large" }],
    maxAttempts: 3,
    totalMs: 9000,
    perAttemptMs: undefined,
    statuses: new Set([502, 503, 504, 529]),
    checksCapabilities: false,
    checksContext: false,
  })
  expect(await fallbackOf({ fallback: { enabled: false } })).toBeUndefined()
})

test("the router says what the routing leaves out, and a decision changes what both say", async () => {
  const planned = async (document: object) => {
    const plan = await loadReliability(document as ConfigDocument)
    const { ofDecision, ...all } = plannedBy(plan) ?? {}
    const shown = ({
      onFailure,
      maxAttempts,
      totalMs,
      checksContext,
      checksCapabilities,
    }: Partial<PlannedFallback>) => [onFailure, maxAttempts, totalMs, checksContext, checksCapabilities]
    return [shown(all), ...[...(ofDecision ?? [])].map(([name, own]) => [name, ...shown(own)])]
  }
  const router = { fallback: { enabled: true, max_attempts: 5, total_timeout: "9s" } }
  expect(await planned({ global: { router } })).toEqual([[true, 5, 9000, false, false]])
  expect(await planned({ global: { router }, routing: { fallback: { max_attempts: 2 } } })).toEqual([
    [true, 2, 9000, false, false],
  ])
  // A decision may turn on what the routing turns off, and off what the router turns on.
  const decisions = [
    { name: "eager", fallback: { enabled: true, max_attempts: 4 } },
    { name: "plain" },
    { name: "picky", candidate_requirements: { capabilities: "declared" } },
  ]
  const requirements = { candidate_requirements: { context: "known_limits" } }
  expect(
    await planned({ global: { router }, routing: { fallback: { enabled: false }, decisions, ...requirements } }),
  ).toEqual([
    [false, 1, 9000, true, false],
    ["eager", true, 4, 9000, true, false],
    ["picky", false, 1, 9000, true, true],
  ])
  const off = [{ name: "alone", fallback: { enabled: false } }]
  expect(await planned({ global: { router }, routing: { decisions: off } })).toEqual([
    [true, 5, 9000, false, false],
    ["alone", false, 1, 9000, false, false],
  ])
  expect(plannedBy(await loadReliability({ routing: { decisions: off } } as never))).toBeUndefined()
})

test("backends of a decision's fallback are left out as those of all", async () => {
  const own = { "routing.decisions.0.fallback": { enabled: true } }
  const breaker = { circuit_breaker: { consecutive_failures: 7 } }
  expect((await planOf(undefined, own))?.ejection?.consecutive).toBe(3)
  expect((await planOf(undefined, { ...own, "routing.fallback": breaker }))?.ejection?.consecutive).toBe(7)
  expect((await planOf(undefined, { ...own, "global.router.fallback": breaker }))?.ejection?.consecutive).toBe(7)
  expect(await planOf(undefined, { "global.router.fallback": breaker })).toBeUndefined()
})

test("what is wrong is refused with its path, and keys that are not served by their name", async () => {
  const cases: readonly (readonly [changes: object, problem: RegExp])[] = [
    [
      { "providers.models.0.reliability": { retry_on: "connect-failur" } },
      /reliability\.retry_on: "connect-failur" is neither a status from 400 to 599 nor one of .*did you mean/,
    ],
    [{ "providers.models.0.reliability": { retry_on: "200" } }, /retry_on: "200" is neither/],
    [{ "providers.models.0.reliability": { retry_count: 6 } }, /retry_count/],
    [{ "providers.models.0.reliability": { lb_policy: "random" } }, /lb_policy/],
    [{ "providers.models.0.reliability": { idle_timeout: "0s" } }, /idle_timeout: must be longer than 0s/],
    [{ "providers.models.0.reliability": { idle_timeout: "soon" } }, /idle_timeout/],
    [
      { "providers.models.0.reliability": { base_ejection_time: "3s" } },
      /base_ejection_time: does nothing without consecutive_5xx or failure_percent/,
    ],
    [
      { "providers.models.0.reliability": { hedge_budget_percent: 3 } },
      /hedge_budget_percent: does nothing without hedge_delay/,
    ],
    [{ "providers.models.0.reliability": { health_check_path: "/health" } }, /health_check_path: is not supported yet/],
    [{ "providers.models.0.reliability": { retries: 2 } }, /reliability\.retries/],
    [
      { "routing.fallback": { enabled: true, models: ["larg"] } },
      /routing\.fallback\.models\[0\]: "larg" is not in providers\.models.*large/,
    ],
    [
      { "routing.fallback": { total_timeout: "2s", per_attempt_timeout: "3s" } },
      /per_attempt_timeout: is longer than total_timeout, which is 2s/,
    ],
    [{ "routing.fallback": { circuit_breaker: { cooldown_period: "0s" } } }, /cooldown_period: must be longer/],
    [{ "routing.candidate_requirements": { capabilities: "guessed" } }, /capabilities/],
    [{ "providers.models.0.reliability": { idle_timeout: "5 s" } }, /1 problem\n.*idle_timeout: must be a duration/],
    [
      { "routing.fallback": { enabled: true, total_timeout: "5 s", per_attempt_timeout: "1s" } },
      /1 problem\n.*total_timeout: must be a duration/,
    ],
    [
      { "global.router.fallback": { models: ["larg"] } },
      /global\.router\.fallback\.models\[0\]: "larg" is not in providers\.models/,
    ],
    [
      { "routing.decisions.0.fallback": { per_attempt_timeout: "0s" } },
      /routing\.decisions\[0\]\.fallback\.per_attempt_timeout: must be longer than 0s/,
    ],
    [
      { "routing.decisions.0.fallback": { circuit_breaker: {} } },
      /decisions\[0\]\.fallback\.circuit_breaker: belongs to routing\.fallback: backends are left out for all/,
    ],
  ]
  for (const [changes, problem] of cases) {
    const loading = (async () => load(documentWith(changes as Record<string, unknown>)))()
    await expect(loading, JSON.stringify(changes)).rejects.toThrow(problem)
  }
})

test("a fallback that nobody switches on is warned of", async () => {
  const warningsOf = async (changes: object): Promise<readonly string[]> =>
    (await load(documentWith(changes as Record<string, unknown>))).warnings.map(
      ({ path, message }) => `${path.join(".")}: ${message}`,
    )
  expect(await warningsOf({ "routing.fallback": { models: ["large"] } })).toEqual([
    "routing.fallback: does nothing without enabled: true",
  ])
  expect(await warningsOf({ "routing.decisions.0.fallback": { models: ["large"] } })).toEqual([
    "routing.decisions.0.fallback: does nothing without enabled: true",
  ])
  for (const enabled of [true, false])
    expect(await warningsOf({ "routing.fallback": { models: ["large"], enabled } })).toEqual([])
})

test("the canonical document keeps what stands there", async () => {
  const routing = { fallback: { enabled: true }, candidate_requirements: { context: "known_limits" } }
  const document = documentWith({
    "providers.models.0.reliability": { retry_count: 1 },
    "routing.fallback": routing.fallback,
    "routing.candidate_requirements": routing.candidate_requirements,
  })
  expect(canonicalDocument(document as unknown as ConfigDocument, registry)).toMatchObject({
    providers: { models: [{ reliability: { retry_count: 1 } }, {}] },
    routing,
  })
})
