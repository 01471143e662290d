// One request on its way, made without a server.

import type { Call } from "../../ts/kernel/types/call.ts"
import type { ChatRequest } from "../../ts/kernel/types/chat.ts"

/** A call with this user message; `changes` go into its request. */
export function createCall(text = "hello", changes: Partial<ChatRequest> = {}, call: Partial<Call> = {}): Call {
  return {
    id: "req-1",
    request: { model: "MoM", messages: [{ role: "user", content: text }], ...changes },
    header: () => undefined,
    signal: new AbortController().signal,
    startedAt: performance.now(),
    listener: "main",
    grants: undefined,
    upstreamTimeoutMs: 1000,
    ...call,
  }
}
