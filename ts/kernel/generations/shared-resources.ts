// Things that outlive one configuration: kept while somebody uses them, under a key that says what they depend on.

import type { MaybePromise } from "../types/module-base.ts"

export interface Lease<Value> {
  readonly value: Value
  /** Says that this user is done. The last one closes the resource; a second call does nothing. */
  release(): Promise<void>
}

export interface SharedResources {
  /** The resource under this key, made when nobody has it. A maker that fails leaves nothing behind. */
  acquire<Value>(
    key: string,
    make: () => Promise<Value>,
    close?: (value: Value) => MaybePromise<void>,
  ): Promise<Lease<Value>>
}

interface Entry {
  users: number
  readonly value: Promise<unknown>
  readonly close: ((value: never) => MaybePromise<void>) | undefined
}

export function createSharedResources(): SharedResources {
  const entries = new Map<string, Entry>()
  const drop = async (key: string, entry: Entry): Promise<void> => {
    entry.users -= 1
    if (entry.users > 0) return
    if (entries.get(key) === entry) entries.delete(key)
    await entry.close?.((await entry.value) as never)
  }
  return {
    async acquire<Value>(
      key: string,
      make: () => Promise<Value>,
      close?: (value: Value) => MaybePromise<void>,
    ): Promise<Lease<Value>> {
      let entry = entries.get(key)
      if (entry === undefined) entries.set(key, (entry = { users: 0, value: make(), close }))
      const used = entry
      used.users += 1
      try {
        const value = (await used.value) as Value
        let released = false
        return {
          value,
          async release() {
            if (released) return
            released = true
            await drop(key, used)
          },
        }
      } catch (error) {
        used.users -= 1
        if (entries.get(key) === used) entries.delete(key)
        throw error
      }
    },
  }
}
