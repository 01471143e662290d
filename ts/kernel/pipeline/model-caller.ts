// Calls of models by modules: an attempt in the record of the request that they are about.

import { RtrError } from "../error.ts"
import type { Call, CallRecord } from "../types/call.ts"
import type { ModelCaller } from "../types/capability.ts"
import type { Plan } from "../types/plan.ts"
import { type AttemptHost, callUpstream } from "./upstream/attempt.ts"
import { createRecord } from "./record.ts"

export interface ModelCallerHost extends AttemptHost {
  readonly plan: Pick<Plan, "models">
  readonly generation: number
}

export interface TrackedModelCaller extends ModelCaller {
  /** Says which request an input or a call belongs to. */
  track(about: object, call: Call, record: CallRecord): void
}

/** Longest wait for a model that no request waits for. */
const timeoutMs = 60_000

/** `hostNow` gives what the generation serves with; modules are set up before. */
export function createModelCaller(hostNow: () => ModelCallerHost): TrackedModelCaller {
  const requests = new WeakMap<object, { readonly call: Call; readonly record: CallRecord }>()
  return {
    track: (about, call, record) => void requests.set(about, { call, record }),
    async ask(model, request, { about, signal, timeoutMs: longest } = {}) {
      const host = hostNow()
      const target = host.plan.models.get(model)
      if (target === undefined)
        throw new RtrError("model_not_found", `Cannot ask model "${model}": it is not in providers.models`)
      const asking = about === undefined ? undefined : requests.get(about)
      const asked = asking?.call ?? unattached(request, signal)
      const call =
        longest === undefined ? asked : { ...asked, upstreamTimeoutMs: Math.min(longest, asked.upstreamTimeoutMs) }
      const reply = await callUpstream(host, {
        call,
        record: asking?.record ?? createRecord(call, host.generation),
        target,
        request: { ...request, stream: false },
        headers: { "x-request-id": call.id, "x-selected-model": target.name },
        reasoning: undefined,
        readsEvents: false,
      })
      if (reply.kind === "whole") return reply.reply
      if (reply.kind === "stream") reply.stream.cancel()
      throw new RtrError("upstream_error", `Model "${model}" answered with status ${reply.status}`)
    },
  }
}

/** A call that no client waits for. */
function unattached(request: Call["request"], signal: AbortSignal = new AbortController().signal): Call {
  return {
    id: crypto.randomUUID(),
    request,
    dialect: "",
    header: () => undefined,
    principal: { role: "internal", permissions: undefined, name: "module" },
    client: signal,
    signal,
    startedAt: performance.now(),
    listener: "",
    endpoint: "module",
    grants: undefined,
    upstreamTimeoutMs: timeoutMs,
  }
}
