// Takes what somebody says of an earlier request: checks it, counts it for the model, and keeps it with the request.

import { ManagementError, RtrError } from "../../../kernel/index.ts"
import type { OpenLearning } from "./adjust-plan.ts"
import { type Verdict, verdicts } from "./experience.ts"
import type { KeptOutcome } from "./routed-calls.ts"

export interface GivenOutcome {
  readonly replay_id: string
  readonly client?: string
  readonly target: string
  readonly verdict: string
  readonly target_ref?: string
  readonly reason?: string
  readonly score?: number
  readonly metadata?: Readonly<Record<string, string>>
}

export interface TakenOutcome {
  readonly success: true
  /** Experiences that have changed. */
  readonly updated: number
  readonly recorded: boolean
  readonly duplicate?: true
  readonly timestamp: string
}

export interface TakeOptions {
  /** Who says it. */
  readonly role: string
  /** Of the `Idempotency-Key` header. */
  readonly once: string | undefined
  readonly clock: () => number
}

export const targets = ["model", "route", "policy", "stability", "provider", "router"] as const

/** Rejects with an error of the management API for an outcome that is none, or of a request that is not known. */
export async function takeOutcome(
  learning: OpenLearning,
  given: GivenOutcome,
  { role, once, clock }: TakeOptions,
): Promise<TakenOutcome> {
  const { calls } = learning
  if (calls === undefined) throw noLearning()
  check(given, once)
  const timestamp = new Date(clock()).toISOString()
  const { replay_id: id, target, target_ref: named, verdict } = given
  const clients = given.client === undefined ? await reached(() => calls.clientsOf(id)) : [given.client]
  if (clients.length > 1)
    throw new ManagementError(
      409,
      "OUTCOME_CLIENT_AMBIGUOUS",
      `Several clients have sent a request ${quote(id)}; say whose it is with client, such as ${quote(clients[0] as string)} or ${quote(clients[1] as string)}`,
    )
  const of = { id, client: clients[0] ?? "" }
  const routed = await reached(() => calls.find(of))
  if (routed === undefined)
    throw new ManagementError(
      404,
      "REPLAY_NOT_FOUND",
      `There is no request ${quote(id)} of the last day that a decision routed; replay_id is what its reply had as x-request-id`,
    )
  const model = target === "model" ? (named ?? routed.model) : undefined
  if (model !== undefined && !routed.models.includes(model))
    throw new ManagementError(
      409,
      "OUTCOME_OWNERSHIP_MISMATCH",
      `Request ${quote(id)} was not answered by model ${quote(model)}; it was ${routed.models.join(", ")}`,
    )
  const outcome = keptOutcome(given, role, timestamp)
  const key = once === undefined ? undefined : await digest([role, once])
  const isNew = await reached(() => calls.add(of, outcome, key))
  if (!isNew) return { success: true, updated: 0, recorded: false, duplicate: true, timestamp }
  // A wrong decision is not the fault of its model.
  if (model !== undefined) {
    learning.experiences.noteVerdict(routed, model, verdict as Verdict)
    // What is answered as taken is not lost when the process is killed: sent again, it would be a duplicate.
    await learning.experiences.flush()
  }
  return { success: true, updated: model === undefined ? 0 : 1, recorded: true, timestamp }
}

export const noLearning = (): ManagementError =>
  new ManagementError(
    503,
    "NO_ROUTER_LEARNING_RUNTIME",
    "The router learns nothing; global.router.learning in its configuration switches that on",
  )

const invalid = (message: string): ManagementError => new ManagementError(400, "INVALID_OUTCOME", message)

const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

function check(
  { replay_id: id, client = "", target, verdict, ...given }: GivenOutcome,
  once: string | undefined,
): void {
  if (once !== undefined && (once === "" || once.length > 256))
    throw new ManagementError(400, "INVALID_IDEMPOTENCY_KEY", "Idempotency-Key must have 1 to 256 characters")
  if (id === "" || id.length > 512) throw invalid("replay_id must have 1 to 512 characters")
  if (client.length > 512) throw invalid("client has at most 512 characters")
  const oneOf = (name: string, value: string, words: readonly string[]): void => {
    if (!words.includes(value)) throw invalid(`${name} must be one of ${words.join(", ")}, not ${quote(value)}`)
  }
  oneOf("target", target, targets)
  oneOf("verdict", verdict, verdicts)
  const { target_ref: ref = "", reason = "", score = 0, metadata = {} } = given
  if (ref.length > 512 || reason.length > 1024) throw invalid("target_ref has at most 512 characters, reason 1024")
  if (score < 0 || score > 1) throw invalid(`score must be from 0 to 1, not ${score}`)
  const entries = Object.entries(metadata)
  if (entries.length > 32 || entries.some(([key, value]) => key.length > 128 || value.length > 1024))
    throw invalid("metadata has at most 32 entries, with keys of 128 and values of 1024 characters")
}

/** Whose word it is, the router knows; what the body says of that does not count. */
function keptOutcome(
  { target, verdict, target_ref, reason, score, metadata }: GivenOutcome,
  source: string,
  timestamp: string,
): KeptOutcome {
  return {
    source,
    target,
    verdict,
    ...(target_ref !== undefined && { target_ref }),
    ...(reason !== undefined && { reason }),
    ...(score !== undefined && { score }),
    ...(metadata !== undefined && { metadata }),
    timestamp,
  }
}

async function reached<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    throw new RtrError("unavailable", "Cannot reach the store of what was routed now; try again later", { cause })
  }
}

async function digest(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts))
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
