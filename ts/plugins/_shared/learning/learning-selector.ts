// A decision's selector with what was learnt: the algorithm proposes, experience may propose another model, and the
// conversation may stay with the one that it has.

import type {
  CallRecord,
  Choice,
  LearningStep,
  LearningTrace,
  PlannedCandidate,
  SelectorReader,
  SignalInput,
} from "../../../kernel/index.ts"
import { qualityOf } from "../selection/model-quality.ts"
import { requestTokens } from "../selection/request-tokens.ts"
import { seededRandom } from "./beta-sample.ts"
import type { Experience } from "./experience.ts"
import type { Experiences, Place } from "./experiences.ts"
import { protect, type ProtectionInput, type SessionState, suppressedBy } from "./protection.ts"
import { callIdOf, type RoutedCalls } from "./routed-calls.ts"
import { type Arm, chooseBySampling } from "./sampling.ts"
import type { SessionKey, Sessions } from "./sessions.ts"
import type { DecisionLearning } from "./settings.ts"
import { telemetryOf } from "./telemetry.ts"

export interface LearningState {
  readonly experiences: Experiences
  readonly sessions: Sessions
  readonly keyOf: SessionKey
  readonly calls: RoutedCalls
  readonly clock: () => number
  readonly random: () => number
}

export interface LearningSelectorOptions extends Place {
  /** Recipe of the decision; sessions of two recipes are two. */
  readonly recipe: string
  /** Those of the decision first, then those where better ones are looked for. */
  readonly candidates: readonly PlannedCandidate[]
  /** How many are the decision's own. */
  readonly own: number
  /** Undefined for a decision with one candidate. */
  readonly base: SelectorReader | undefined
  readonly settings: DecisionLearning
  readonly state: LearningState
}

const none: readonly number[] = []
const onlyOne: Choice = { candidate: 0, confidence: 1, reason: "the only candidate" }

export function createLearningSelector(options: LearningSelectorOptions): SelectorReader {
  const { candidates, own, base, settings, state, decision, recipe } = options
  const { adaptation, protection } = settings
  const models = candidates.map(({ model }) => model)
  const prices = candidates.map(({ pricing }) => pricing && pricing.promptPer1m + pricing.completionPer1m)
  const qualities = candidates.map(({ card }) => qualityOf(card)?.score)
  const known = (index: number): Experience | undefined => state.experiences.read(options, models[index] as string)
  const arms = (): readonly Arm[] =>
    models.map((model, index) => ({
      model,
      quality: qualities[index],
      price: prices[index],
      experience: known(index),
    }))

  return {
    async select(input, questions) {
      const choice = base === undefined ? onlyOne : await base.select(input, questions)
      // What is no candidate is for the caller to refuse.
      if (models[choice.candidate] === undefined) return choice
      const key =
        settings.protection.mode === "bypass" && input.preview !== undefined
          ? undefined
          : await state.keyOf(input, protection, recipe)
      const session = key === undefined ? undefined : await state.sessions.read(key)
      const request = situationOf(input)
      const steps: LearningStep[] = []

      const now = state.clock()
      const suppressed = samplingSuppressed({ ...request, session, now }, key, settings)
      const random = suppressed === undefined ? randomOf(input, state) : undefined
      let proposal = choice.candidate
      let scores = choice.scores
      const { excluded = none } = choice
      if (adaptation.mode !== "bypass" && candidates.length > 1) {
        const sampled = chooseBySampling({
          arms: arms(),
          excluded,
          base: proposal,
          candidateSet: adaptation.candidateSet,
          random,
        })
        scores = sampled.scores
        steps.push({
          method: "adaptation",
          mode: adaptation.mode,
          action:
            adaptation.mode === "observe" ? "observe" : sampled.winner === proposal ? "keep_base" : "propose_switch",
          reason: sampled.reason,
          scope: adaptation.candidateSet,
          model: models[sampled.winner] as string,
          scores: Object.fromEntries(models.map((model, index) => [model, rounded(sampled.scores[index] as number)])),
        })
        if (adaptation.mode === "apply") proposal = sampled.winner
      }
      if (protection.mode !== "bypass") {
        const step = { method: "protection", mode: protection.mode, scope: protection.scope } as const
        if (key === undefined)
          steps.push({ ...step, action: "none", reason: "missing_identity", model: models[proposal] as string })
        else {
          const { winner, action, reason } = protect({
            ...request,
            settings: protection,
            session,
            decision,
            now,
            models,
            excluded,
            prices,
            proposal,
            scores,
            isRescue: (current, other) =>
              isRescue(known(current), known(other), gainOf(scores, current, other), protection),
          })
          steps.push({ ...step, action, reason, model: models[winner] as string })
          if (protection.mode === "apply") proposal = winner
        }
      }
      const learning: LearningTrace = {
        base: { candidate: choice.candidate, model: models[choice.candidate] as string },
        sampled: random !== undefined && steps[0]?.method === "adaptation",
        steps,
        ...(key !== undefined && { session: { key, before: session } }),
      }
      if (proposal === choice.candidate) return { ...choice, learning }
      const changed = steps.find((step) => step.mode === "apply" && step.model === models[proposal]) as LearningStep
      return {
        ...choice,
        candidate: proposal,
        reason: `${choice.reason}; ${changed.method} chose another one: ${changed.reason}`,
        learning,
      }
    },
    onOutcome(outcome, record) {
      // The algorithm knows its own candidates only.
      if (outcome.candidate < own) base?.onOutcome?.(outcome, record)
      if (record !== undefined) note(record, options)
    },
    ...(base?.close !== undefined && { close: () => base.close?.() }),
  }
}

const rounded = (value: number): number => Number(value.toFixed(4))

/** What of a request says that its model cannot be another one. */
function situationOf({ request }: SignalInput): Pick<ProtectionInput, "inToolLoop" | "hasProviderState" | "tokens"> {
  const last = request.turns.at(-1)
  return {
    inToolLoop: last?.role === "tool" || last?.blocks.some(({ type }) => type === "tool_result") === true,
    hasProviderState: request.session.previousResponseId !== undefined,
    tokens: requestTokens(request),
  }
}

/** Why the means count and nothing is drawn; undefined where it may be. */
function samplingSuppressed(
  request: Pick<ProtectionInput, "inToolLoop" | "hasProviderState" | "session" | "now">,
  key: string | undefined,
  { adaptation, protection }: DecisionLearning,
): string | undefined {
  if (adaptation.mode !== "apply") return "not_applied"
  if (protection.mode !== "apply") return undefined
  return key === undefined ? "missing_identity" : suppressedBy({ ...request, settings: protection })
}

/** Previews draw nothing, unless they bring a seed. */
function randomOf({ preview }: SignalInput, { random }: LearningState): (() => number) | undefined {
  if (preview === undefined) return random
  return preview.samplingSeed === undefined ? undefined : seededRandom(preview.samplingSeed)
}

const gainOf = (scores: readonly number[] | undefined, current: number, other: number): number | undefined =>
  scores && (scores[other] as number) - (scores[current] as number)

/** Enough to know that a model is too weak or fails. */
const enoughEvidence = 1.5

/** Nobody is kept with a model that is known to be too weak or to fail, where the other one is better. */
function isRescue(
  current: Experience | undefined,
  other: Experience | undefined,
  gain: number | undefined,
  { switchMargin }: DecisionLearning["protection"],
): boolean {
  if (current === undefined) return false
  const isWeak = current.underpowered >= enoughEvidence && current.underpowered > current.good
  if (!isWeak && current.failed < enoughEvidence) return false
  return (other !== undefined && other.good > other.underpowered) || (gain !== undefined && gain >= switchMargin)
}

/** What a call that has ended leaves behind. */
function note(record: CallRecord, options: LearningSelectorOptions): void {
  const { state, candidates, decision, tier } = options
  const { attempts, model, selection, status, error } = record
  for (const attempt of attempts) {
    const told = telemetryOf(attempt, candidates.find(({ model: name }) => name === attempt.model)?.pricing)
    if (told !== undefined) state.experiences.noteTelemetry(options, attempt.model, told)
  }
  if (model === undefined || attempts.length === 0) return
  state.calls.keep(callIdOf(record), {
    decision,
    tier,
    model,
    models: [...new Set(attempts.map((attempt) => attempt.model))],
  })
  const session = selection?.learning?.session
  if (session === undefined || error !== undefined || status >= 400) return
  const usage = attempts.findLast((attempt) => attempt.model === model)?.usage
  const warmth = usage !== undefined && usage.inputTokens > 0 ? usage.cachedInputTokens / usage.inputTokens : undefined
  const before = session.before as SessionState | undefined
  state.sessions.keep(session.key, {
    model,
    decision,
    turns: (before?.turns ?? 0) + 1,
    switches: (before?.switches ?? 0) + Number(before !== undefined && before.model !== model),
    ...(warmth !== undefined && { warmth }),
    at: state.clock(),
  })
}
