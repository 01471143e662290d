// The parts of a canonical request as fields of a wire, so that a dialect writes those that were replaced and no others.

import type { ChatRequest, JsonValue, WireObject } from "../../../kernel/index.ts"

export type RequestPart = Exclude<keyof ChatRequest, "model" | "origin">

/** How each part of a request is written. `body` is what the client sent, if it spoke the same dialect. */
export type PartWriters = Readonly<Record<RequestPart, (request: ChatRequest, body: WireObject) => WireObject>>

/** The body with the fields of those parts that differ from what was read. */
export function patchBody(
  parts: PartWriters,
  { request, read, body }: { readonly request: ChatRequest; readonly read: ChatRequest; readonly body: WireObject },
): Record<string, JsonValue> {
  const fields: Record<string, JsonValue> = { ...body }
  for (const part of Object.keys(parts) as RequestPart[]) {
    if (request[part] === read[part]) continue
    const before = parts[part](read, body)
    const after = parts[part](request, body)
    for (const name in before) if (!(name in after)) delete fields[name]
    for (const name in after) if (after[name] !== before[name]) fields[name] = after[name] as JsonValue
  }
  // Backends refuse options of a stream that is none.
  if (!request.stream && read.stream) delete fields["stream_options"]
  return fields
}
