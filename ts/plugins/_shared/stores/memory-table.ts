// Entries by key in memory, in the order of writing, with an end for each and limits for all.

import type { MemoryHost } from "./memory-host.ts"

/** How many entries each write looks at for some that are past their end. */
const sweptPerWrite = 8

export interface MemoryTable<Value> {
  get(key: string): Value | undefined
  /** When the entry ends; null when it stays or is not there. */
  expiry(key: string): number | null
  /** `size` is what the value takes of `maxBytes`. */
  put(key: string, value: Value, expires: number | null, size: number): void
  delete(key: string): boolean
  /** One of the entries that are not past their end. */
  any(): Value | undefined
  /** The entries that are not past their end, for which `matches` holds. */
  filter(matches: (value: Value) => boolean): readonly Value[]
}

interface Entry<Value> {
  readonly value: Value
  readonly expires: number | null
  readonly size: number
}

export function createMemoryTable<Value>({
  clock,
  maxEntries,
  maxBytes,
}: Pick<MemoryHost, "clock" | "maxEntries" | "maxBytes">): MemoryTable<Value> {
  const entries = new Map<string, Entry<Value>>()
  let bytes = 0
  // A map's iterator stays good while the map changes, so each write goes on where the last one stopped.
  let sweep = entries.entries()
  const isOver = ({ expires }: Entry<Value>): boolean => expires !== null && expires <= clock()
  const remove = (key: string): boolean => {
    bytes -= entries.get(key)?.size ?? 0
    return entries.delete(key)
  }
  const find = (key: string): Entry<Value> | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || !isOver(entry)) return entry
    remove(key)
    return undefined
  }
  const sweepSome = (): void => {
    for (let looked = 0; looked < sweptPerWrite; looked++) {
      const { done, value } = sweep.next()
      if (done === true) {
        sweep = entries.entries()
        return
      }
      if (isOver(value[1])) remove(value[0])
    }
  }
  return {
    get: (key) => find(key)?.value,
    expiry: (key) => find(key)?.expires ?? null,
    put(key, value, expires, size) {
      remove(key)
      entries.set(key, { value, expires, size })
      bytes += size
      sweepSome()
      for (const oldest of entries.keys()) {
        if (oldest === key || (entries.size <= maxEntries && bytes <= maxBytes)) return
        remove(oldest)
      }
    },
    delete: (key) => find(key) !== undefined && remove(key),
    any() {
      for (const entry of entries.values()) if (!isOver(entry)) return entry.value
      return undefined
    },
    filter(matches) {
      const now = clock()
      const found: Value[] = []
      for (const { value, expires } of entries.values())
        if ((expires === null || expires > now) && matches(value)) found.push(value)
      return found
    },
  }
}
