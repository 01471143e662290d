// The line of the log about one request, from its record. It has names of the document, figures and codes, and no content.

import { whyOf } from "../pipeline/why.ts"
import { type Attempt, type CallRecord, type Cost, droppedOf } from "../types/call.ts"
import type { UnknownReason } from "../types/fact.ts"
import { shownText } from "./shown-text.ts"

export type LogLevel = "debug" | "info" | "warning" | "error"

export interface RequestLineOptions {
  /** `json` when left out. */
  readonly format?: "json" | "text"
  /** Colours of a text line for terminals. */
  readonly colours?: boolean
  /** Milliseconds since 1970; now when left out. */
  readonly time?: number
}

/**
 * Status 5xx is an error; 4xx is a warning, and so are what a guard did not read and a signal that failed, but not a text that
 * is too long for a signal that is no guard. A client that has left is neither.
 */
export function levelOf(
  request: Pick<CallRecord, "status"> & Partial<Pick<CallRecord, "unscanned" | "unknown">>,
): LogLevel {
  const { status, unscanned = none, unknown = none } = request
  if (status >= 500) return "error"
  return (status >= 400 && status !== 499) ||
    unscanned.length > 0 ||
    unknown.some(({ reason }) => !ofContent.has(reason))
    ? "warning"
    : "info"
}

/** One line without its line end. `onRecord` of a kernel and of `startRouter` is given the record. */
export function requestLine(record: CallRecord, options: RequestLineOptions = {}): string {
  const { format = "json", colours = false, time = Date.now() } = options
  return format === "json" ? jsonLine(record, time) : textLine(record, time, colours)
}

/**
 * Joined by hand, with the names of requests that are alike written once: `JSON.stringify` of an object takes four times as
 * long. Request ids have no character that JSON escapes.
 */
function jsonLine(record: CallRecord, time: number): string {
  const { id, attempts, error, usage, readings, totalMs, unscanned, costs } = record
  let line = `{"time":"${timeText(time)}","level":"${levelOf(record)}","event":"request","id":"${id}"${namesOf(record)}`
  const why = whyOf(record)
  if (why !== undefined) line += `,"why":${quote(why)}`
  line += `,"attempts":${attempts.length}`
  if (record.trail !== undefined && attempts.length > 1) line += `,"tried":${quote(record.trail(record))}`
  line += `,"status":${record.status}`
  if (error !== undefined) line += `,"error":"${error.code}"`
  if (usage !== undefined) line += `,"input_tokens":${usage.inputTokens},"output_tokens":${usage.outputTokens}`
  if (costs !== undefined) line += costsText(costs)
  if (unscanned.length > 0)
    line += `,"unscanned":${JSON.stringify(unscanned.map(({ guard, rule, reason }) => `${guard}:${rule} ${reason}`))}`
  const unknown = unknownBeside(record)
  if (unknown.length > 0) line += `,"unknown":${JSON.stringify(unknown)}`
  const dropped = droppedOf(record)
  if (dropped !== undefined) line += `,"dropped":${JSON.stringify(dropped)}`
  if (readings !== undefined) line += `,"signals_ms":${hundredths(readings.totalMs)}`
  if (attempts.length > 0) line += `,"upstream_ms":${hundredths(upstreamMs(attempts, totalMs))}`
  return `${line},"total_ms":${hundredths(totalMs)}}`
}

type Names = Pick<
  CallRecord,
  "listener" | "endpoint" | "key" | "requestedModel" | "recipe" | "decision" | "model" | "path" | "stream"
>

/** The names of the last request of each decision, which most requests share. */
const latest = new Map<string | undefined, { readonly of: Names; readonly text: string }>()
/** Decisions of documents that are gone. */
const maxLatest = 1000

function namesOf(record: CallRecord): string {
  const last = latest.get(record.decision)
  if (last !== undefined && isAlike(last.of, record)) return last.text
  const { listener, endpoint, key, requestedModel, recipe, decision, model, path, stream } = record
  let text = `,"listener":${quote(listener)},"endpoint":${quote(endpoint)}`
  if (key !== undefined) text += `,"key":${quote(key)}`
  text += `,"requested_model":${quote(shownText(requestedModel))}`
  if (recipe !== undefined) text += `,"recipe":${quote(recipe)}`
  if (decision !== undefined) text += `,"decision":${quote(decision)}`
  if (model !== undefined) text += `,"model":${quote(model)}`
  text += `,"answered_by":${quote(path)},"stream":${stream}`
  // What a client writes there may be long.
  if (requestedModel.length > 100) return text
  if (latest.size >= maxLatest) latest.clear()
  latest.set(decision, { of: { listener, endpoint, key, requestedModel, recipe, decision, model, path, stream }, text })
  return text
}

const isAlike = (one: Names, other: Names): boolean =>
  one.requestedModel === other.requestedModel &&
  one.model === other.model &&
  one.recipe === other.recipe &&
  one.key === other.key &&
  one.listener === other.listener &&
  one.endpoint === other.endpoint &&
  one.path === other.path &&
  one.stream === other.stream

function textLine(record: CallRecord, time: number, colours: boolean): string {
  const { recipe, decision, model, status, error, usage, readings, attempts, costs, key, path } = record
  const paint = colours ? colour : (_: number, text: string) => text
  const level = levelOf(record)
  const outcome = `${status}${error === undefined ? "" : ` ${error.code}`}`
  const chosen = model ?? (path === "error" ? "no model" : path)
  const why = whyOf(record)
  const times = [
    ...(readings === undefined ? [] : [`signals ${wholeMs(readings.totalMs)}`]),
    ...(attempts.length === 0 ? [] : [`upstream ${wholeMs(upstreamMs(attempts, record.totalMs))}`]),
  ]
  return [
    paint(2, timeText(time).slice(11, 23)),
    paint(level === "error" ? 31 : level === "warning" ? 33 : 32, outcome),
    `${shownText(record.requestedModel)} → ${recipe === undefined ? "" : `${recipe} → `}${decision === undefined ? "" : `${decision} → `}${chosen}`,
    ...(why === undefined ? [] : [paint(2, why)]),
    ...record.unscanned.map(({ guard, rule, reason }) => paint(33, `unscanned ${guard}:${rule} (${reason})`)),
    ...unknownBeside(record).map((signal) => paint(33, `unknown ${signal}`)),
    ...(attempts.length > 1
      ? [`${attempts.length} attempts${record.trail === undefined ? "" : ` (${record.trail(record)})`}`]
      : []),
    ...(usage === undefined ? [] : [`${usage.inputTokens}+${usage.outputTokens} tokens`]),
    ...(costs ?? []).map(({ text, currency }) => `${text} ${currency}`),
    `${wholeMs(record.totalMs)} ms${times.length === 0 ? "" : ` (${times.join(", ")})`}${record.stream ? " stream" : ""}`,
    ...(key === undefined ? [] : [key]),
    paint(2, record.id),
  ].join("  ")
}

/** Most unknown signals in a line: where a worker is gone, all of a document's are. */
const maxUnknown = 8

/** Signals that are no guards and could not be read, as `embedding:billing timeout`. */
function unknownBeside({ unknown = none, unscanned }: CallRecord): readonly string[] {
  if (unknown.length === 0) return none
  const guards = new Set(unscanned.map(({ guard }) => guard))
  return unknown
    .filter(({ type }) => !guards.has(type))
    .slice(0, maxUnknown)
    .map(({ type, rule, reason }) => `${type}:${rule} ${reason}`)
}

/** What the client could mend, or what no model knows; nothing is wrong with the router. */
const ofContent: ReadonlySet<UnknownReason> = new Set<UnknownReason>([
  "input_limit",
  "unread_words",
  "unreadable_content",
  "abstained",
  "unsupported_language",
])

const colour = (code: number, text: string): string => `\x1b[${code}m${text}\x1b[0m`

const none: readonly never[] = []

/** Amounts of two currencies have no sum. */
function costsText([first, ...others]: readonly Cost[]): string {
  if (first === undefined) return ""
  if (others.length === 0) return `,"cost":${first.text},"currency":${quote(first.currency)}`
  return `,"costs":${JSON.stringify(Object.fromEntries([first, ...others].map(({ currency, amount }) => [currency, amount])))}`
}

/** From the first call to the end of the last one; one that has no end yet counts until now. */
function upstreamMs(attempts: readonly Attempt[], totalMs: number): number {
  let from = Infinity
  let to = 0
  for (const { startMs, endMs = totalMs } of attempts) {
    if (startMs < from) from = startMs
    if (endMs > to) to = endMs
  }
  return to - from
}

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"))

/** Two whole numbers are written faster than one with a fraction. */
function hundredths(ms: number): string {
  const all = Math.round(ms * 100)
  const whole = Math.trunc(all / 100)
  return `${whole}.${twoDigits[all - whole * 100]}`
}

const wholeMs = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

const quote = (text: string): string => (needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text))
const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

let lastSecond = -1
let lastText = ""

/** As `toISOString` has it. Many requests end in one second. */
export function timeText(time: number): string {
  const second = Math.floor(time / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1000).toISOString().slice(0, 20)
  }
  return `${lastText}${String(time - second * 1000).padStart(3, "0")}Z`
}
