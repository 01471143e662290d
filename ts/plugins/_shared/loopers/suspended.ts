// Workflows that wait for the client's tools: what their last model was told, until the results come.

import type { ChatReply, ChatStream, KeyValueStore, LooperCall, Turn } from "../../../kernel/index.ts"

export interface SuspendedWorkflow {
  readonly model: string
  readonly prompt: string
}

export interface KeptWorkflows {
  /** The one that waits for the results that the request brings. */
  resume(call: LooperCall): Promise<SuspendedWorkflow | undefined>
  /** Keeps the workflow if the reply calls tools; of a stream when the call is seen. */
  suspendOnTools(
    call: LooperCall,
    workflow: SuspendedWorkflow,
    reply: ChatReply | ChatStream,
  ): Promise<ChatReply | ChatStream>
}

/** A longer prompt is not kept; the workflow begins anew then. */
const maxPromptCharacters = 262_144

type Principal = LooperCall["principal"]
type Conversation = Pick<LooperCall, "clientTurns" | "principal">

export function keepWorkflows(
  store: KeyValueStore,
  { decision, ttlMs }: { readonly decision: string; readonly ttlMs: number },
): KeptWorkflows {
  const keep = async ({ principal, clientTurns }: Conversation, workflow: SuspendedWorkflow): Promise<void> => {
    if (workflow.prompt.length > maxPromptCharacters) return
    const key = await keyOf(principal, beforeTools(clientTurns) ?? clientTurns)
    // Without it the next request plans anew; that is no reason to fail this one.
    await store.set(key, { ...workflow, decision }, { ttlMs }).catch(() => {})
  }
  return {
    async resume(call) {
      const kept = await waiting(store, call.principal, call.clientTurns)
      return kept?.decision === decision ? kept : undefined
    },
    async suspendOnTools(call, workflow, reply) {
      if (!("next" in reply)) {
        if (reply.choices[0]?.blocks.some(({ type }) => type === "tool_call")) await keep(call, workflow)
        return reply
      }
      let kept = false
      return {
        async next() {
          const batch = await reply.next()
          if (
            !kept &&
            batch?.events.some((event) => event.type === "block_start" && event.block.type === "tool_call")
          ) {
            kept = true
            await keep(call, workflow)
          }
          return batch
        },
        cancel: () => reply.cancel(),
      }
    },
  }
}

/** The workflow of a conversation, of whichever decision. Undefined where the last turn is no result of a tool, without asking the store. */
export async function waiting(
  store: KeyValueStore,
  principal: Principal,
  turns: readonly Turn[],
): Promise<(SuspendedWorkflow & { readonly decision: string }) | undefined> {
  const before = beforeTools(turns)
  if (before === undefined) return undefined
  const kept = await store.get(await keyOf(principal, before)).catch(() => undefined)
  return kept?.value as (SuspendedWorkflow & { readonly decision: string }) | undefined
}

/** The conversation before the model called tools; undefined where the last turn is no result of a tool. */
export function beforeTools(turns: readonly Turn[]): readonly Turn[] | undefined {
  if (turns.at(-1)?.role !== "tool" && !turns.at(-1)?.blocks.some(({ type }) => type === "tool_result"))
    return undefined
  const last = turns.findLastIndex(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "text"))
  return last < 0 ? undefined : turns.slice(0, last + 1)
}

/** Known to the client of this conversation alone: ids of tool calls are easy to guess. */
async function keyOf({ name }: Principal, turns: readonly Turn[]): Promise<string> {
  const text = JSON.stringify([name, turns.map(({ role, blocks }) => [role, blocks])])
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
