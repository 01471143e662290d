// Makes responses without the cost of a full web `Response` on hosts that have a faster one.

import { FastResponse } from "srvx"

export function textResponse(
  body: string | ReadableStream<Uint8Array>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new FastResponse(body, { status, headers })
}

/** Bytes that are pulled at the pace of the reader. `cancel` says that the reader has left. */
export interface ByteSource {
  pull(): Promise<Uint8Array | undefined> | Uint8Array | undefined
  cancel(reason?: unknown): void
}

export function streamResponse(
  source: ByteSource,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await source.pull()
        if (bytes === undefined) controller.close()
        else controller.enqueue(bytes)
      },
      cancel: (reason) => source.cancel(reason),
    },
    // Nothing is read ahead of the client: its pace is the upstream's pace.
    { highWaterMark: 0 },
  )
  return textResponse(stream, status, headers)
}
