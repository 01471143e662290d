// A conversation as signals see it.

import { type GuardTexts, guardTexts, lastUserText, type SignalInput, type Turn } from "rtr"
import { chatRequest, signalInput, textTurn } from "rtr/testing"

/** The input of a request with these turns. */
export function inputOf(
  turns: readonly Turn[],
  changes: Parameters<typeof chatRequest>[1] = {},
): SignalInput & GuardTexts {
  const request = chatRequest(turns, changes)
  return { ...signalInput(""), text: lastUserText(request), request, ...guardTexts(request) }
}

export const user = (text: string): Turn => textTurn("user", text)
export const assistant = (text: string | null): Turn =>
  text === null ? { role: "assistant", blocks: [] } : textTurn("assistant", text)
export const toolTurn = (text: string): Turn => ({
  role: "tool",
  blocks: [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text }] }],
})
