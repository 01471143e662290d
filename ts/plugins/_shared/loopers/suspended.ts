// A workflow that waits for the client's tools: what its last model was told, until the results come.

import type { ChatReply, ChatStream, KeyValueStore, LooperCall, Turn } from "../../../kernel/index.ts"

export interface SuspendedWorkflow {
  readonly model: string
  readonly prompt: string
}

/** A longer prompt is not kept; the workflow begins anew then. */
const maxPromptCharacters = 262_144

/** The conversation before the model called tools; undefined where the last turn is no result of a tool. */
export function beforeTools({ turns }: LooperCall["request"]): readonly Turn[] | undefined {
  if (turns.at(-1)?.role !== "tool" && !turns.at(-1)?.blocks.some(({ type }) => type === "tool_result"))
    return undefined
  const last = turns.findLastIndex(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "text"))
  return last < 0 ? undefined : turns.slice(0, last + 1)
}

/** Known to the client of this conversation alone: ids of tool calls are easy to guess. */
async function keyOf({ decision, principal }: LooperCall, turns: readonly Turn[]): Promise<string> {
  const text = JSON.stringify([decision, principal.name, turns.map(({ role, blocks }) => [role, blocks])])
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return `workflow:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

export async function resume(kv: KeyValueStore, call: LooperCall): Promise<SuspendedWorkflow | undefined> {
  const before = beforeTools(call.request)
  if (before === undefined) return undefined
  const kept = await kv.get(await keyOf(call, before)).catch(() => undefined)
  return kept?.value as SuspendedWorkflow | undefined
}

/** Keeps the workflow if the reply calls tools; of a stream when the call is seen. */
export async function suspendOnTools<Reply extends ChatReply | ChatStream>(
  kv: KeyValueStore,
  call: LooperCall,
  workflow: SuspendedWorkflow,
  { reply, ttlMs }: { readonly reply: Reply; readonly ttlMs: number },
): Promise<ChatReply | ChatStream> {
  const keep = async (): Promise<void> => {
    if (workflow.prompt.length > maxPromptCharacters) return
    const turns = beforeTools(call.request) ?? call.request.turns
    // Without it the next request plans anew; that is no reason to fail this one.
    await kv.set(await keyOf(call, turns), { ...workflow }, { ttlMs }).catch(() => {})
  }
  if (!("next" in reply)) {
    if (reply.choices[0]?.blocks.some(({ type }) => type === "tool_call")) await keep()
    return reply
  }
  let kept = false
  return {
    async next() {
      const batch = await reply.next()
      if (!kept && batch?.events.some((event) => event.type === "block_start" && event.block.type === "tool_call")) {
        kept = true
        await keep()
      }
      return batch
    },
    cancel: () => reply.cancel(),
  }
}
