// Which model answered last in a conversation that says which one it is.

import type { KeyValueStore, SignalInput } from "../../../kernel/index.ts"

/** What was said an hour ago is in no backend's cache any more. */
const keptMs = 3_600_000
const headers = ["x-session-id", "x-conversation-id", "x-claude-code-session-id"]
/** Longer ids are no ids; they would fill the store. */
const maxIdCharacters = 256

/** Equal ids of different clients are different conversations. */
async function keyOf({ header, request: { session }, principal }: SignalInput): Promise<string | undefined> {
  const said = headers.map(header).find((value) => value !== undefined && value !== "")
  const id = said ?? session.conversation
  if (id === undefined || id.length > maxIdCharacters) return undefined
  const bytes = new TextEncoder().encode(JSON.stringify([principal.name, id]))
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

export interface Conversations {
  /** Undefined for a request that names no conversation. */
  of(input: SignalInput): Promise<{ readonly key: string; readonly model: string | undefined } | undefined>
  keep(key: string, model: string): Promise<unknown>
}

export function createConversations(kv: KeyValueStore): Conversations {
  return {
    async of(input) {
      const key = await keyOf(input)
      if (key === undefined) return undefined
      return { key, model: (await kv.get(`conversation:${key}`))?.value as string | undefined }
    },
    keep: (key, model) => kv.set(`conversation:${key}`, model, { ttlMs: keptMs }),
  }
}
