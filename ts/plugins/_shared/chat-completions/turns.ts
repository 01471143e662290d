// Messages of a chat-completions request, to and from turns.

import { type JsonValue, type Role, type Turn, type WireObject } from "../../../kernel/index.ts"
import { type ReadMessage, readBlocks, readContent, writeBlocks, writeContent } from "./blocks.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { isText } from "../dialect/wire.ts"
import { dialectId, refuse } from "./wire.ts"

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
}

export function readTurn(message: WireObject): Turn {
  const origin = new ReadOrigin<WireObject, Turn>(dialectId, message)
  const role = roleOf(message)
  const { name } = message
  return origin.of({
    role,
    blocks:
      role === "tool"
        ? [{ type: "tool_result", callId: callIdOf(message), blocks: readContent(message["content"]) }]
        : readBlocks(message),
    ...(isText(name) && { name }),
    ...(message["role"] === "developer" && { developer: true }),
    origin,
  })
}

function roleOf({ role }: WireObject): Role {
  return Object.hasOwn(roles, role as string) ? (roles[role as string] as Role) : "other"
}

/** A legacy function has no call id, only its name. */
function callIdOf({ tool_call_id: id, name }: WireObject): string {
  return isText(id) ? id : isText(name) ? name : ""
}

/**
 * The messages of a turn: one, but for results of tools, each of which is a message of its own. A turn that this dialect
 * read and that nobody changed is its own message; a changed one keeps its role and unknown fields.
 */
export function writeTurn(turn: Turn, index: number): readonly JsonValue[] {
  const origin = ReadOrigin.find<WireObject, Turn>(turn.origin, dialectId)
  if (origin?.node === turn) return [origin.original]
  const at = `turns[${index}]`
  const results = turn.blocks.filter((block) => block.type === "tool_result")
  const others = turn.blocks.filter((block) => block.type !== "tool_result")
  if (origin?.node.role === turn.role) {
    const { original: message, node: read } = origin
    if (turn.role !== "tool") {
      const before: ReadMessage = { message, blocks: read.blocks }
      const fields = writeBlocks(others, { assistant: turn.role === "assistant", at, before })
      return [...results.map((result) => writeResult(result, at)), withName(fields, turn, read)]
    }
    const [result] = results
    if (result !== undefined && results.length === 1 && others.length === 0)
      return [{ ...message, ...(message["role"] === "tool" && { tool_call_id: result.callId }), ...contentOf(result) }]
  }
  const written: JsonValue[] = results.map((result) => writeResult(result, at))
  if (others.length > 0 || results.length === 0) {
    if (turn.role === "other") throw refuse(`${at} has a role that only another dialect knows`)
    const fields = writeBlocks(others, { assistant: turn.role === "assistant", at })
    written.push(withName({ role: turn.role === "tool" ? "user" : turn.role, ...fields }, turn))
  }
  return written

  function contentOf({ blocks }: { readonly blocks: Turn["blocks"] }): WireObject {
    return { content: blocks.length === 0 ? "" : writeContent(blocks, at, origin?.original["content"]) }
  }
}

function writeResult({ callId, blocks }: Extract<Turn["blocks"][number], { type: "tool_result" }>, at: string) {
  return { role: "tool", tool_call_id: callId, content: blocks.length === 0 ? "" : writeContent(blocks, at) }
}

function withName(message: WireObject, turn: Turn, read?: Turn): WireObject {
  if (turn.name === read?.name) return message
  const { name: _, ...rest } = message
  return turn.name === undefined ? rest : { ...rest, name: turn.name }
}
