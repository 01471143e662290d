// The vectors of one collection in memory, as far as they fit, in the order of writing. The file stays the truth: what was written
// since, by any process, is read before each search, and whoever finds a vector here asks the file whether it is still there.

import { tagsOf } from "../stores/input.ts"
import { readFields } from "./collection.ts"
import type { Connection } from "./connection.ts"

/** Vectors end to end with what a search asks of each. */
export interface VectorBlock {
  /** How many places are in use. */
  size: number
  readonly seqs: Float64Array
  /** When the vector is gone; `-Infinity` once it is known to be replaced or deleted. */
  readonly expires: Float64Array
  readonly tags: (readonly string[])[]
  readonly values: Float32Array
}

/** Bytes of vectors that all searches of one file may keep. */
export interface VectorBudget {
  bytes: number
}

export interface VectorBlocks {
  readonly blocks: readonly VectorBlock[]
  /** Reads the next vectors after the last kept one into the kept blocks; false when there are no more, or no room. */
  readMore(collection: number): boolean
  /** Reads the next vectors after a place without keeping them. */
  readAfter(collection: number, seq: number): VectorBlock
  /** Number of the last kept vector; 0 when none is. */
  last(): number
  /** Forgets everything when too much of it is gone from the file, so that it is read again. `present` is how many there are. */
  forgetWhenStale(present: number): void
}

/** A block is read from the file in about a millisecond. */
const floatsPerBlock = 2 ** 18
const readAtOnce = 256
/** So many vectors that are gone may be kept, and a quarter of all. */
const staleVectors = 1000

interface Row {
  readonly seq: number
  readonly expires: number | null
  readonly fields: string
  readonly vector: Uint8Array
}

export function createVectorBlocks(dimensions: number, { sql }: Connection, budget: VectorBudget): VectorBlocks {
  const capacity = Math.max(16, Math.floor(floatsPerBlock / dimensions))
  const blockBytes = capacity * (dimensions * 4 + 32)
  const texts = new Map<string, string>()
  let blocks: VectorBlock[] = []
  const createBlock = (places: number): VectorBlock => ({
    size: 0,
    seqs: new Float64Array(places),
    expires: new Float64Array(places),
    tags: [],
    values: new Float32Array(places * dimensions),
  })
  const fill = (block: VectorBlock, rows: readonly Row[]): void => {
    for (const { seq, expires, fields, vector } of rows) {
      const place = block.size++
      block.seqs[place] = seq
      block.expires[place] = expires ?? Infinity
      block.tags[place] = tagsOf(readFields(fields)).map((tag) => {
        // Equal tags are one string, which takes less memory and is compared faster.
        if (!texts.has(tag)) texts.set(tag, tag)
        return texts.get(tag) ?? tag
      })
      new Uint8Array(block.values.buffer, place * dimensions * 4, dimensions * 4).set(vector)
    }
  }
  const readRows = (collection: number, seq: number, limit: number): readonly Row[] =>
    sql(
      "SELECT seq, expires, fields, vector FROM items WHERE collection = ? AND seq > ? AND length(vector) = ? ORDER BY seq LIMIT ?",
    ).all(collection, seq, dimensions * 4, limit) as unknown as readonly Row[]
  const last = (): number => {
    const block = blocks.at(-1)
    return block === undefined ? 0 : (block.seqs[block.size - 1] ?? 0)
  }
  return {
    get blocks() {
      return blocks
    },
    last,
    readMore(collection) {
      const tail = blocks.at(-1)
      const room = tail !== undefined && tail.size < capacity
      if (!room && budget.bytes < blockBytes) return false
      const places = room ? capacity - tail.size : capacity
      const rows = readRows(collection, last(), Math.min(places, readAtOnce))
      if (rows.length === 0) return false
      if (room) fill(tail, rows)
      else {
        const block = createBlock(capacity)
        fill(block, rows)
        budget.bytes -= blockBytes
        blocks.push(block)
      }
      return true
    },
    readAfter(collection, seq) {
      const rows = readRows(collection, seq, readAtOnce)
      const block = createBlock(rows.length)
      fill(block, rows)
      return block
    },
    forgetWhenStale(present) {
      const kept = blocks.reduce((sum, { size }) => sum + size, 0)
      if (kept - present <= staleVectors + kept / 4) return
      budget.bytes += blocks.length * blockBytes
      blocks = []
      texts.clear()
    },
  }
}
