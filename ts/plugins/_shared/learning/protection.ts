// Whether a conversation changes its model: hard locks, and what a switch has to gain.

import { clamp } from "../selection/scores.ts"
import type { DecisionLearning } from "./settings.ts"

/** What is remembered of a conversation or session. */
export interface SessionState {
  readonly model: string
  /** The decision that it was chosen by. */
  readonly decision: string
  readonly turns: number
  readonly switches: number
  /** Share of the last prompt that came from a cache; undefined where the backend does not tell. */
  readonly warmth?: number | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface ProtectionInput {
  readonly settings: DecisionLearning["protection"]
  readonly session: SessionState | undefined
  readonly decision: string
  readonly now: number
  /** The request answers a tool call of the model. */
  readonly inToolLoop: boolean
  /** The backend keeps what the conversation rests on. */
  readonly hasProviderState: boolean
  readonly tokens: { readonly context: number; readonly history: number; readonly turns: number }
  readonly models: readonly string[]
  /** Positions of those that must not be chosen. */
  readonly excluded?: readonly number[]
  /** Prices of a million tokens in and out, in the order of the models. */
  readonly prices: readonly (number | undefined)[]
  readonly proposal: number
  /** How much better each model is; undefined where that is not known, which is no reason for a switch. */
  readonly scores: readonly number[] | undefined
  /** The model that answers now is known to be too weak or to fail, and the other one is better. */
  readonly isRescue: (current: number, proposal: number) => boolean
}

export interface Protected {
  readonly winner: number
  readonly action: "establish_baseline" | "stay" | "switch" | "hard_lock"
  readonly reason: string
}

const stayBias = 0.1
const handoffCost = 0.05
const prefixWeight = 0.2
const historyWeight = 0.04
const mostCostMultiplier = 2.5

export function protect(input: ProtectionInput): Protected {
  const { session, settings, proposal, models, scores, now } = input
  if (session === undefined) return { winner: proposal, action: "establish_baseline", reason: "new" }
  // A model may be a candidate twice, with and without reasoning.
  const current = models[proposal] === session.model ? proposal : models.indexOf(session.model)
  if (current < 0 || input.excluded?.includes(current) === true)
    return { winner: proposal, action: "establish_baseline", reason: "other_candidates" }
  const held = (action: "stay" | "hard_lock", reason: string): Protected => ({ winner: current, action, reason })
  if (input.inToolLoop) return held("hard_lock", "tool_loop")
  if (input.hasProviderState) return held("hard_lock", "provider_state")
  if (current === proposal) return held("stay", "same_model")
  const switched = (reason: string): Protected => ({ winner: proposal, action: "switch", reason })
  if (input.isRescue(current, proposal)) return switched("rescue")
  if (hasRested(session, settings, now)) return switched("idle")
  if (settings.scope === "session") return held("stay", "session_scope")
  if (session.decision !== input.decision) return switched("other_decision")
  if (session.turns < settings.minTurns) return held("hard_lock", "min_turns")
  if (scores === undefined) return held("stay", "gain_unknown")
  const gain = (scores[proposal] as number) - (scores[current] as number)
  return gain >= neededGain(input, session, current) ? switched("gain") : held("stay", "gain_too_small")
}

/** What another model has to be better by. */
function neededGain(
  { settings, tokens, prices, proposal, ...input }: ProtectionInput,
  session: SessionState,
  current: number,
): number {
  const prefix = prefixWeight * continuationMass(tokens, session, input.hasProviderState) * warmthOf(session)
  const kept = prefix * costMultiplier(prices, [current])
  const lost = prefix * costMultiplier(prices, [current, proposal])
  const history = historyWeight * clamp(session.switches / 8)
  return settings.switchMargin + stayBias + settings.stabilityWeight * (handoffCost + kept + lost + history)
}

/** Share of the request that a backend has seen, its size, and how long the conversation is. */
export function continuationMass(
  { context, history, turns }: ProtectionInput["tokens"],
  session: Pick<SessionState, "turns">,
  hasProviderState: boolean,
): number {
  const reuse = Math.max(hasProviderState ? 0.15 : 0, clamp(history / Math.max(1, context)))
  return clamp(0.45 * reuse + 0.35 * clamp(history / 8192) + 0.2 * clamp(Math.max(turns, session.turns) / 8))
}

/** A cache of which nothing is known is half warm. */
const warmthOf = ({ warmth = 0.5 }: SessionState): number => clamp(warmth)

/** A cache of a dear model is worth more: up to 2.5 times as much for the dearest. */
function costMultiplier(prices: readonly (number | undefined)[], involved: readonly number[]): number {
  const highest = Math.max(0, ...prices.map((price = 0) => price))
  const pressures = involved.map((index) => {
    const price = prices[index]
    return highest > 0 && price !== undefined && price > 0 ? price / highest : 0.5
  })
  return 1 + (mostCostMultiplier - 1) * Math.max(...pressures)
}

/** Why nothing may be tried out for this request; undefined where it may: a conversation that goes on has its model. */
export function suppressedBy({
  inToolLoop,
  hasProviderState,
  session,
  now,
  settings,
}: Pick<ProtectionInput, "inToolLoop" | "hasProviderState" | "session" | "now" | "settings">): string | undefined {
  if (inToolLoop || hasProviderState) return "tool_or_protocol_state"
  return session === undefined || hasRested(session, settings, now) ? undefined : "steady_state"
}

const hasRested = ({ at }: SessionState, { idleMs }: ProtectionInput["settings"], now: number): boolean =>
  idleMs > 0 && now - at >= idleMs
