// Waits for the beginning of a streamed reply: until then nothing has reached the client, and another attempt may be made.

import type { ChatStream, StreamBatch, StreamedReply } from "../../../types/chat.ts"

export interface BegunStream {
  readonly reply: StreamedReply
  /** The stream has ended with its first batch, and says that it failed. */
  readonly failed: boolean
}

/** Rejects when the stream breaks before its first batch. */
export async function beginStream(reply: StreamedReply): Promise<BegunStream> {
  const first = await reply.stream.next()
  const failed = first === undefined || first.failure !== undefined
  // Nobody may come to read it.
  if (failed) reply.stream.cancel()
  return { reply: { ...reply, stream: startingWith(first, reply.stream) }, failed }
}

function startingWith(first: StreamBatch | undefined, rest: ChatStream): ChatStream {
  let held = first
  return {
    async next() {
      if (held === undefined) return rest.next()
      const batch = held
      held = undefined
      return batch
    },
    cancel() {
      held = undefined
      rest.cancel()
    },
  }
}
