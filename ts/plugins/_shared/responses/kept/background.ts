// Responses that are made in the background: begun at once, polled, cancelled.

import {
  type Call,
  isRtrError,
  type KeyValueStore,
  type Outcome,
  RtrError,
  type Thinker,
  type WireObject,
} from "../../../../kernel/index.ts"
import { isObject } from "../../dialect/wire.ts"
import { writeReply } from "../reply.ts"
import { thinkerOf } from "./thoughts.ts"
import { beatMs, type Jobs } from "./jobs.ts"
import type { FoundResponse, KeptResponse, ResponseStore } from "./response-store.ts"

/** A job that nobody has heard of for so long has ended with its process. */
const silentMs = 6 * beatMs

export interface BackgroundHost {
  readonly store: ResponseStore
  readonly jobs: Jobs
  /** Ids of the responses that are being made, in any process. */
  readonly running: KeyValueStore
  /** Told why a response is not kept. */
  readonly onLost: (reason: string) => void
  /** Told about errors that are bugs, with the request id. */
  readonly onBug: (error: unknown, requestId: string) => void
}

export interface BackgroundWork {
  /** What the client gets at once: a response of status `queued`. */
  readonly kept: KeptResponse
  readonly call: Call
  readonly run: (call: Call) => Promise<Outcome>
  /** Told of the response before it is kept. */
  readonly goOn?: (response: WireObject, thoughtBy?: Thinker) => Promise<void>
  /** Keeps what the request holds until the work is done. */
  readonly retain: () => () => void
}

export interface Background {
  start(work: BackgroundWork): Promise<void>
  /** The response as it is now: one that is being made is in progress, and one whose process has ended has failed. */
  current(found: FoundResponse): Promise<WireObject>
  cancel(found: FoundResponse): Promise<WireObject>
}

const isOpen = ({ status }: WireObject): boolean => status === "queued" || status === "in_progress"

export function createBackground({ store, jobs, running, onLost, onBug }: BackgroundHost): Background {
  const settle = async (found: FoundResponse, change: WireObject): Promise<WireObject> => {
    const { owner, input, version } = found
    const response = { ...found.response, ...change }
    if (await store.replace({ owner, input, response }, version)) return response
    // Somebody else was first.
    return (await store.find(String(response["id"]), owner))?.response ?? response
  }

  const complete = async (work: BackgroundWork, version: string, signal: AbortSignal): Promise<void> => {
    const { kept, call, run } = work
    const id = String(kept.response["id"])
    const { end, thoughtBy } = await ended(run({ ...call, client: signal, signal }), call, onBug)
    const response = { ...kept.response, ...end, ...ownFields(kept.response) }
    try {
      // One that was cancelled in the meantime says nothing.
      if ((await store.version(id)) !== version) return
      await work.goOn?.(response, thoughtBy)
      await store.replace({ ...kept, response, thoughtBy }, version)
    } catch (error) {
      onLost(isRtrError(error) ? error.code : "internal_error")
      const failure = isRtrError(error) ? error : undefined
      await store.replace({ ...kept, response: { ...kept.response, ...failed(failure) } }, version).catch(() => false)
    } finally {
      await running.delete(id).catch(() => false)
    }
  }

  return {
    async start(work) {
      const { kept, retain } = work
      const { owner } = kept
      const id = String(kept.response["id"])
      const release = retain()
      const alive = async (): Promise<unknown> => running.set(id, true, { ttlMs: silentMs })
      const begun = Promise.withResolvers<string | undefined>()
      const job = {
        id,
        owner,
        async beat() {
          try {
            await alive()
            const version = await begun.promise
            if (version !== undefined && (await store.version(id)) !== version) jobs.stop(id)
          } catch {
            // A store that cannot be reached now may be back at the next beat.
          }
        },
      }
      try {
        jobs.start(job, async (signal) => {
          try {
            const version = await begun.promise
            if (version !== undefined) await complete(work, version, signal)
          } finally {
            release()
          }
        })
      } catch (error) {
        release()
        throw error
      }
      try {
        await alive()
        begun.resolve(await store.add(kept))
      } catch (error) {
        begun.resolve(undefined)
        throw error
      }
    },
    async current(found) {
      const { response } = found
      if (!isOpen(response)) return response
      const id = String(response["id"])
      if (jobs.has(id) || (await running.get(id)) !== undefined) return { ...response, status: "in_progress" }
      const now = await store.find(id, found.owner)
      // It has ended since it was read.
      if (now !== undefined && now.version !== found.version) return now.response
      return settle(found, failed(undefined))
    },
    async cancel(found) {
      if (!isOpen(found.response)) return found.response
      const response = await settle(found, { status: "cancelled" })
      jobs.stop(String(response["id"]))
      return response
    },
  }
}

/** Fields that the end does not change. */
const ownFields = ({
  id = "",
  created_at = 0,
  background = true,
  store = true,
  previous_response_id = null,
  metadata = {},
}: WireObject): WireObject => ({ id, created_at, background, store, previous_response_id, metadata })

/** The response that an outcome comes to, and who made it. */
interface End {
  readonly end: WireObject
  readonly thoughtBy?: Thinker | undefined
}

async function ended(running: Promise<Outcome>, { request, id }: Call, onBug: BackgroundHost["onBug"]): Promise<End> {
  try {
    const outcome = await running
    const { reply } = outcome
    if (reply.kind === "failure")
      return { end: { status: "failed", error: { code: reply.code ?? "server_error", message: reply.message } } }
    if (reply.kind === "stream") {
      reply.stream.cancel()
      return { end: failed(undefined) }
    }
    const body: unknown = JSON.parse(writeReply(reply.reply, {}, request))
    return isObject(body) ? { end: body, thoughtBy: thinkerOf(outcome) } : { end: failed(undefined) }
  } catch (error) {
    if (isRtrError(error)) return { end: failed(error) }
    onBug(error, id)
    return { end: failed(new RtrError("internal_error", "Something went wrong inside the router")) }
  }
}

/** A failure without a cause that may be told: the process has ended, or something went wrong inside. */
const failed = (error: RtrError | undefined): WireObject => ({
  status: "failed",
  error: {
    code: error?.code ?? "server_error",
    message: error?.message ?? "The router stopped before the response was complete; create it again",
  },
})
