// Closes a call's record once: at once for a whole reply and for an error, at the end for a stream.

import { RtrError } from "../error.ts"
import { type CallRecord, type Outcome, rememberFailedCall } from "../types/call.ts"
import type { Reply, UpstreamFailure } from "../types/chat.ts"
import { closeRecord, toRecordedError } from "./record.ts"
import { passStream } from "./streams.ts"

export interface FinishHost {
  /** Told once about each call when it is over. */
  readonly onRecord: (record: CallRecord) => void
}

/** Runs the work of one call. The record is told of its end, also when the client leaves in the middle of a stream. */
export async function finishCall(
  { onRecord }: FinishHost,
  record: CallRecord,
  work: () => Promise<Reply>,
): Promise<Outcome> {
  let reply: Reply
  try {
    reply = await work()
  } catch (cause) {
    const error = toRecordedError(cause)
    // No backend was asked: the router refused the request.
    if (record.path === "upstream" && record.attempts.length === 0) record.path = "error"
    closeRecord(record, { status: error.status, error })
    onRecord(record)
    rememberFailedCall(cause, record)
    throw cause
  }
  if (reply.kind === "stream") return { record, reply: { ...reply, stream: finishStream(onRecord, record, reply) } }
  record.firstByteMs = performance.now() - record.startedAt
  closeRecord(record, { status: reply.status, error: reply.kind === "failure" ? ownError(reply) : undefined })
  onRecord(record)
  return { record, reply }
}

/** What the router says of a backend's error in its own words. An error that goes on as the backend wrote it has no code of ours. */
const ownError = ({ code, original, message }: UpstreamFailure): RtrError | undefined =>
  code === undefined && original === undefined ? new RtrError("upstream_error", message) : undefined

function finishStream(
  onRecord: FinishHost["onRecord"],
  record: CallRecord,
  { stream, status }: Extract<Reply, { kind: "stream" }>,
): ReturnType<typeof passStream> {
  let complete = false
  return passStream(stream, {
    onBatch(batch) {
      record.firstByteMs ??= performance.now() - record.startedAt
      complete ||= batch.done
      return batch
    },
    onError: toRecordedError,
    onEnd(how, cause) {
      const error =
        how === "failed"
          ? toRecordedError(cause)
          : how === "left" && !complete
            ? new RtrError("client_closed_request", "The client left before the end of the stream")
            : undefined
      closeRecord(record, { status: error?.status ?? status, error })
      onRecord(record)
    },
  })
}
