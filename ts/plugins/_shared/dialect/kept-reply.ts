// Whole replies that nobody changed keep their own text: writing a long reply anew costs more than routing it.

import type { ChatReply, JsonValue, WireObject } from "../../../kernel/index.ts"
import { hasFields, isText } from "./wire.ts"

/** Id and model of a reply or of what a stream begins with. */
export const readHead = (
  { id, model }: WireObject,
  created: JsonValue | undefined,
): Pick<ChatReply, "id" | "model" | "created"> => ({
  id: isText(id) ? id : "",
  model: isText(model) ? model : "",
  created: typeof created === "number" ? created : 0,
})

/** The reply's own text with the routing metadata. `body` is what the text says. */
export function keptReply(text: string, body: WireObject, metadata: WireObject): string {
  if (!hasFields(metadata)) return text
  return "routing_metadata" in body || !hasFields(body)
    ? replyWith(body, metadata)
    : `${text.slice(0, text.lastIndexOf("}"))},"routing_metadata":${JSON.stringify(metadata)}}`
}

/** A reply that is written anew. */
export function replyWith(body: WireObject, metadata: WireObject): string {
  return JSON.stringify(hasFields(metadata) ? { ...body, routing_metadata: metadata } : body)
}

/** What stands instead of a reply's JSON object. The text may be somebody's, so it is not quoted. */
export function whatInstead(text: string): string {
  const start = text.slice(0, 100).trimStart()
  if (start === "" && text.trim() === "") return "is empty"
  if (/^(data|event|id|retry)?:/.test(start)) return 'is an event stream whose content type is not "text/event-stream"'
  return start.startsWith("<") ? "is a page and not a JSON object" : "is not a JSON object"
}
