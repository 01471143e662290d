// Values by key that may be large: long ones are written in pieces, so that no write holds the event loop for long.

import type { JsonValue, KeyValueStore, StoredValue } from "../../../../kernel/index.ts"
import { oneAfterTheOther } from "./one-after-the-other.ts"

/** Characters of one piece: a store writes them in about a millisecond. */
const pieceLength = 128 * 1024

/** A value with its JSON text, which its owner has made to measure it. */
export interface MeasuredValue {
  readonly value: JsonValue
  readonly text: string
}

export interface LargeValues {
  get(key: string): Promise<StoredValue | undefined>
  /** Costs little for large values, too. */
  version(key: string): Promise<string | undefined>
  set(key: string, value: MeasuredValue): Promise<string>
  compareAndSet(key: string, expected: string, value: MeasuredValue): Promise<string | undefined>
  delete(key: string): Promise<boolean>
}

/** What stands in place of a long value. No value of the caller's is a list. */
type Pieces = readonly [under: string, count: number]

/** Keys that the caller uses have no dot. */
export function createLargeValues(values: KeyValueStore, { ttlMs }: { readonly ttlMs: number }): LargeValues {
  const keyOf = (under: string, place: number): string => `${under}.${place}`
  /** Writes the pieces; the value is there once the head that it returns is written. */
  const split = async (key: string, { value, text }: MeasuredValue): Promise<JsonValue> => {
    if (text.length <= pieceLength) return value
    const pieces: Pieces = [`${key}.${crypto.randomUUID()}`, Math.ceil(text.length / pieceLength)]
    const [under, count] = pieces
    for (let place = 0; place < count; place++) {
      await values.set(keyOf(under, place), text.slice(place * pieceLength, (place + 1) * pieceLength), { ttlMs })
      await turn()
    }
    return pieces
  }
  const join = async ([under, count]: Pieces): Promise<JsonValue | undefined> => {
    const texts: string[] = []
    for (let place = 0; place < count; place++) {
      const piece = await values.get(keyOf(under, place))
      // It was evicted, or deleted in the meantime.
      if (piece === undefined) return undefined
      texts.push(String(piece.value))
    }
    return JSON.parse(texts.join("")) as JsonValue
  }
  const remove = async (head: JsonValue | undefined): Promise<void> => {
    if (!isPieces(head)) return
    const [under, count] = head
    for (let place = 0; place < count; place++) {
      await values.delete(keyOf(under, place))
      await turn()
    }
  }
  return {
    async get(key) {
      const head = await values.get(key)
      if (head === undefined || !isPieces(head.value)) return head
      const pieces = head.value
      // A store may work on the event loop, and so does who asks with what was read: a hundred who ask at once get a turn each.
      const value = await oneAfterTheOther("read a large value", async () => {
        await turn()
        return join(pieces)
      })
      return value === undefined ? undefined : { value, version: head.version }
    },
    version: async (key) => (await values.get(key))?.version,
    set: async (key, value) => values.set(key, await split(key, value), { ttlMs }),
    async compareAndSet(key, expected, value) {
      const before = await values.get(key)
      if (before?.version !== expected) return undefined
      const head = await split(key, value)
      const version = await values.compareAndSet(key, expected, head, { ttlMs })
      await remove(version === undefined ? head : before.value)
      return version
    },
    async delete(key) {
      const head = await values.get(key)
      const wasThere = await values.delete(key)
      await remove(head?.value)
      return wasThere
    },
  }
}

const isPieces = (value: JsonValue | undefined): value is Pieces => Array.isArray(value)

/** Lets everything else run. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
