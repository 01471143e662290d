// The response headers that tell how a request was routed, and the same for the JSON body. Both read the call record alone.

import { type CallRecord, type Cost, droppedOf } from "../../types/call.ts"
import type { WireObject } from "../../types/dialect.ts"
import { toHeaderText } from "../../types/header-text.ts"

const schemaVersion = "2"

type Head = Record<string, string>

/** Makes the head of a reply; `contentType` tells whole replies and streams apart. */
export type RoutingHeaders = (record: CallRecord, contentType: string) => Head

/** Every head begins with these, so that heads of one shape are copied and filled in place. */
const dynamicNames = ["x-request-id", "x-processing-time", "x-classification-time", "x-rtr-routing-latency-ms"] as const

/**
 * Returns the maker of heads. What the decision says is the same for each of its requests, so it is
 * written once and copied; only id, times, confidence and the number of tools vary.
 */
export function createRoutingHeaders(): RoutingHeaders {
  const templates = new Map<string | undefined, Map<string | undefined, Template[]>>()
  return (record, contentType) => {
    const head = { ...findTemplate(templates, record, contentType).head }
    const signalMs = record.readings?.totalMs ?? 0
    head["x-request-id"] = record.id
    head["x-processing-time"] = String(elapsedMs(record))
    head["x-classification-time"] = String(Math.round(signalMs))
    head["x-rtr-routing-latency-ms"] = signalMs.toFixed(3)
    head["x-tools-selected"] = String(record.toolCount)
    if (record.confidence !== undefined)
      head["x-rtr-selected-confidence"] = head["x-routing-confidence"] = record.confidence.toFixed(4)
    addRareHeaders(head, record)
    return head
  }
}

/** The `routing_metadata` object of a JSON reply. A guard that did not read the text is left out: `false` would claim a check that did not happen. */
export function routingMetadata(record: CallRecord): WireObject {
  const metadata: Record<string, WireObject[string]> = {
    selected_model: record.model ?? null,
    confidence: record.confidence ?? null,
    processing_time_ms: elapsedMs(record),
    cache_hit: false,
  }
  const checks = checksOf(record)
  if (checks.length > 0)
    metadata["security_checks"] = Object.fromEntries(checks.map(([guard, found]) => [`${guard}_detected`, found]))
  if (record.decision !== undefined) metadata["decision"] = record.decision
  const { costs = noCosts } = record
  const [only] = costs
  if (only !== undefined && costs.length === 1) {
    metadata["cost"] = only.amount
    metadata["currency"] = only.currency
  } else if (only !== undefined)
    metadata["costs"] = Object.fromEntries(costs.map(({ currency, amount }) => [currency, amount]))
  return metadata
}

const noCosts: readonly Cost[] = []

/** Several currencies stand beside each other. The head of a stream leaves before its cost is known. */
function addCosts(head: Head, { costs, attempts }: CallRecord): void {
  if (costs === undefined || attempts.some(({ endMs }) => endMs === undefined)) return
  head["x-rtr-cost"] = costs.map(({ text }) => text).join()
  head["x-rtr-cost-currency"] = costs.map(({ currency }) => toHeaderText(currency)).join()
}

/** A header must stay short, however many guards a document has. */
const maxUnscanned = 8

/** Which guards did not read the request whole, and why: `jailbreak=input_limit,pii=timeout`. */
function unscannedHeader({ unscanned }: CallRecord): string | undefined {
  if (unscanned.length === 0) return undefined
  const told = new Set(unscanned.map(({ guard, reason }) => `${toHeaderText(guard)}=${reason}`))
  return [...told].slice(0, maxUnscanned).join(",")
}

interface Template {
  readonly path: string
  readonly algorithm: string | undefined
  readonly generation: number
  readonly hasConfidence: boolean
  readonly contentType: string
  readonly head: Readonly<Head>
}

function findTemplate(
  templates: Map<string | undefined, Map<string | undefined, Template[]>>,
  record: CallRecord,
  contentType: string,
): Template {
  let models = templates.get(record.decision)
  if (models === undefined) templates.set(record.decision, (models = new Map()))
  let known = models.get(record.model)
  if (known === undefined) models.set(record.model, (known = []))
  const { path, algorithm, generation } = record
  const hasConfidence = record.confidence !== undefined
  for (const template of known)
    if (
      template.contentType === contentType &&
      template.path === path &&
      template.algorithm === algorithm &&
      template.generation === generation &&
      template.hasConfidence === hasConfidence
    )
      return template
  const template = { path, algorithm, generation, hasConfidence, contentType, head: createHead(record, contentType) }
  known.push(template)
  return template
}

function createHead(record: CallRecord, contentType: string): Readonly<Head> {
  const { path, model, decision, algorithm } = record
  const head: Head = Object.fromEntries(dynamicNames.map((name) => [name, ""]))
  head["content-type"] = contentType
  head["x-rtr-schema-version"] = schemaVersion
  head["x-rtr-config-version"] = String(record.generation)
  head["x-rtr-response-path"] = path
  head["x-cache-status"] = "miss"
  head["x-tools-selected"] = ""
  if (model !== undefined) head["x-rtr-selected-model"] = head["x-selected-model"] = toHeaderText(model)
  if (record.confidence !== undefined) head["x-rtr-selected-confidence"] = head["x-routing-confidence"] = ""
  if (decision !== undefined) head["x-rtr-selected-decision"] = toHeaderText(decision)
  if (algorithm !== undefined) head["x-rtr-selected-algorithm"] = toHeaderText(algorithm)
  // A plugin that answers is named by its type: `x-rtr-fast-response: true`.
  if (!ownPaths.has(path)) head[`x-rtr-${path.replaceAll("_", "-")}`] = "true"
  return Object.freeze(head)
}

const ownPaths: ReadonlySet<string> = new Set(["upstream", "looper", "guards", "worker", "error"])

/** Signals that could not be read: `embedding:billing=timeout,jailbreak:attack=input_limit`. */
function unknownHeader({ unknown = noUnknown }: CallRecord): string | undefined {
  if (unknown.length === 0) return undefined
  return unknown
    .slice(0, maxUnscanned)
    .map(({ type, rule, reason }) => `${toHeaderText(`${type}:${rule}`)}=${reason}`)
    .join(",")
}

const noUnknown: readonly never[] = []

function addRareHeaders(head: Head, record: CallRecord): void {
  const { recipe } = record
  if (recipe !== undefined) head["x-rtr-selected-recipe"] = head["x-vsr-selected-recipe"] = toHeaderText(recipe)
  const checks = checksOf(record)
  if (checks.length > 0) head["x-security-checks"] = checks.map(([guard, found]) => `${guard}:${found}`).join(",")
  const unscanned = unscannedHeader(record)
  if (unscanned !== undefined) head["x-rtr-unscanned"] = unscanned
  const unknown = unknownHeader(record)
  if (unknown !== undefined) head["x-rtr-unknown-signals"] = unknown
  if (record.trail !== undefined) head["x-rtr-attempts"] = record.trail(record)
  if (record.usedBudget !== undefined) head["x-rtr-looper-budget"] = record.usedBudget
  const dropped = droppedOf(record)
  if (dropped !== undefined) head["x-rtr-dropped-fields"] = dropped.join(", ")
  addCosts(head, record)
  if (record.appliedPolicies.length > 0)
    head["x-rtr-applied-unknown-policy"] = record.appliedPolicies
      .map(({ decision, policy }) => `${toHeaderText(decision)}=${policy}`)
      .join(",")
}

const noChecks: readonly (readonly [string, boolean])[] = []

function checksOf({ securityChecks }: CallRecord): readonly (readonly [guard: string, found: boolean])[] {
  if (securityChecks === undefined) return noChecks
  // Spec 1 writes pii before jailbreak; signals are read in the order of their names.
  return Object.entries(securityChecks)
    .filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean")
    .toReversed()
}

const elapsedMs = (record: CallRecord): number => Math.round(performance.now() - record.startedAt)
