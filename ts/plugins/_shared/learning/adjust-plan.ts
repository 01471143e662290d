// The learning of a document: its state, and the plan whose decisions learn.

import type {
  AdjustHost,
  KeyValueStore,
  Plan,
  PlannedCandidate,
  PlannedDecision,
  RouteHost,
} from "../../../kernel/index.ts"
import { redisStore } from "../responses/kept/redis-section.ts"
import { createExperiences, type Experiences } from "./experiences.ts"
import { createLearningSelector, type LearningState } from "./learning-selector.ts"
import { createRoutedCalls, type RoutedCalls } from "./routed-calls.ts"
import { createSessionKey, createSessions } from "./sessions.ts"
import { type AdaptationsSection, type CandidateSet, isLearning, learningOf, type LearningSection } from "./settings.ts"

/** What the route has opened. `calls` is there as soon as a plan has been adjusted. */
export interface OpenLearning {
  readonly settings: LearningSection
  readonly experiences: Experiences
  /** A store of its own, where the document names one that can be reached. */
  readonly values: ((name: string) => KeyValueStore) | undefined
  calls: RoutedCalls | undefined
}

/** Undefined where nothing is learnt. */
export async function openLearning(host: RouteHost): Promise<OpenLearning | undefined> {
  const settings = host.settings as LearningSection
  if (!isLearning(settings)) return undefined
  const { clock, log } = host
  // What is known of models outlives the document: a reload does not make it wrong.
  const experiences = await host.share("experiences", () => createExperiences({ clock, log }))
  return { settings, experiences, values: await ownStore(settings, host), calls: undefined }
}

/** A server that cannot be reached now must not keep the router from serving: it learns without it. */
async function ownStore(
  { state_store: store }: LearningSection,
  host: RouteHost,
): Promise<OpenLearning["values"] | undefined> {
  if (store?.backend !== "redis") return undefined
  const { address, password, database: db, key_prefix } = store.redis ?? {}
  try {
    const opened = await host.openStore("redis", {
      ...redisStore({
        ...(address !== undefined && { address }),
        ...(db !== undefined && { db }),
        ...(password !== undefined && { password }),
        ...(key_prefix !== undefined && { key_prefix }),
      }),
      max_entries: mostEntries,
    })
    return opened.kv && ((name) => opened.kv?.(`learning:${name}`) as KeyValueStore)
  } catch {
    host.log("warning", "learning_state_unavailable", { what: "store" })
    return undefined
  }
}

/** Ids come from clients. */
const mostEntries = 100_000

/** Puts what was learnt before the candidates of each decision that chooses one model. */
export async function adjustPlan(
  plan: Plan,
  host: AdjustHost,
): Promise<{ readonly plan: Plan; close(): Promise<void> }> {
  const learning = host.opened as OpenLearning
  const { settings, experiences } = learning
  const values = learning.values ?? host.kv
  const { state_store: store = {} } = settings
  const { log, clock, random } = host
  const calls = createRoutedCalls({ kv: values("calls"), log })
  learning.calls = calls
  const sessions = createSessions({
    kv: values("sessions"),
    ttlMs: (store.ttl_seconds || 86_400) * 1000,
    timeoutMs: store.timeout_ms || 50,
    log,
  })
  await experiences.attach(values("experience"))
  const state: LearningState = { experiences, sessions, keyOf: createSessionKey(), calls, clock, random }
  const learn = learnerOf(plan, host.document, { settings, state })
  const { fallback } = plan
  return {
    plan: {
      ...plan,
      decisions: plan.decisions.map((decision, index) => learn(decision, index)),
      ...(fallback !== undefined && { fallback: withLearning(fallback, plan.decisions, learn) }),
    },
    close: experiences.flush,
  }
}

interface Decisions {
  readonly routing?: { readonly decisions?: readonly { readonly adaptations?: AdaptationsSection }[] }
}

/** The decision at this position of the document, or what of it can take a request, as one that learns. */
type Learn = (decision: PlannedDecision, index: number, able?: Able) => PlannedDecision

interface Able {
  /** The decision without the candidates that cannot; undefined where none of its own can. */
  readonly decision: PlannedDecision | undefined
  /** Positions among all candidates. */
  readonly positions: readonly number[]
}

function learnerOf(
  { decisions, keyOf = (name) => name }: Plan,
  document: object,
  { settings, state }: { readonly settings: LearningSection; readonly state: LearningState },
): Learn {
  const entries = (document as Decisions).routing?.decisions ?? []
  return (decision, index, able) => {
    // What an action or a looper does is no choice of one model among several.
    if (decision.looper !== undefined || decision.overridesModel === true || decision.candidates.length === 0)
      return decision
    const own = learningOf(settings, entries[index]?.adaptations)
    const set = own.adaptation.mode === "bypass" ? "decision" : own.adaptation.candidateSet
    const all = candidatesOf(decision, decisions, set)
    const candidates = able?.positions.map((position) => all[position] as PlannedCandidate) ?? all
    const chosenBy = able === undefined ? decision : able.decision
    const selector = createLearningSelector({
      decision: keyOf(decision.name),
      tier: decision.tier,
      recipe: keyOf(""),
      candidates,
      own: chosenBy?.candidates.length ?? 0,
      base: chosenBy?.selector,
      settings: own,
      state,
    })
    return { ...decision, asking: chosenBy?.asking, candidates, selector }
  }
}

/** Where some candidates cannot take a request, the algorithm chooses among its own that can, and learning among all that can. */
function withLearning(
  fallback: NonNullable<Plan["fallback"]>,
  decisions: Plan["decisions"],
  learn: Learn,
): NonNullable<Plan["fallback"]> {
  const { narrow } = fallback
  if (narrow === undefined) return fallback
  const kept = new Map<string, Promise<PlannedDecision>>()
  return {
    ...fallback,
    narrow(decision, positions) {
      const index = decisions.findIndex(({ name }) => name === decision.name)
      const original = decisions[index]
      if (original === undefined || decision.looper !== undefined || decision.overridesModel === true)
        return narrow(decision, positions)
      const key = `${index}:${positions.join()}`
      let narrowed = kept.get(key)
      if (narrowed === undefined) {
        const own = positions.filter((position) => position < original.candidates.length)
        const chosen = own.length === 0 ? Promise.resolve(undefined) : narrow(original, own)
        narrowed = chosen.then((each) => learn(original, index, { decision: each, positions }))
        kept.set(key, narrowed)
      }
      return narrowed
    },
  }
}

/** Those of the decision, and where better ones are looked for. A decision without a tier has its own only. */
function candidatesOf(
  decision: PlannedDecision,
  decisions: readonly PlannedDecision[],
  set: CandidateSet,
): readonly PlannedCandidate[] {
  const others = decisions.filter(
    ({ tier, looper }) =>
      looper === undefined && (set === "global" || (set === "tier" && tier > 0 && tier === decision.tier)),
  )
  const all = [decision, ...others].flatMap(({ candidates }) => candidates)
  const names = new Set(decision.candidates.map(({ model }) => model))
  return [
    ...decision.candidates,
    ...all.slice(decision.candidates.length).filter(({ model }) => !names.has(model) && names.add(model)),
  ]
}
