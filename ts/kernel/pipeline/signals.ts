// Reads the signals that the plan's rules use, together, under one deadline.

import { isRtrError, RtrError } from "../error.ts"
import type { Call, SignalInput, SignalReadings } from "../types/call.ts"
import type { Fact, UnknownReason } from "../types/fact.ts"
import type { Inference } from "../types/inference.ts"
import type { Ask, Plan, SignalFamily } from "../types/plan.ts"
import { createStage, type Stage } from "./stage.ts"

/** Deadline of the signals when the document sets none (spec 2, router deployment configuration). */
const defaultDeadlineMs = 45_000

export interface SignalHost {
  readonly plan: Pick<Plan, "signals" | "signalTimeoutMs">
  readonly inference: Inference | undefined
  readonly onFault?: OnFault
}

/** Told what a module threw; the request goes on without its answer. */
export type OnFault = (module: string, error: unknown) => void

/** Runs every family of the plan. A family that fails or is late has unknown facts; nothing here decides what that means. */
export async function readSignals(
  { plan, inference, onFault }: SignalHost,
  call: Call,
  input: SignalInput,
): Promise<SignalReadings> {
  const startedAt = performance.now()
  const facts: (Fact | undefined)[] = []
  const familyMs: Record<string, number> = {}
  const asking = plan.signals.filter((family) => family.target !== undefined).length
  const deadlineMs = plan.signalTimeoutMs ?? defaultDeadlineMs
  const stage =
    asking > 0 && inference !== undefined
      ? createStage(inference, asking, { deadlineMs, signal: call.signal })
      : undefined

  const settle = (family: SignalFamily, result: readonly Fact[] | undefined, reason: UnknownReason): void => {
    familyMs[family.type] = performance.now() - startedAt
    store(facts, family, result, reason)
  }

  const fail = (family: SignalFamily, error: unknown): void => {
    onFault?.(`signal ${family.type}`, error)
    settle(family, undefined, reasonOf(error))
  }

  const pending: Promise<void>[] = []
  for (const family of plan.signals) {
    const reading = start(family, input, stage)
    if (reading instanceof Promise)
      pending.push(
        reading.then(
          (result) => settle(family, result, "failed"),
          (error: unknown) => fail(family, error),
        ),
      )
    else if ("error" in reading) fail(family, reading.error)
    else settle(family, reading.facts, "failed")
  }
  if (pending.length === 0) return { facts, familyMs, totalMs: performance.now() - startedAt }
  await withDeadline(Promise.all(pending), deadlineMs)
  for (const family of plan.signals) if (!Object.hasOwn(familyMs, family.type)) settle(family, undefined, "timeout")
  // Copies, because a family that missed the deadline may still settle, and must not change facts that were acted on.
  return { facts: facts.slice(), familyMs: { ...familyMs }, totalMs: performance.now() - startedAt }
}

type Started = Promise<readonly Fact[]> | { readonly facts: readonly Fact[] } | { readonly error: unknown }

function start(family: SignalFamily, input: SignalInput, stage: Stage | undefined): Started {
  const ask =
    family.target === undefined ? nothingToAsk : stage === undefined ? noInference : stage.asker(family.target)
  try {
    const result = family.read(input, ask)
    if (!(result instanceof Promise)) {
      if (family.target !== undefined) stage?.finished()
      return { facts: result }
    }
    return family.target === undefined || stage === undefined ? result : result.finally(stage.finished)
  } catch (error) {
    if (family.target !== undefined) stage?.finished()
    return { error }
  }
}

const refuse = (message: string) => async (): Promise<never> => {
  throw new RtrError("unavailable", message)
}
const nothingToAsk: Ask = {
  classify: refuse("Cannot classify: this signal does not declare that need"),
  spans: refuse("Cannot find spans: this signal does not declare that need"),
  embed: refuse("Cannot embed: this signal does not declare that need"),
}
const noInference: Ask = {
  classify: refuse("Cannot classify: this kernel has no inference"),
  spans: refuse("Cannot find spans: this kernel has no inference"),
  embed: refuse("Cannot embed: this kernel has no inference"),
}

function store(
  facts: (Fact | undefined)[],
  family: SignalFamily,
  result: readonly Fact[] | undefined,
  reason: UnknownReason,
): void {
  // A module from outside may return anything.
  const found = Array.isArray(result) ? (result as readonly (Fact | null)[]) : []
  family.rules.forEach((rule, index) => {
    // Most modules answer in the order of their rules.
    const fact = found[index]?.rule === rule ? found[index] : found.find((each) => each?.rule === rule)
    facts[family.firstSlot + index] =
      fact != null && isWellFormed(fact) ? fact : { rule, state: "unknown", confidence: 0, reason }
  })
}

function isWellFormed({ state, confidence }: Fact): boolean {
  const known = state === "match" || state === "no_match" || state === "unknown"
  return known && confidence >= 0 && confidence <= 1
}

/** Resolves when the work is done or the time is up, whichever comes first. */
async function withDeadline(work: Promise<unknown>, deadlineMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** The bounded reason for an error that a signal threw. */
export function reasonOf(error: unknown): UnknownReason {
  if (!isRtrError(error)) return "failed"
  switch (error.code) {
    case "deadline_exceeded":
    case "upstream_timeout":
      return "timeout"
    case "unavailable":
    case "not_ready":
    case "upstream_unavailable":
      return "unavailable"
    case "overloaded":
      return "overloaded"
    case "max_length_exceeded":
    case "scan_budget_exceeded":
    case "request_too_large":
      return "input_limit"
    case "unread_words":
      return "unread_words"
    case "invalid_request":
    case "invalid_input":
    case "model_not_found":
    case "unsupported_surface":
      return "rejected"
    default:
      return "failed"
  }
}
