// How requests were routed, by their ids, so that outcomes find what they are about.

import type { JsonValue, KeyValueStore, Log } from "../../../kernel/index.ts"

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

export interface RoutedCalls {
  keep(id: string, call: Omit<RoutedCall, "outcomes">): void
  /** Rejects with `unavailable` where the store does not answer. */
  find(id: string): Promise<RoutedCall | undefined>
  /** Adds an outcome, once for each key. False where it is there already. */
  add(id: string, outcome: KeptOutcome, once: string | undefined): Promise<boolean>
}

const ttlMs = 86_400_000
/** More outcomes of one call replace the oldest of them. */
const mostOutcomes = 20
const attempts = 5

export function createRoutedCalls({ kv, log }: { readonly kv: KeyValueStore; readonly log: Log }): RoutedCalls {
  let isTold = false
  const read = async (id: string) => {
    const entry = await kv.get(`call:${id}`)
    return entry && { version: entry.version, call: entry.value as unknown as RoutedCall }
  }
  return {
    keep(id, call) {
      kv.set(`call:${id}`, { ...call, outcomes: [] } as unknown as JsonValue, { ttlMs }).catch(() => {
        if (!isTold) log("warning", "learning_state_unavailable", { what: "calls" })
        isTold = true
      })
    },
    find: async (id) => (await read(id))?.call,
    async add(id, outcome, once) {
      if (once !== undefined && (await kv.compareAndSet(`once:${once}`, undefined, true, { ttlMs })) === undefined)
        return false
      for (let attempt = 0; attempt < attempts; attempt++) {
        const found = await read(id)
        if (found === undefined) break
        const outcomes = [...found.call.outcomes, outcome].slice(-mostOutcomes)
        const call = { ...found.call, outcomes } as unknown as JsonValue
        if ((await kv.compareAndSet(`call:${id}`, found.version, call, { ttlMs })) !== undefined) break
      }
      return true
    },
  }
}
