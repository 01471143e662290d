// The input of a request, to and from turns.

import type { Block, JsonValue, Turn, WireObject } from "../../../kernel/index.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { isText } from "../dialect/wire.ts"
import { itemOf, type ReadItem, readItem, writeCall } from "./items.ts"
import type { Namespaces } from "./namespaces.ts"
import { partOf, writeContent, writePart } from "./parts.ts"
import { dialectId, makeId, refuse } from "./wire.ts"

/** Where a turn stood: as `instructions`, as an `input` of text, or as these items. */
interface OriginalTurn {
  readonly from: "instructions" | "text" | "items"
  readonly items: readonly WireObject[]
}

const originOf = (turn: Turn): ReadOrigin<OriginalTurn, Turn> | undefined => ReadOrigin.find(turn.origin, dialectId)

/**
 * The conversation of a request. What the model said and called one after the other is one turn, because other protocols
 * have it in one message.
 */
export function readTurns({ instructions, input }: WireObject): readonly Turn[] {
  const turns: Turn[] = []
  if (isText(instructions) && instructions !== "")
    turns.push(turnOf({ from: "instructions", items: [] }, "system", readText(instructions)))
  if (isText(input))
    turns.push(turnOf({ from: "text", items: [{ role: "user", content: input }] }, "user", readText(input)))
  if (!Array.isArray(input)) return turns
  const items = (input as readonly WireObject[]).map(readItem)
  for (let at = 0; at < items.length;) {
    const first = items[at] as (typeof items)[number]
    let end = at + 1
    if (first.role === "assistant") while (items[end]?.role === "assistant") end += 1
    const own = items.slice(at, end)
    turns.push(
      turnOf(
        { from: "items", items: own.map(({ item }) => item) },
        first.role,
        own.flatMap(({ blocks }) => blocks),
      ),
    )
    at = end
  }
  return turns
}

const readText = (text: string): readonly Block[] => (text === "" ? [] : [{ type: "text", text }])

function turnOf(original: OriginalTurn, role: Turn["role"], blocks: readonly Block[]): Turn {
  const origin = new ReadOrigin<OriginalTurn, Turn>(dialectId, original)
  return origin.of({ role, blocks, ...(original.items[0]?.["role"] === "developer" && { developer: true }), origin })
}

/** The fields of a request for these turns. */
export function writeTurns(turns: readonly Turn[], namespaces: Namespaces): WireObject {
  const [first, ...rest] = turns
  const instructions = first === undefined || rest.length === 0 ? undefined : instructionsOf(first)
  const left = instructions === undefined ? turns : rest
  const [only] = left
  const origin = only && originOf(only)
  const input =
    left.length === 1 && origin?.original.from === "text" && origin.node === only
      ? (origin.original.items[0]?.["content"] as JsonValue)
      : writeInput(left, turns.length - left.length, namespaces)
  return { ...(instructions !== undefined && { instructions }), input }
}

/** The text of a system turn that may stand beside the input. */
function instructionsOf(turn: Turn): string | undefined {
  const { role, blocks, name } = turn
  const from = originOf(turn)?.original.from
  if (role !== "system" || name !== undefined || from === "items" || blocks.length === 0) return undefined
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
  if (texts.length < blocks.length || (texts.length > 1 && from === undefined)) return undefined
  return texts.join("\n\n")
}

function writeInput(turns: readonly Turn[], before: number, namespaces: Namespaces): JsonValue {
  checkNames(turns, before)
  const custom = new Set<string>()
  for (const { blocks } of turns)
    for (const block of blocks) if (block.type === "tool_call" && block.form === "custom") custom.add(block.id)
  return turns.flatMap((turn, index) => writeTurn(turn, `turns[${index + before}]`, { custom, namespaces }))
}

/** The wire has no names of participants. One name says nothing; several tell who speaks. */
function checkNames(turns: readonly Turn[], before: number): void {
  const known = new Map<string, string | undefined>()
  for (const [index, { role, name }] of turns.entries()) {
    if (role !== "user" && role !== "assistant") continue
    if (known.has(role) && known.get(role) !== name)
      throw refuse(`turns[${index + before}].name tells participants apart, which Responses backends cannot`)
    known.set(role, name)
  }
}

/** What the whole conversation says of its calls. */
interface Calls {
  /** Ids of those with free text. */
  readonly custom: ReadonlySet<string>
  readonly namespaces: Namespaces
}

function writeTurn(turn: Turn, at: string, calls: Calls): readonly JsonValue[] {
  const origin = originOf(turn)
  if (origin?.node === turn && origin.original.from !== "instructions") return origin.original.items
  const source = origin?.node.role === turn.role ? origin : undefined
  const items: JsonValue[] = []
  /** Parts of the message that is being written, and the item that they stood in. */
  let content: Block[] = []
  let message: WireObject | undefined
  const flush = (): void => {
    if (content.length > 0) items.push(writeMessage({ role: turn.role, content, message, at }))
    content = []
    message = undefined
  }
  for (const [index, block] of turn.blocks.entries()) {
    const own = source === undefined ? undefined : itemOf(block)
    const whole = writeWhole(block, { at, calls, read: own?.item })
    if (whole !== undefined) {
      flush()
      items.push(...whole)
      continue
    }
    const read = own ?? replacedBy(block, index, source?.node, turn)
    if (message !== undefined && read !== undefined && read.item !== message) flush()
    message ??= read?.item
    content.push(block)
  }
  flush()
  if (turn.blocks.length === 0)
    items.push(writeMessage({ role: turn.role, content: [], message: source?.original.items[0], at }))
  return items
}

/** The message of the block that stood at the same place, where blocks were replaced one by one. */
function replacedBy(block: Block, index: number, read: Turn | undefined, turn: Turn): ReadItem | undefined {
  const before = read?.blocks.length === turn.blocks.length ? read.blocks[index] : undefined
  return before?.type === block.type ? itemOf(before) : undefined
}

/** A block that is an item of its own, as none or one item; undefined for one that is a part of a message. */
function writeWhole(
  block: Block,
  { at, calls, read }: { readonly at: string; readonly calls: Calls; readonly read: WireObject | undefined },
): readonly JsonValue[] | undefined {
  switch (block.type) {
    case "tool_call":
      return [read ?? writeCall(block, calls.namespaces)]
    case "tool_result": {
      if (read !== undefined) return [read]
      const type = calls.custom.has(block.callId) ? "custom_tool_call_output" : "function_call_output"
      const status: WireObject = block.isError === true ? { status: "incomplete" } : {}
      return [{ type, call_id: block.callId, output: writeContent(block.blocks, at), ...status }]
    }
    case "reasoning": {
      if (read !== undefined) return [read]
      // Without its vendor's seal a backend cannot use it, and some refuse it. A signature is the proof of another vendor.
      if (block.encrypted === undefined || block.signature !== undefined) return []
      const summary = block.text === "" ? [] : [{ type: "summary_text", text: block.text }]
      return [{ type: "reasoning", id: makeId("rs"), summary, encrypted_content: block.encrypted }]
    }
    case "opaque":
      return block.dialect === dialectId && partOf(block) === undefined ? [block.value] : undefined
    default:
      return undefined
  }
}

function writeMessage({
  role,
  content,
  message,
  at,
}: {
  readonly role: Turn["role"]
  readonly content: readonly Block[]
  readonly message: WireObject | undefined
  readonly at: string
}): JsonValue {
  const assistant = role === "assistant"
  const [first] = content
  const read = first === undefined ? undefined : itemOf(first)
  if (message !== undefined && read?.item === message && isSame(content, read.blocks)) return message
  if (message === undefined && role === "other") throw refuse(`${at} has a role that only another dialect knows`)
  const written = Array.isArray(message?.["content"])
    ? content.map((block, index) => writePart(block, `${at}.blocks[${index}]`, assistant))
    : writeContent(content, at, assistant)
  return { ...(message ?? { type: "message", role: role === "tool" ? "user" : role }), content: written }
}

const isSame = (one: readonly Block[], other: readonly Block[]): boolean =>
  one.length === other.length && one.every((block, index) => block === other[index])
