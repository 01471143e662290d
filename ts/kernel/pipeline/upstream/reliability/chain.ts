// Goes from model to model until one answers: those that cannot take the request, or have no working backend, are passed over.

import type { SkippedModel } from "../../../types/call.ts"
import type { ModelTarget, PlannedCandidate, PlannedFallback } from "../../../types/plan.ts"
import type { ReasoningChoice } from "../../../types/provider.ts"
import type { AttemptOptions, Sending } from "../attempt.ts"
import { readNeeds } from "./request-needs.ts"
import { type AttemptOutcome, type Failure, isUnsent } from "./failure.ts"
import type { ReliableModel } from "./reliable-model.ts"

interface Link {
  readonly target: ModelTarget
  readonly reasoning: ReasoningChoice | undefined
  /** Position among the decision's candidates; undefined for a model of the fallback's own list. */
  readonly candidate: number | undefined
}

type CallChain = (
  sending: Sending,
  options: AttemptOptions,
  candidates: readonly PlannedCandidate[],
) => Promise<AttemptOutcome>

/**
 * How long models are called without a `total_timeout`, in time-outs of the listener. A model that hangs takes one of them, so
 * with one in all no other model would ever be called.
 */
const defaultTotal = 3

/** The chosen model, the decision's other candidates in order, and the models of the fallback. */
export function createChain(
  usual: PlannedFallback,
  callerOf: (target: ModelTarget) => ReliableModel,
  now: () => number,
): CallChain {
  return async (sending, options, candidates) => {
    const { record, call } = options
    const fallback = (record.decision !== undefined && usual.ofDecision?.get(record.decision)) || usual
    const links = linksOf(options, candidates, fallback.models)
    const { able, skipped } = whichCan(links, fallback, options)
    // Where no model can take it, the chosen one says so in its own words.
    const chain = able.length > 0 ? able : links.slice(0, 1)
    const startBefore = now() + (fallback.totalMs ?? defaultTotal * call.upstreamTimeoutMs)
    let first: { readonly outcome: AttemptOutcome; readonly link: Link } | undefined
    let called = 0
    for (const [position, link] of chain.entries()) {
      const caller = callerOf(link.target)
      const isLast = position === chain.length - 1
      // The last one is tried all the same when none has been.
      if (fallback.onFailure && caller.isDown() && !(isLast && called === 0)) {
        skipped.push({ model: link.target.name, reason: "ejected" })
        continue
      }
      if (skipped.length > 0) record.skipped = skipped
      const before = record.attempts.length
      const pending = caller.call(sending, optionsOf(options, link, sending), {
        firstByteMs: fallback.perAttemptMs,
        startBefore,
      })
      const attempt = record.attempts[before]
      if (attempt !== undefined && link !== links[0]) attempt.why = "fallback"
      const outcome = await pending
      // A stand-in that cannot take the request says nothing about the failure that it stands in for.
      if (first !== undefined && isUnsent(outcome)) continue
      called += 1
      first ??= { outcome, link }
      if (!isFollowed(outcome.failure, fallback)) return answered(options, link, links, outcome)
      if (called >= fallback.maxAttempts || now() >= startBefore || call.client.aborted) break
    }
    // The first model's own failure says more than that of a stand-in.
    const { outcome, link } = first as NonNullable<typeof first>
    return answered(options, link, links, outcome)
  }
}

function linksOf(
  { target, reasoning }: AttemptOptions,
  candidates: readonly PlannedCandidate[],
  models: readonly ModelTarget[],
): readonly Link[] {
  const chosen = candidates.findIndex((each) => each.target === target && each.reasoning === reasoning)
  const all: readonly Link[] = [
    { target, reasoning, candidate: chosen < 0 ? undefined : chosen },
    ...candidates.map((each, candidate) => ({ target: each.target, reasoning: each.reasoning, candidate })),
    ...models.map((model) => ({ target: model, reasoning: undefined, candidate: undefined })),
  ]
  return all.filter((link, index) => all.findIndex((other) => other.target === link.target) === index)
}

function whichCan(
  links: readonly Link[],
  fallback: PlannedFallback,
  { request }: AttemptOptions,
): { readonly able: readonly Link[]; readonly skipped: SkippedModel[] } {
  const lacks = readNeeds(request, fallback)
  const skipped: SkippedModel[] = []
  const able = links.filter(({ target }) => {
    const reason = lacks(target.card)
    if (reason !== undefined) skipped.push({ model: target.name, reason })
    return reason === undefined
  })
  return { able, skipped }
}

/** The model's name goes to its own backend. */
const optionsOf = (options: AttemptOptions, { target, reasoning }: Link, { toHeaderText }: Sending): AttemptOptions =>
  target === options.target
    ? options
    : {
        ...options,
        target,
        reasoning,
        headers: { ...options.headers, "x-selected-model": toHeaderText(target.name) },
      }

/** A request that a backend refuses as the client's fault would be refused by the next model too. */
function isFollowed(failure: Failure | undefined, { onFailure, statuses }: PlannedFallback): boolean {
  if (!onFailure || failure === undefined) return false
  return failure.kind !== "status" || statuses.has(failure.status)
}

/** The record names the model that answered. */
function answered(
  { record }: AttemptOptions,
  link: Link,
  [chosen]: readonly Link[],
  outcome: AttemptOutcome,
): AttemptOutcome {
  if (link === chosen) return outcome
  record.model = link.target.name
  record.reasoning = link.reasoning
  const { selection } = record
  // A selector learns from the candidate that answered, and nothing from a model that is none.
  record.selection =
    selection === undefined || link.candidate === undefined ? undefined : { ...selection, candidate: link.candidate }
  return outcome
}
