// How requests were routed, by their ids, so that outcomes find what they are about. Clients choose ids, so that each client has
// its own: none takes the place of another's.

import type { CallRecord, JsonValue, KeyValueStore, Log } from "../../../kernel/index.ts"

export interface RoutedCall {
  /** Key of the decision, with its recipe. */
  readonly decision: string
  readonly tier: number
  /** The model that answered. */
  readonly model: string
  /** All that were called. */
  readonly models: readonly string[]
  readonly outcomes: readonly KeptOutcome[]
}

export interface KeptOutcome {
  readonly source: string
  readonly target: string
  readonly verdict: string
  readonly target_ref?: string
  readonly reason?: string
  readonly score?: number
  readonly metadata?: Readonly<Record<string, string>>
  readonly timestamp: string
}

/** One request. */
export interface RoutedCallId {
  readonly id: string
  /** Who sent it: the name of the listener, with that of the API key behind a slash where it asks for one. */
  readonly client: string
}

/** What reads rejects with `unavailable` where the store does not answer. */
export interface RoutedCalls {
  keep(of: RoutedCallId, call: Omit<RoutedCall, "outcomes">): void
  /** Those who have sent a request with this id, a few of them where they are many. */
  clientsOf(id: string): Promise<readonly string[]>
  find(of: RoutedCallId): Promise<RoutedCall | undefined>
  /** Adds an outcome, once for each key. False where it is there already. */
  add(of: RoutedCallId, outcome: KeptOutcome, once: string | undefined): Promise<boolean>
}

export const callIdOf = ({ id, listener, key }: Pick<CallRecord, "id" | "listener" | "key">): RoutedCallId => ({
  id,
  client: key === undefined ? listener : `${listener}/${key}`,
})

/** Ids of requests have no spaces. */
const placeOf = ({ id, client }: RoutedCallId): string => `call:${id} ${client}`

const ttlMs = 86_400_000
/** More outcomes of one call replace the oldest of them. */
const mostOutcomes = 20
const attempts = 5
const mostClients = 5

export function createRoutedCalls({ kv, log }: { readonly kv: KeyValueStore; readonly log: Log }): RoutedCalls {
  let isTold = false
  const read = async (of: RoutedCallId) => {
    const entry = of.id.includes(" ") ? undefined : await kv.get(placeOf(of))
    return entry && { version: entry.version, call: entry.value as unknown as RoutedCall }
  }
  return {
    keep(of, call) {
      kv.set(placeOf(of), { ...call, outcomes: [] } as unknown as JsonValue, { ttlMs }).catch(() => {
        if (!isTold) log("warning", "learning_state_unavailable", { what: "calls" })
        isTold = true
      })
    },
    async clientsOf(id) {
      const prefix = placeOf({ id, client: "" })
      const places = id.includes(" ") ? [] : await kv.keys({ prefix, limit: mostClients })
      return places.map((place) => place.slice(prefix.length))
    },
    find: async (of) => (await read(of))?.call,
    async add(of, outcome, once) {
      if (once !== undefined && (await kv.compareAndSet(`once:${once}`, undefined, true, { ttlMs })) === undefined)
        return false
      for (let attempt = 0; attempt < attempts; attempt++) {
        const found = await read(of)
        if (found === undefined) break
        const outcomes = [...found.call.outcomes, outcome].slice(-mostOutcomes)
        const call = { ...found.call, outcomes } as unknown as JsonValue
        if ((await kv.compareAndSet(placeOf(of), found.version, call, { ttlMs })) !== undefined) break
      }
      return true
    },
  }
}
