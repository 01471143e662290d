// Which model a conversation or session has, in a store. A store that is late or fails is as if nothing were known.

import type { JsonValue, KeyValueStore, Log, SignalInput } from "../../../kernel/index.ts"
import type { DecisionLearning } from "./settings.ts"
import type { SessionState } from "./protection.ts"

export interface Sessions {
  /** Undefined where nothing is known, or it is not known in time. */
  read(key: string): Promise<SessionState | undefined>
  keep(key: string, state: SessionState): void
}

export interface SessionsOptions {
  readonly kv: KeyValueStore
  readonly ttlMs: number
  readonly timeoutMs: number
  readonly log: Log
}

/** Longer ids are no ids; they would fill the store. */
const maxIdCharacters = 256
/** The same is not told again before. */
const quietMs = 60_000

export function createSessions({ kv, ttlMs, timeoutMs, log }: SessionsOptions): Sessions {
  let toldAt = -Infinity
  const tell = (): undefined => {
    const now = performance.now()
    if (now - toldAt < quietMs) return undefined
    toldAt = now
    log("warning", "learning_state_unavailable", { what: "session" })
    return undefined
  }
  return {
    async read(key) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(tell()), timeoutMs)
      })
      const found = kv.get(key).then((entry) => entry?.value as unknown as SessionState | undefined, tell)
      try {
        return await Promise.race([found, late])
      } finally {
        clearTimeout(timer)
      }
    },
    keep(key, state) {
      kv.set(key, state as unknown as JsonValue, { ttlMs }).catch(tell)
    },
  }
}

/**
 * The key of the conversation or session that a request belongs to, in a recipe; undefined where it does not say. Equal ids of
 * different clients are different conversations. What clients send is not stored, only a hash of it.
 */
export type SessionKey = (
  input: SignalInput,
  settings: Pick<DecisionLearning["protection"], "scope" | "headers">,
  recipe: string,
) => Promise<string | undefined>

const mostHashes = 2000

/** Remembers the hashes of conversations that go on: each takes 50 µs, and the same one is asked for at every turn. */
export function createSessionKey(): SessionKey {
  const hashes = new Map<string, string>()
  return async ({ header, request, principal, preview }, { scope, headers }, recipe) => {
    const session = preview?.sessionId ?? header(headers.session) ?? header("x-claude-code-session-id") ?? ""
    const said = preview?.conversationId ?? header(headers.conversation) ?? request.session.conversation ?? ""
    const conversation = scope === "session" ? "" : said
    const needed = scope === "session" ? session : conversation
    if (needed === "" || session.length > maxIdCharacters || conversation.length > maxIdCharacters) return undefined
    const owner = (preview === undefined ? principal.key : preview.userId) ?? ""
    const whose = JSON.stringify([scope, recipe, owner, session, conversation])
    const known = hashes.get(whose)
    if (known !== undefined) return known
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(whose)))
    const key = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")
    if (hashes.size >= mostHashes) hashes.clear()
    hashes.set(whose, key)
    return key
  }
}
