// System prompt and messages of a Messages request, to and from turns.

import type { Block, JsonValue, Role, Turn, WireObject } from "../../../kernel/index.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { isObject, isText, toList } from "../dialect/wire.ts"
import { readContent, writeContent, writeList } from "./blocks.ts"
import { dialectId, refuse } from "./wire.ts"

/** What a turn was read from: the `system` field or a message. */
interface OriginalTurn {
  readonly system?: JsonValue
  readonly message?: WireObject
}

export function readTurns({ system, messages }: WireObject): readonly Turn[] {
  const turns = toList(messages).map((message) => readMessage(message as WireObject))
  if (system === undefined || system === null) return turns
  return [readTurn("system", readContent(system), { system }), ...turns]
}

/** A message of tool results alone is the tools' turn; with a text beside them it is the user's. */
function readMessage(message: WireObject): Turn {
  const { role, content } = message
  const blocks = readContent(content)
  const onlyResults = role === "user" && blocks.length > 0 && blocks.every(({ type }) => type === "tool_result")
  return readTurn(onlyResults ? "tool" : (role as Role), blocks, { message })
}

function readTurn(role: Role, blocks: readonly Block[], original: OriginalTurn): Turn {
  const origin = new ReadOrigin<OriginalTurn, Turn>(dialectId, original)
  return origin.of({ role, blocks, origin })
}

const originOf = (turn: Turn): ReadOrigin<OriginalTurn, Turn> | undefined => ReadOrigin.find(turn.origin, dialectId)

export interface WrittenTurns {
  readonly system?: JsonValue
  readonly messages: readonly JsonValue[]
}

/**
 * Instructions stand in a field of their own, whatever place other dialects give them. Turns that this dialect read and
 * nobody changed are their own messages.
 */
export function writeTurns(turns: readonly Turn[], foreign: boolean): WrittenTurns {
  const messages: JsonValue[] = []
  const instructions: [Turn, number][] = []
  let previous: Turn | undefined
  turns.forEach((turn, index) => {
    const origin = originOf(turn)
    if (turn.role === "system" && origin?.original.message === undefined) {
      instructions.push([turn, index])
      return
    }
    const message = writeMessage(turn, index, foreign)
    if (message === undefined) return
    // All results of one turn of calls have to stand in the message that follows it.
    if (turn.role === "tool" && previous?.role === "tool" && origin === undefined) appendTo(messages, message)
    else messages.push(message)
    previous = turn
  })
  const system = writeSystem(instructions, foreign)
  return { ...(system !== undefined && { system }), messages }
}

function writeSystem(instructions: readonly (readonly [Turn, number])[], foreign: boolean): JsonValue | undefined {
  const [first, ...others] = instructions
  if (first === undefined) return undefined
  const origin = originOf(first[0])
  if (others.length === 0 && origin?.node === first[0]) return origin.original.system
  const blocks = instructions.flatMap(([turn, index]) => {
    const at = `turns[${index}]`
    const other = turn.blocks.findIndex(({ type }) => type !== "text" && type !== "opaque")
    if (other >= 0) throw refuse(`${at}.blocks[${other}] is no text, and a system prompt holds nothing else`)
    return writeList(turn.blocks, { at, foreign })
  })
  const [only] = blocks
  if (blocks.length > 1 || !isObject(only)) return blocks.length === 0 ? undefined : blocks
  return Object.keys(only).length === 2 && isText(only["text"]) ? only["text"] : blocks
}

/** Undefined for a turn of another dialect that says nothing here: backends refuse empty messages. */
function writeMessage(turn: Turn, index: number, foreign: boolean): JsonValue | undefined {
  const origin = originOf(turn)
  if (origin?.node === turn) return origin.original.message
  const at = `turns[${index}]`
  if (turn.role === "other") throw refuse(`${at} has a role that only another dialect knows`)
  const isForeign = foreign && origin === undefined
  const content = writeContent(isForeign ? resultsFirst(turn.blocks) : turn.blocks, { at, foreign: isForeign })
  if (isForeign && content === "") return undefined
  return { ...origin?.original.message, role: turn.role === "tool" ? "user" : turn.role, content }
}

function resultsFirst(blocks: readonly Block[]): readonly Block[] {
  const results = blocks.filter(({ type }) => type === "tool_result")
  return results.length === 0 ? blocks : [...results, ...blocks.filter(({ type }) => type !== "tool_result")]
}

function appendTo(messages: JsonValue[], message: JsonValue): void {
  const last = messages.pop()
  const content = [last, message].flatMap((each) => toList(isObject(each) ? each["content"] : undefined))
  messages.push({ ...(last as WireObject), content })
}
