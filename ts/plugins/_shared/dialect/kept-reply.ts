// Whole replies. One that nobody changed keeps its own text: writing a long reply anew costs more than routing it.

import {
  type ChatReply,
  type JsonValue,
  lazyField,
  parseBackendObject,
  type ReplyChoice,
  type WireObject,
} from "../../../kernel/index.ts"
import { ReadOrigin } from "./read-origin.ts"
import { badReply } from "./refusals.ts"
import { hasFields, isText } from "./wire.ts"

/** What a reply was read from. */
interface OriginalReply {
  readonly dialectId: string
  readonly text: string
  readonly body: WireObject
}

/** Id and model of a reply or of what a stream begins with. */
export const readHead = (
  { id, model }: WireObject,
  created: JsonValue | undefined,
): Pick<ChatReply, "id" | "model" | "created"> => ({
  id: isText(id) ? id : "",
  model: isText(model) ? model : "",
  created: typeof created === "number" ? created : 0,
})

/** A reply that keeps what it was read from. Its choices are read on first use. */
export function keepReply(
  original: OriginalReply,
  fields: Omit<ChatReply, "choices" | "origin">,
  readChoices: () => readonly ReplyChoice[],
): ChatReply {
  const origin = new ReadOrigin<OriginalReply, ChatReply>(original.dialectId, original)
  return origin.of(withChoices({ ...fields, origin }, readChoices))
}

const withChoices = lazyField("choices", (readChoices: () => readonly ReplyChoice[]) => readChoices())

/** How a dialect writes replies that are not as it read them. */
export interface ReplyWire {
  readonly dialectId: string
  build(reply: ChatReply): WireObject
  /** Keeps the fields of the body whose canonical counterpart is still as it was read. */
  patch(reply: ChatReply, body: WireObject, read: ChatReply): WireObject
}

/** The reply for the client with the routing metadata. */
export function writeKept(reply: ChatReply, metadata: WireObject, { dialectId, build, patch }: ReplyWire): string {
  const origin = ReadOrigin.find<OriginalReply, ChatReply>(reply.origin, dialectId)
  if (origin === undefined) return replyWith({ ...build(reply), ...reply.extensions }, metadata)
  const { text, body } = origin.original
  if (reply !== origin.node) return replyWith({ ...patch(reply, body, origin.node), ...reply.extensions }, metadata)
  if (!hasFields(metadata)) return text
  return "routing_metadata" in body || !hasFields(body)
    ? replyWith(body, metadata)
    : `${text.slice(0, text.lastIndexOf("}"))},"routing_metadata":${JSON.stringify(metadata)}}`
}

const replyWith = (body: WireObject, metadata: WireObject): string =>
  JSON.stringify(hasFields(metadata) ? { ...body, routing_metadata: metadata } : body)

/** The body of a reply, or `upstream_error` that says what came instead. The text may be somebody's, so it is not quoted. */
export function parseReply(text: string): WireObject {
  const body = parseBackendObject(text)
  if (body !== undefined) return body
  throw badReply(`the reply ${whatInstead(text)}`)
}

function whatInstead(text: string): string {
  const start = text.slice(0, 100).trimStart()
  if (start === "" && text.trim() === "") return "is empty"
  if (/^(data|event|id|retry)?:/.test(start)) return 'is an event stream whose content type is not "text/event-stream"'
  return start.startsWith("<") ? "is a page and not a JSON object" : "is not a JSON object"
}
