// Reads the signals that the plan's rules use: those of one level together, level after level, under one deadline.

import type { GuardTexts, ReadGuardTexts } from "../chat/load-guard-texts.ts"
import { lastUserText } from "../chat/texts.ts"
import { moduleFault, RtrError } from "../error.ts"
import type { Call, SignalReadings } from "../types/call.ts"
import { type Fact, reasonOf, type UnknownReason, unknownReasons } from "../types/fact.ts"
import type { GuardPolicy } from "../types/guard.ts"
import type { BatchedQuestions, Inference } from "../types/inference.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { Plan, PlannedSignal } from "../types/plan.ts"
import type { SignalInput } from "../types/signal.ts"
import { expectRead } from "./expect-read.ts"
import { notLoaded, type Stages } from "./load-stages.ts"
import type { QuestionBatch } from "./question-batch.ts"

export interface SignalHost extends Pick<Stages, "createQuestionBatch"> {
  /** Without `factTypes`, facts that are not read are none. */
  readonly plan: Pick<Plan, "signals" | "slotCount" | "signalTimeoutMs"> & Partial<Pick<Plan, "factTypes">>
  readonly inference: Inference | undefined
  readonly onModuleError?: OnModuleError | undefined
}

/** `guardTexts` collects the texts of a request for guards; a plan without one has no need of it. */
export interface InputHost {
  readonly plan: Pick<Plan, "dialects">
  readonly guardTexts?: ReadGuardTexts
}

/** Hears what a function of a module threw; `module` is its kind and id. */
export type OnModuleError = (module: string, error: unknown, hook: string) => void

/** The input of one request. `factsOf` is set when signals are read. */
export interface RequestInput extends SignalInput {
  factsOf: SignalInput["factsOf"]
  readonly guardTexts: GuardTexts
}

const noFacts = (): readonly Fact[] => []

/** Texts for guards are collected when the first one asks: most plans have none. */
class CallInput implements RequestInput {
  readonly text: string
  readonly request: SignalInput["request"]
  readonly principal: SignalInput["principal"]
  readonly header: SignalInput["header"]
  factsOf: SignalInput["factsOf"] = noFacts
  readonly #host: InputHost
  #texts: GuardTexts | undefined

  constructor({ request, principal, header }: Asked, host: InputHost) {
    this.text = lastUserText(request)
    this.request = request
    this.principal = principal
    this.header = header
    this.#host = host
  }

  get textsFor(): SignalInput["textsFor"] {
    return this.guardTexts.textsFor
  }

  get isTrusted(): SignalInput["isTrusted"] {
    return this.guardTexts.isTrusted
  }
  get isJoined(): SignalInput["isJoined"] {
    return this.guardTexts.isJoined
  }

  get guardTexts(): GuardTexts {
    const { plan, guardTexts: read } = this.#host
    if (read === undefined)
      throw new Error("The texts of a request are for guards, and the module does not say that it is one")
    return (this.#texts ??= read(this.request, plan.dialects.get(this.request.origin?.dialect ?? "")))
  }
}

type Asked = Pick<Call, "request" | "principal" | "header">

/** The request as signals see it. Guards read what the dialect that read it would send on. */
export function toSignalInput(call: Asked, host: InputHost): RequestInput {
  return new CallInput(call, host)
}

/**
 * Reads every signal of the plan. One that fails or is late has unknown facts; nothing here decides what that means. Rejects
 * with `client_closed_request` when the client leaves while signals are waited for. Returns no promise when every signal
 * answers at once, which is the common case without models.
 */
export function readSignals(
  { plan, inference, onModuleError, createQuestionBatch = notLoaded }: SignalHost,
  call: Pick<Call, "signal" | "client">,
  input: RequestInput,
): MaybePromise<SignalReadings> {
  const startedAt = performance.now()
  const reading: Reading = {
    input,
    hasUnknown: false,
    isOver: false,
    // oxlint-disable-next-line unicorn/no-new-array -- `Array.from` takes longer than eight keyword rules.
    facts: new Array<Fact | undefined>(plan.slotCount),
    typeMs: {},
    startedAt,
    at: startedAt,
    deadlineAt: startedAt + plan.signalTimeoutMs,
    inference,
    call,
    onModuleError,
    createQuestionBatch,
  }
  const levels = levelsOf(plan.signals)
  // A function that is assigned as it is made would keep the whole request until a full garbage collection.
  const own: SignalInput["factsOf"] = (type) => factsOf(plan, reading, type)
  input.factsOf = own
  for (let index = 0; index < levels.length; index++) {
    const waiting = readLevel(reading, levels[index] as Level)
    if (waiting !== undefined) return readRest(reading, waiting, levels.slice(index + 1))
  }
  return readingsOf(reading)
}

async function readRest(reading: Reading, waiting: Promise<void>, rest: readonly Level[]): Promise<SignalReadings> {
  await waiting
  for (const level of rest) await readLevel(reading, level)
  return readingsOf(reading)
}

/** How far one request is. */
interface Reading {
  readonly input: RequestInput
  readonly facts: (Fact | undefined)[]
  hasUnknown: boolean
  /** Every signal has settled; who asks for facts now is no signal. */
  isOver: boolean
  readonly typeMs: Record<string, number>
  readonly startedAt: number
  /** When the last signal settled. Kept, because asking the clock costs as much as many a signal. */
  at: number
  readonly deadlineAt: number
  readonly inference: Inference | undefined
  readonly call: Pick<Call, "signal" | "client">
  readonly onModuleError: OnModuleError | undefined
  readonly createQuestionBatch: NonNullable<Stages["createQuestionBatch"]>
}

function readingsOf(reading: Reading): SignalReadings {
  reading.isOver = true
  const { facts, typeMs, startedAt, at, hasUnknown } = reading
  return { facts, hasUnknown, typeMs, totalMs: at - startedAt }
}

interface Level {
  readonly signals: readonly PlannedSignal[]
  /** How many of them ask a model. */
  readonly asking: number
}

/** Levels by the signals of a plan, so that no request works them out. */
const knownLevels = new WeakMap<readonly PlannedSignal[], readonly Level[]>()

function levelsOf(signals: readonly PlannedSignal[]): readonly Level[] {
  const known = knownLevels.get(signals)
  if (known !== undefined) return known
  const levels = [...new Set(signals.map(({ level }) => level))]
    .toSorted((a, b) => a - b)
    .map((number): Level => {
      const members = signals.filter(({ level }) => level === number)
      return { signals: members, asking: members.filter(({ target }) => target !== undefined).length }
    })
  knownLevels.set(signals, levels)
  return levels
}

function factsOf(
  { signals, factTypes }: SignalHost["plan"],
  { facts, isOver }: Reading,
  type: string,
): readonly Fact[] {
  if (!isOver && factTypes !== undefined) expectRead(factTypes, type, "signal")
  const signal = signals.find((each) => each.type === type)
  if (signal === undefined) return []
  const { firstSlot, rules } = signal
  const known = facts.slice(firstSlot, firstSlot + rules.length).filter((fact) => fact !== undefined)
  if (known.length === rules.length || factTypes === undefined) return known
  throw moduleFault(`Cannot tell facts of "${type}" yet: name it in the "after" of the signal`)
}

/** Undefined when every signal of the level answered at once. */
function readLevel(reading: Reading, { signals, asking }: Level): Promise<void> | undefined {
  const { inference, call, deadlineAt, input, at: since, createQuestionBatch } = reading
  const batch =
    asking > 0 && inference !== undefined ? createQuestionBatch(inference, asking, { deadlineAt, call }) : undefined
  let pending: Map<PlannedSignal, Promise<readonly Fact[]>> | undefined
  for (const signal of signals) {
    const isAsking = batch !== undefined && signal.target !== undefined
    try {
      const result = signal.read(input, questionsOf(signal, batch))
      if (result instanceof Promise) {
        pending ??= new Map()
        pending.set(signal, isAsking ? result.finally(batch.finished) : result)
        continue
      }
      settle(reading, signal, result, "failed", reading.at)
    } catch (error) {
      if (signal.refuses) throw error
      reading.onModuleError?.(`signal ${signal.type}`, error, "read")
      settle(reading, signal, unread, reasonOf(error), reading.at)
    }
    if (isAsking) batch.finished()
  }
  return pending === undefined ? undefined : waitFor(reading, pending, since, batch)
}

/** Resolves when every signal has settled. Those that have not at the deadline have unknown facts, whatever they say later. */
async function waitFor(
  reading: Reading,
  pending: ReadonlyMap<PlannedSignal, Promise<readonly Fact[]>>,
  since: number,
  batch: QuestionBatch | undefined,
): Promise<void> {
  const waiting = new Set(pending.keys())
  const work = Promise.all(
    Array.from(pending, async ([signal, result]) => {
      try {
        const found = await result
        if (waiting.delete(signal)) settle(reading, signal, found, "failed", since)
      } catch (error) {
        reading.onModuleError?.(`signal ${signal.type}`, error, "read")
        if (waiting.delete(signal)) settle(reading, signal, unread, reasonOf(error), since)
      }
    }),
  )
  const { client } = reading.call
  let timer: ReturnType<typeof setTimeout> | undefined
  let onLeft = (): void => {}
  const late = new Promise<void>((resolve) => {
    onLeft = resolve
    // A signal that held the event loop past the deadline leaves what others wait for ready and unread: it is read in one turn more.
    const lastTurn = (): void => void (timer = setTimeout(resolve))
    timer = setTimeout(lastTurn, Math.max(0, reading.deadlineAt - performance.now()))
  })
  if (client.aborted) onLeft()
  else client.addEventListener("abort", onLeft, { once: true })
  await Promise.race([work, late])
  clearTimeout(timer)
  client.removeEventListener("abort", onLeft)
  if (client.aborted) {
    waiting.clear()
    batch?.expire()
    throw new RtrError("client_closed_request", "The client left while the signals of its request were read")
  }
  if (waiting.size > 0 && batch !== undefined) {
    // A guard may have found something beside the question that nobody has answered.
    batch.expire()
    await new Promise((resolve) => setTimeout(resolve))
  }
  for (const signal of waiting) settle(reading, signal, unread, "timeout", since)
  waiting.clear()
}

/** Stands for the facts of a signal that has returned none: that it threw or was late is told elsewhere. */
const unread: readonly Fact[] = Object.freeze([])

/** Puts the facts into their slots; what a module from outside returned may be anything. */
function settle(
  reading: Reading,
  { type, rules, firstSlot, guard }: PlannedSignal,
  result: readonly Fact[],
  reason: UnknownReason,
  since: number,
): void {
  const found = Array.isArray(result) ? (result as readonly (Fact | null)[]) : []
  let isSound = found.length === rules.length
  // Two facts for one rule leave open which is meant.
  const mayBeTwice = !isSound || found.some((fact, index) => fact?.rule !== rules[index])
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index] as string
    // Most modules answer in the order of their rules.
    const fact = found[index]?.rule === rule ? found[index] : found.find((each) => each?.rule === rule)
    const isUsable = fact != null && isWellFormed(fact) && !(mayBeTwice && countOf(found, rule) > 1)
    if (!isUsable) isSound = false
    const known: Fact = isUsable ? fact : { rule, state: "unknown", confidence: 0, reason }
    const policy = guard?.[index]
    const told = policy === undefined ? known : scanned(known, policy, reading.input)
    reading.facts[firstSlot + index] = told
    if (told.state === "unknown") reading.hasUnknown = true
  }
  if (!isSound && result !== unread) tellFaults(reading, type, faultsIn(result, rules))
  reading.at = performance.now()
  reading.typeMs[type] = reading.at - since
}

function tellFaults({ onModuleError }: Reading, type: string, faults: readonly string[]): void {
  if (faults.length === 0) return
  const shown = faults.length > maxFaults ? [...faults.slice(0, maxFaults), "…"] : faults
  onModuleError?.(
    `signal ${type}`,
    moduleFault(`Signal "${type}" must return one fact for each of its rules: ${shown.join("; ")}`),
    "read",
  )
}

const maxFaults = 8

/** What is wrong with facts, with names of the document and numbers only. */
function faultsIn(result: unknown, rules: readonly string[]): readonly string[] {
  if (!Array.isArray(result)) return ["it returned no list"]
  const found = result as readonly (Partial<Fact> | null | undefined)[]
  const faults = rules.flatMap((rule) => {
    const fact = found.find((each) => each?.rule === rule)
    if (fact == null) return [`there is none for rule "${rule}"`]
    const count = countOf(found, rule)
    if (count > 1) return [`there are ${count} for rule "${rule}"`]
    if (isWellFormed(fact as Fact)) return []
    const { confidence } = fact
    if (!isNumber(fact.value)) return [`the value of rule "${rule}" must be a finite number`]
    if (!isReason(fact.reason)) return [`the reason of rule "${rule}" must be one of ${unknownReasons.join(", ")}`]
    return [
      isState(fact.state)
        ? `the confidence of rule "${rule}" is ${typeof confidence === "number" ? confidence : "no number"} and must be from 0 to 1`
        : `the state of rule "${rule}" must be match, no_match or unknown`,
    ]
  })
  const isOwn = (fact: Partial<Fact> | null | undefined): boolean => rules.includes(fact?.rule ?? "")
  return found.every(isOwn) ? faults : [...faults, "there is one for a rule that is not in the document"]
}

/** A guard that has found nothing does not know that there is nothing, unless all was read. */
function scanned(fact: Fact, policy: GuardPolicy, input: RequestInput): Fact {
  if (fact.state !== "no_match") return fact
  const gap = fact.atLeast === true ? (fact.reason ?? "failed") : input.guardTexts.gapFor(policy)
  return gap === undefined ? fact : { rule: fact.rule, state: "unknown", confidence: 0, reason: gap }
}

function isWellFormed({ state, confidence, reason, value }: Fact): boolean {
  return isState(state) && confidence >= 0 && confidence <= 1 && isReason(reason) && isNumber(value)
}

/** What a predicate can compare and JSON can tell. */
const isNumber = (value: unknown): boolean => value === undefined || Number.isFinite(value)

const countOf = (facts: readonly (Partial<Fact> | null | undefined)[], rule: string): number =>
  facts.reduce((count, fact) => count + Number(fact?.rule === rule), 0)

/** Reasons go into headers, metrics and the log, so no other text may. */
const isReason = (reason: unknown): boolean =>
  reason === undefined || (unknownReasons as readonly unknown[]).includes(reason)

const isState = (state: unknown): boolean => state === "match" || state === "no_match" || state === "unknown"

function questionsOf({ target }: PlannedSignal, batch: QuestionBatch | undefined): BatchedQuestions {
  if (target === undefined) return undeclared
  return batch === undefined ? noInference : batch.questions(target)
}

function refusing(reason: string): BatchedQuestions {
  const refuse = async (): Promise<never> => {
    throw new RtrError("unavailable", `Cannot ask a model: ${reason}`)
  }
  return { classify: refuse, spans: refuse, embed: refuse, decide: refuse, rerank: refuse }
}
const undeclared = refusing("this signal does not declare that need")
const noInference = refusing("this kernel has no inference")
