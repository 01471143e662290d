// Activates documents: parse → compile → validate → warm → activate. What is broken changes nothing: a candidate replaces older
// ones that are read or warm only when it has been read itself. The generation that serves stays until its successor is warm.

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
   * Entering `warm` says that the document has been read and checked: it replaces older candidates, and nothing is started
   * before. `enter` throws and `signal` aborts when the router closes or a newer candidate has come so far. What was made
   * before a failure is closed by the host itself.
   */
  prepare(
    candidate: Wanted,
    hash: string,
    context: {
      /** What serves, and the number of the next generation. An older candidate may become active until `warm`. */
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
  /**
   * Resolves when the candidate serves, was replaced by a newer one, or was rejected. One with the text of a candidate that is
   * prepared has its outcome. Rejects only when the router closes.
   */
  submit(candidate: Wanted): Promise<ActivationOutcome>
  current(): Generation<Content> | undefined
  status(): ActivationStatus
  /** Stops candidates and retires the generation that serves. */
  close(): Promise<void>
}

/** A candidate that is read or warms. */
interface Run {
  readonly hash: string
  readonly attempt: number
  /** Its place among all candidates; joining it makes it the newest. */
  order: number
  stage: ActivationStage
  readonly abort: AbortController
  outcome?: Promise<ActivationOutcome>
}

export function createActivation<Content, Wanted extends Candidate = Candidate>(
  host: ActivationHost<Content, Wanted>,
): Activation<Content, Wanted> {
  let current: Generation<Content> | undefined
  let version = 0
  let attempt = 0
  let order = 0
  let observedHash: string | undefined
  /** What became of the newest candidate that has ended, and its place. */
  let state: ActivationStatus["state"] = "none"
  let endedOrder = 0
  let lastRejection: Rejection | undefined
  let hashing = Promise.resolve("")
  let closed = false
  /** By `order`. */
  const runs = new Set<Run>()
  const retiring = new Set<Promise<void>>()

  /** A listener that throws must not stop the others. */
  const tell = (outcome: ActivationOutcome): ActivationOutcome => {
    try {
      host.onOutcome?.(outcome)
    } catch (error) {
      host.onListenerError?.(error)
    }
    return outcome
  }

  const retire = (generation: Generation<Content>): void => {
    const retired = generation.retire().finally(() => retiring.delete(retired))
    retiring.add(retired)
  }

  const dropBefore = (limit: number): void => {
    for (const run of runs)
      if (run.order < limit) {
        runs.delete(run)
        run.abort.abort()
      }
  }

  /** An older candidate that ends later must not hide what became of a newer one. */
  const end = (at: number, ended: typeof state, rejection?: Rejection): void => {
    if (at < endedOrder) return
    endedOrder = at
    state = ended
    lastRejection = rejection
  }

  const activate = async (candidate: Wanted, run: Run): Promise<ActivationOutcome> => {
    const { hash } = run
    const { trigger } = candidate
    const { signal } = run.abort
    const enter = (stage: ActivationStage): void => {
      signal.throwIfAborted()
      run.stage = stage
      if (stage === "warm" || stage === "activate") dropBefore(run.order)
    }
    const preparation = host.prepare(candidate, hash, {
      get current() {
        return current
      },
      get version() {
        return version + 1
      },
      enter,
      signal,
    })
    try {
      const content = await unlessAborted(preparation, signal)
      // Throws where a newer one has come in this very moment.
      enter("activate")
      const replaced = current
      const generation = createGeneration(version + 1, hash, content, host.close)
      host.onActive?.(generation)
      current = generation
      version += 1
      runs.delete(run)
      end(run.order, "active")
      if (replaced !== undefined) retire(replaced)
      return tell({ result: "active", version, hash, trigger })
    } catch (error) {
      if (signal.aborted) {
        // What it makes after all is closed.
        preparation.then(host.close).catch(() => {})
        end(run.order, "superseded", lastRejection)
        return tell({ result: "superseded", hash, trigger })
      }
      const { stage } = run
      const rejection = { attempt: run.attempt, hash, stage, at: new Date(), reasons: reasonsOf(error, stage) }
      runs.delete(run)
      end(run.order, "failed", rejection)
      return tell({ result: "rejected", rejection, error, trigger })
    }
  }

  return {
    async submit(candidate) {
      if (closed) throw new RtrError("unavailable", "Cannot activate a document: the router is closing")
      // One after the other, because a short text would overtake the long one that came before it.
      const hashed = hashing.then(() => host.hash(candidate.text))
      hashing = hashed.catch(() => "")
      const hash = await hashed
      const { trigger } = candidate
      if (closed) return tell({ result: "superseded", hash, trigger })
      observedHash = hash
      order += 1
      if (current?.hash === hash) {
        dropBefore(order)
        end(order, "active")
        return tell({ result: "unchanged", version, hash, trigger })
      }
      let run = [...runs].find((each) => each.hash === hash)
      if (run === undefined) {
        attempt += 1
        run = { hash, attempt, order, stage: "parse", abort: new AbortController() }
        runs.add(run)
        run.outcome = activate(candidate, run)
      } else {
        runs.delete(run)
        runs.add(run)
        run.order = order
        if (run.stage === "warm") dropBefore(order)
      }
      return run.outcome as Promise<ActivationOutcome>
    },
    current: () => current,
    status: () => ({
      version,
      activeHash: current?.hash,
      observedHash,
      attempt,
      state: runs.size === 0 ? state : "pending",
      stage: [...runs].at(-1)?.stage,
      lastRejection,
    }),
    async close() {
      closed = true
      const outcomes = [...runs].map(({ outcome }) => outcome)
      dropBefore(Infinity)
      await Promise.all([hashing, ...outcomes])
      if (current !== undefined) retire(current)
      await Promise.all(retiring)
    },
  }
}

/** A module that never comes to an end must not hold up what follows. */
function unlessAborted<Content>(preparation: Promise<Content>, signal: AbortSignal): Promise<Content> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
  return Promise.race([preparation, aborted])
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
