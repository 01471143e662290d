// Lets a decision's looper call its candidates and takes its answer.

import { lastUserText } from "../chat/texts.ts"
import { RtrError } from "../error.ts"
import type { Call, CallRecord } from "../types/call.ts"
import type { ChatReply, ChatRequest, Reply, Usage } from "../types/chat.ts"
import type { LooperCall } from "../types/looper.ts"
import type { PlannedDecision } from "../types/plan.ts"
import type { PluginCall } from "../types/plugin.ts"
import type { SignalInput } from "../types/signal.ts"
import { withSignal } from "./call-signal.ts"
import { type AttemptHost, callUpstream } from "./upstream/attempt.ts"
import { addUsage } from "./record.ts"

export interface LooperOptions extends Pick<PluginCall, "request" | "headers"> {
  readonly call: Call
  readonly record: CallRecord
  readonly input: SignalInput
  readonly decision: PlannedDecision
}

/** Runs the looper. Every candidate that it asks is an attempt of the record, and the reply's usage is that of all of them. */
export async function runLooper(
  host: AttemptHost,
  { call, record, input, decision, request, headers }: LooperOptions,
): Promise<Reply> {
  let usage: Usage | undefined
  const ask = async (index: number, asked: ChatRequest = request): Promise<ChatReply> => {
    const candidate = decision.candidates[index]
    if (candidate === undefined)
      throw new RtrError(
        "invalid_module",
        `Looper "${decision.algorithm}" asked candidate ${index}, which is not there`,
      )
    if (call.client.aborted) throw new RtrError("client_closed_request", "The client left")
    const reply = await callUpstream(host, {
      call,
      record,
      target: candidate.target,
      // The answer is judged before anybody sees it, so it comes whole.
      request: { ...asked, stream: false },
      headers: { ...headers, "x-selected-model": candidate.model },
      reasoning: candidate.reasoning,
      readsEvents: false,
    })
    if (reply.kind === "whole") {
      usage = addUsage(usage, reply.reply.usage)
      return reply.reply
    }
    if (reply.kind === "stream") reply.stream.cancel()
    const said = reply.kind === "failure" ? `: ${reply.message}` : ""
    throw new RtrError("upstream_error", `Model "${candidate.model}" answered with status ${reply.status}${said}`)
  }
  const fields: Omit<LooperCall, "signal"> = {
    ...input,
    request,
    // A plugin may have changed the request.
    text: request === call.request ? input.text : lastUserText(request),
    id: call.id,
    decision: decision.name,
    ask,
  }
  const looperCall: LooperCall = withSignal(fields, call)
  host.track?.(looperCall, call, record)
  const { looper } = decision
  if (looper === undefined) throw new RtrError("internal_error", "The decision has no looper; this is a bug")
  const { reply, candidate, confidence, reason } = await looper.run(looperCall)
  const chosen = decision.candidates[candidate]
  record.model = chosen?.model
  record.reasoning = chosen?.reasoning
  record.selection = { candidate, algorithm: decision.algorithm, confidence: confidence ?? 1, reason }
  const isSum = usage === undefined || usage === reply.usage
  return { kind: "whole", status: 200, reply: isSum ? reply : { ...reply, usage } }
}
