// A conversation as signals see it.

import { lastUserText, loadGuardTexts, type Turn } from "rtr"
import { chatRequest, signalInput, textTurn } from "rtr/testing"
import type { RequestInput } from "../../ts/kernel/pipeline/signals.ts"

const guardTexts = await loadGuardTexts()

/** The input of a request with these turns. */
export function inputOf(turns: readonly Turn[], changes: Parameters<typeof chatRequest>[1] = {}): RequestInput {
  const request = chatRequest(turns, changes)
  const texts = guardTexts(request)
  const { textsFor, isTrusted, isJoined } = texts
  return { ...signalInput(""), text: lastUserText(request), request, textsFor, isTrusted, isJoined, guardTexts: texts }
}

export const user = (text: string): Turn => textTurn("user", text)
export const assistant = (text: string | null): Turn =>
  text === null ? { role: "assistant", blocks: [] } : textTurn("assistant", text)
export const toolTurn = (text: string): Turn => ({
  role: "tool",
  blocks: [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text }] }],
})
