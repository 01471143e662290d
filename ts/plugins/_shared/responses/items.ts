// Items of a request's input and of a reply's output, to and from blocks.

import type {
  Block,
  JsonValue,
  ReasoningBlock,
  Role,
  Thinker,
  ToolCallBlock,
  WireObject,
} from "../../../kernel/index.ts"
import { hasLength, isObject, isText, toList } from "../dialect/wire.ts"
import { calledFields, joinedName, type Namespaces } from "./namespaces.ts"
import { readContent } from "./parts.ts"
import { dialectId } from "./wire.ts"

/** What a block stood in. */
export interface ReadItem {
  readonly item: WireObject
  readonly role: Role
  /** All blocks of the item. */
  readonly blocks: readonly Block[]
}

const originals = new WeakMap<Block, ReadItem>()

/** The item that a block was read from. */
export const itemOf = (block: Block): ReadItem | undefined => originals.get(block)

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
}

/** Items that models make. Every other type that is not known may be anybody's. */
const madeByModels = /^(?:[a-z_]+_call|mcp_list_tools|mcp_approval_request|compaction|program)$/
const outputs = /^(?:[a-z_]+_(?:call_)?output|mcp_approval_response)$/

export function readItem(item: WireObject): ReadItem {
  const read: ReadItem = { item, role: roleOf(item), blocks: blocksOf(item) }
  for (const block of read.blocks) originals.set(block, read)
  return read
}

function roleOf({ type = "message", role }: WireObject): Role {
  if (type === "message") return Object.hasOwn(roles, role as string) ? (roles[role as string] as Role) : "other"
  if (type === "reasoning" || madeByModels.test(type as string)) return "assistant"
  return outputs.test(type as string) ? "tool" : "other"
}

function blocksOf(item: WireObject): readonly Block[] {
  const { type = "message", call_id: id, name, namespace } = item
  switch (type) {
    case "message":
      return readContent(item["content"])
    case "reasoning":
      return [withThinker(readReasoning(item), item)]
    case "function_call":
      return isText(id) && isText(name)
        ? [{ type: "tool_call", id, name: joinedName(namespace, name), arguments: textOf(item["arguments"]) }]
        : [opaque(item)]
    case "custom_tool_call":
      return isText(id) && isText(name)
        ? [
            {
              type: "tool_call",
              id,
              name: joinedName(namespace, name),
              arguments: textOf(item["input"]),
              form: "custom",
            },
          ]
        : [opaque(item)]
    case "function_call_output":
    case "custom_tool_call_output":
      return isText(id)
        ? [
            {
              type: "tool_result",
              callId: id,
              blocks: readContent(item["output"]),
              // The API's word for a call that did not come to its end.
              ...(item["status"] === "incomplete" && { isError: true }),
            },
          ]
        : [opaque(item)]
    default:
      return [opaque(item)]
  }
}

export const opaque = (item: WireObject): Block => ({ type: "opaque", dialect: dialectId, value: item })

const textOf = (value: JsonValue | undefined): string => (isText(value) ? value : "")

export function readReasoning({ summary, content, encrypted_content: sealed }: WireObject): ReasoningBlock {
  const texts = [...toList(summary), ...toList(content)].flatMap((part) => {
    const text = isObject(part) ? part["text"] : undefined
    return isText(text) ? [text] : []
  })
  return { type: "reasoning", text: texts.join(betweenParts), ...readSeal(sealed) }
}

/** Who thought an item that the router has kept. An item of a client is none of these, whatever it says. */
const thinkers = new WeakMap<object, Thinker>()

export function rememberThinker(item: WireObject, thinker: Thinker): void {
  thinkers.set(item, thinker)
}

export const isKeptThought = (item: JsonValue): boolean =>
  isObject(item) && item["type"] === "reasoning" && thinkers.has(item)

function withThinker(block: ReasoningBlock, item: WireObject): ReasoningBlock {
  const thoughtBy = thinkers.get(item)
  return thoughtBy === undefined ? block : { ...block, thoughtBy }
}

/** Stands between the parts of one reasoning item. */
export const betweenParts = "\n\n"

/**
 * Stands before the signature of another protocol, if there is one, in the one field that clients send back unseen. It tells what
 * other vendors thought from content that a Responses backend encrypted; its characters are those of such content.
 */
const foreignMark = "signature_"

function readSeal(sealed: JsonValue | undefined): Pick<ReasoningBlock, "signature" | "encrypted"> {
  if (!hasLength(sealed)) return {}
  if (!sealed.startsWith(foreignMark)) return { encrypted: sealed }
  const signature = sealed.slice(foreignMark.length)
  return signature === "" ? {} : { signature }
}

export const writeSeal = ({ signature, encrypted }: Pick<ReasoningBlock, "signature" | "encrypted">): WireObject => ({
  encrypted_content: signature === undefined && encrypted !== undefined ? encrypted : foreignMark + (signature ?? ""),
})

/** What a backend of another protocol thought. Backends of this one refuse reasoning that they did not make. */
export const isForeignReasoning = (item: JsonValue): boolean =>
  isObject(item) &&
  item["type"] === "reasoning" &&
  isText(item["encrypted_content"]) &&
  item["encrypted_content"].startsWith(foreignMark)

export function writeCall({ id, name, arguments: text, form }: ToolCallBlock, namespaces?: Namespaces): WireObject {
  const called = calledFields(name, namespaces)
  return form === "custom"
    ? { type: "custom_tool_call", call_id: id, ...called, input: text }
    : { type: "function_call", call_id: id, ...called, arguments: text }
}
