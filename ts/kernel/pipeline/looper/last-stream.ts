// The stream of a looper's last call, with what the calls before it add: their usage, and fields about them.

import type { ChatEvent, ChatStream, StreamBatch, Usage } from "../../types/chat.ts"
import type { LooperAnswer } from "../../types/looper.ts"
import { addUsage } from "../record.ts"
import { passStream, type StreamStage } from "../streams.ts"

export interface AddedToStream {
  /** Usage of the other calls. */
  readonly before: Usage | undefined
  readonly extensions: LooperAnswer["extensions"]
}

export function addToStream(
  source: ChatStream,
  { before, extensions }: AddedToStream,
  stage: Pick<StreamStage, "onError" | "onEnd">,
): ChatStream {
  const summed = passStream(source, {
    onBatch: (batch) => (before === undefined ? batch : withUsage(batch, before)),
    ...stage,
  })
  return extensions === undefined ? summed : withFields(summed, extensions)
}

/** A batch with usage is written anew; the others keep their bytes. */
function withUsage(batch: StreamBatch, before: Usage): StreamBatch {
  if (!batch.events.some(({ type }) => type === "usage")) return batch
  const { bytes: _, ...rest } = batch
  const events = batch.events.map((event): ChatEvent =>
    event.type === "usage" ? { type: "usage", usage: addUsage(before, event.usage) as Usage } : event,
  )
  return { ...rest, events }
}

/** The fields come behind the beginning of the reply, whose id and model their chunk repeats. */
function withFields(source: ChatStream, { dialect, fields }: NonNullable<LooperAnswer["extensions"]>): ChatStream {
  let waits = false
  let told = false
  return {
    async next() {
      if (waits && !told) {
        told = true
        return { events: [{ type: "opaque", dialect, value: fields }], done: false }
      }
      const batch = await source.next()
      waits ||= batch !== undefined && !batch.done && batch.events.some(({ type }) => type === "start")
      return batch
    },
    cancel: () => source.cancel(),
  }
}
