// Activates documents one after the other: parse → compile → validate → warm → activate. A newer candidate replaces one that
// waits or warms, and the generation that serves stays until its successor is warm.

import { ConfigError } from "../config/config-error.ts"
import { isRtrError, RtrError } from "../error.ts"
import { formatPath } from "../schema/problem.ts"
import type { ActivationReason, ActivationStage, ActivationStatus, Rejection } from "../types/status.ts"
import { createGeneration, type Generation } from "./generation.ts"

/** A document that somebody wants to be served. */
export interface Candidate {
  /** YAML or JSON text; its hash is the document's identity. */
  readonly text: string
  /** Name of the document in messages. */
  readonly source: string
  readonly trigger: "start" | "watch" | "signal" | "api"
}

export interface ActivationHost<Content, Wanted extends Candidate = Candidate> {
  /**
   * Makes what a generation consists of. Calls `enter` at the beginning of each stage; throws a `ConfigError` or an `RtrError`.
   * `signal` aborts when the router closes or a newer candidate has come. What was made before a failure is closed by the
   * host itself.
   */
  prepare(
    candidate: Wanted,
    hash: string,
    context: {
      readonly current: Generation<Content> | undefined
      readonly version: number
      readonly enter: (stage: ActivationStage) => void
      readonly signal: AbortSignal
    },
  ): Promise<Content>
  close(content: Content): Promise<void>
  /** Told about each outcome: for the log. */
  readonly onOutcome?: ((outcome: ActivationOutcome) => void) | undefined
  /** Told what `onOutcome` threw. */
  readonly onListenerError?: (error: unknown) => void
  /** Told of a generation before the first request can get it. */
  readonly onActive?: (generation: Generation<Content>) => void
  readonly hash: (text: string) => Promise<string>
}

export type ActivationOutcome =
  | {
      readonly result: "active"
      readonly version: number
      readonly hash: string
      readonly trigger: Candidate["trigger"]
    }
  /** The document is the one that serves already. */
  | {
      readonly result: "unchanged"
      readonly version: number
      readonly hash: string
      readonly trigger: Candidate["trigger"]
    }
  | { readonly result: "superseded"; readonly hash: string; readonly trigger: Candidate["trigger"] }
  | {
      readonly result: "rejected"
      readonly rejection: Rejection
      /** What was thrown: a `ConfigError` has every problem with its place. */
      readonly error: unknown
      readonly trigger: Candidate["trigger"]
    }

export interface Activation<Content, Wanted extends Candidate = Candidate> {
  /** Resolves when the candidate serves, was replaced by a newer one, or was rejected. Rejects only when the router closes. */
  submit(candidate: Wanted): Promise<ActivationOutcome>
  current(): Generation<Content> | undefined
  status(): ActivationStatus
  /** Stops waiting candidates and retires the generation that serves. */
  close(): Promise<void>
}

interface Waiting<Wanted> {
  readonly candidate: Wanted
  readonly settle: (outcome: ActivationOutcome) => void
}

export function createActivation<Content, Wanted extends Candidate = Candidate>(
  host: ActivationHost<Content, Wanted>,
): Activation<Content, Wanted> {
  let current: Generation<Content> | undefined
  let waiting: Waiting<Wanted> | undefined
  let working: Promise<void> | undefined
  let version = 0
  let attempt = 0
  let observedHash: string | undefined
  let stage: ActivationStage | undefined
  let state: ActivationStatus["state"] = "none"
  let lastRejection: Rejection | undefined
  /** Aborts what is prepared at the moment. */
  let preparing = new AbortController()
  let closed = false
  const retiring = new Set<Promise<void>>()

  /** A listener that throws must not stop the queue. */
  const tell = (outcome: ActivationOutcome): void => {
    try {
      host.onOutcome?.(outcome)
    } catch (error) {
      host.onListenerError?.(error)
    }
  }

  const retire = (generation: Generation<Content>): void => {
    const retired = generation.retire().finally(() => retiring.delete(retired))
    retiring.add(retired)
  }

  const activate = async (candidate: Wanted): Promise<ActivationOutcome> => {
    preparing = new AbortController()
    const { signal } = preparing
    const hash = await host.hash(candidate.text)
    observedHash = hash
    if (current !== undefined && current.hash === hash) {
      state = "active"
      lastRejection = undefined
      return { result: "unchanged", version: current.version, hash, trigger: candidate.trigger }
    }
    attempt += 1
    state = "pending"
    stage = "parse"
    try {
      if (signal.aborted) throw new RtrError("unavailable", "A newer configuration has come")
      const next = version + 1
      const preparation = host.prepare(candidate, hash, {
        current,
        version: next,
        enter: (entered) => {
          if (!signal.aborted) stage = entered
        },
        signal,
      })
      const content = await unlessAborted(preparation, signal, host.close)
      stage = "activate"
      const replaced = current
      const generation = createGeneration(next, hash, content, host.close)
      host.onActive?.(generation)
      current = generation
      version = next
      state = "active"
      lastRejection = undefined
      if (replaced !== undefined) retire(replaced)
      return { result: "active", version, hash, trigger: candidate.trigger }
    } catch (error) {
      if (signal.aborted) {
        state = "superseded"
        return { result: "superseded", hash, trigger: candidate.trigger }
      }
      state = "failed"
      lastRejection = { attempt, hash, stage, at: new Date(), reasons: reasonsOf(error, stage) }
      return { result: "rejected", rejection: lastRejection, error, trigger: candidate.trigger }
    } finally {
      stage = undefined
    }
  }

  const work = async (): Promise<void> => {
    while (waiting !== undefined) {
      const { candidate, settle } = waiting
      waiting = undefined
      const outcome = await activate(candidate)
      tell(outcome)
      settle(outcome)
    }
    working = undefined
  }

  return {
    submit(candidate) {
      if (closed)
        return Promise.reject(new RtrError("unavailable", "Cannot activate a document: the router is closing"))
      return new Promise((settle) => {
        const replaced = waiting
        waiting = { candidate, settle }
        if (replaced !== undefined) void supersede(replaced)
        // A document that somebody has mended must not wait for the models of the broken one.
        preparing.abort()
        working ??= work()
      })
    },
    current: () => current,
    status: () => ({
      version,
      activeHash: current?.hash,
      observedHash,
      attempt,
      state,
      stage,
      lastRejection,
    }),
    async close() {
      closed = true
      preparing.abort()
      const dropped = waiting
      waiting = undefined
      if (dropped !== undefined) await supersede(dropped)
      await working
      if (current !== undefined) retire(current)
      await Promise.all(retiring)
    },
  }

  async function supersede({ candidate, settle }: Waiting<Wanted>): Promise<void> {
    const outcome: ActivationOutcome = {
      result: "superseded",
      hash: await host.hash(candidate.text),
      trigger: candidate.trigger,
    }
    tell(outcome)
    settle(outcome)
  }
}

/** A module that never comes to an end must not hold up the next document. What it makes after all is closed. */
async function unlessAborted<Content>(
  preparation: Promise<Content>,
  signal: AbortSignal,
  close: (content: Content) => Promise<void>,
): Promise<Content> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new RtrError("unavailable", "A newer configuration has come")))
  })
  try {
    return await Promise.race([preparation, aborted])
  } catch (error) {
    if (signal.aborted) preparation.then(close).catch(() => {})
    throw error
  }
}

/** The status of a router is read often, and nobody mends more at once. */
const maxReasons = 50

function reasonsOf(error: unknown, stage: ActivationStage): readonly ActivationReason[] {
  if (error instanceof ConfigError)
    return error.problems.slice(0, maxReasons).map(({ code, path, message, position }) => ({
      stage,
      code,
      ...(path.length > 0 && { path: formatPath(path) }),
      message,
      ...(position !== undefined && { line: position.line }),
    }))
  if (isRtrError(error))
    return [
      {
        stage,
        code: error.code,
        ...(error.path !== undefined && { path: formatPath(error.path) }),
        message: error.message,
      },
    ]
  return [{ stage, code: "internal_error", message: "Something went wrong inside the router; its log has it" }]
}
