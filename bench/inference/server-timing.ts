// What the worker says about where a call's time went.

import type { ReplyReader } from "../_shared/load/reply-reader.ts"
import { median, short } from "../_shared/statistics.ts"

export interface PhaseTimes {
  readonly clientMs: number
  readonly totalMs: number
  readonly forwardMs: number
  readonly queueMs: number
}

export function readPhases(reply: ReplyReader, clientMs: number): PhaseTimes {
  const header = reply.header("server-timing") ?? ""
  const phase = (name: string): number => Number(new RegExp(`\\b${name};dur=([\\d.]+)`).exec(header)?.[1] ?? Number.NaN)
  return { clientMs, totalMs: phase("total"), forwardMs: phase("forward"), queueMs: phase("queue") }
}

/** Medians over the calls, in milliseconds. */
export interface OutsideForward {
  readonly forwardMs: number
  /** In the worker: reading, tokenizing, waiting, writing. */
  readonly workerMs: number
  /** Between client and worker: the socket, and the client's own work. */
  readonly transportMs: number
}

export function outsideForward(calls: readonly PhaseTimes[]): OutsideForward {
  const of = (read: (call: PhaseTimes) => number): number => short(median(calls.map(read)))
  return {
    forwardMs: of(({ forwardMs }) => forwardMs),
    workerMs: of(({ totalMs, forwardMs }) => totalMs - forwardMs),
    transportMs: of(({ clientMs, totalMs }) => clientMs - totalMs),
  }
}
