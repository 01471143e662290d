// One request on its way, made without a server.

import type { ChatRequest } from "rtr"
import { chatRequest, textTurn } from "rtr/testing"
import type { Call } from "../../ts/kernel/types/call.ts"

/** A call with this user message; `changes` go into its request. */
export function createCall(
  text = "hello",
  changes: Partial<ChatRequest> = {},
  { signal = new AbortController().signal, ...call }: Partial<Call> = {},
): Call {
  return {
    id: "req-1",
    request: chatRequest([textTurn("user", text)], { model: "MoM", ...changes }),
    dialect: "chat_completions",
    header: () => undefined,
    principal: { role: "client", permissions: undefined, name: "test" },
    signal,
    client: signal,
    startedAt: performance.now(),
    listener: "main",
    endpoint: "/v1/chat/completions",
    grants: undefined,
    upstreamTimeoutMs: 1000,
    ...call,
  }
}
