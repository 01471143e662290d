// The body of a canonical request, part by part, so that a dialect writes the parts that were replaced and no others.

import type { ChatRequest, JsonValue, WireObject } from "../../../kernel/index.ts"
import { ReadOrigin } from "./read-origin.ts"
import { withoutUndefined } from "./wire.ts"

type RequestPart = Exclude<keyof ChatRequest, "model" | "origin">

/**
 * How each part of a request is written. Parts that share fields have the same writer. `body` is what the client sent, if it
 * spoke the same dialect.
 */
export type PartWriters = Readonly<Record<RequestPart, (request: ChatRequest, body: WireObject) => WireObject>>

/** Parts that dialects write in the same way. */
export const commonParts: Pick<PartWriters, "parallelToolCalls" | "stream" | "extensions"> = {
  parallelToolCalls: ({ parallelToolCalls }) => withoutUndefined({ parallel_tool_calls: parallelToolCalls }),
  stream: ({ stream }) => withoutUndefined({ stream: stream || undefined }),
  extensions: ({ extensions }) => extensions,
}

export interface BodyOptions {
  readonly dialectId: string
  readonly parts: PartWriters
  readonly model: string
}

/** The origin of a request that this dialect read from a body. */
export const bodyOrigin = (
  request: ChatRequest | undefined,
  dialectId: string,
): ReadOrigin<WireObject, ChatRequest> | undefined => ReadOrigin.find(request?.origin, dialectId)

/** Whether another dialect read it. */
export const isForeign = ({ origin }: ChatRequest, dialectId: string): boolean =>
  origin !== undefined && origin.dialect !== dialectId

/**
 * The body of a request that this dialect read: its own fields, but for those of parts that were replaced. Undefined for another
 * request. It is an object and not the client's own text: where a key stands twice, the backend must not read the one that the
 * router did not.
 */
export function patchBody(request: ChatRequest, { dialectId, parts, model }: BodyOptions): WireObject | undefined {
  const origin = bodyOrigin(request, dialectId)
  if (origin === undefined) return undefined
  const { original: body, node: read } = origin
  const fields: Record<string, JsonValue> = { ...body, model }
  if (request === read) return fields
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

/** The body of a request that this dialect did not read. */
export function buildBody(request: ChatRequest, { dialectId, parts, model }: BodyOptions): WireObject {
  const writers = new Set(Object.values(parts))
  // Fields of another dialect mean nothing here.
  if (isForeign(request, dialectId)) writers.delete(parts.extensions)
  return Object.assign({ model }, ...[...writers].map((write) => write(request, {}))) as WireObject
}
