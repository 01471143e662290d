// Vectors in SQLite: little-endian 32-bit floats of length 1. A search compares with every one of them, in short turns.

import type { JsonValue, VectorMatch, VectorStore } from "../../../kernel/index.ts"
import { clampSimilarity, dotProduct } from "../stores/dot-product.ts"
import { checkText, expiryOf, invalidInput, readLimit, tagsOf, toJson, toUnitVector } from "../stores/input.ts"
import { createFirst } from "../stores/order.ts"
import { startTurns } from "../stores/turns.ts"
import { type Collection, type CollectionHost, createCollection, fromBytes, readFields } from "./collection.ts"
import { createVectorBlocks, type VectorBlock, type VectorBudget } from "./vector-blocks.ts"

const writtenPerTurn = 32
const comparedPerLook = 64
/** Matches that are looked up beyond those that are wanted, because some may be gone from the file. */
const spareMatches = 16

interface Candidate {
  readonly similarity: number
  readonly block: VectorBlock
  readonly place: number
}

interface Wanted {
  readonly unit: Float32Array
  readonly limit: number
  readonly minSimilarity: number
  readonly tags: readonly string[]
}

interface Row {
  readonly key: Uint8Array
  readonly vector: Uint8Array
  readonly fields: string
  readonly value: string
}

export function createSqliteVectors(
  name: string,
  dimensions: number,
  { budget, ...host }: CollectionHost & { readonly budget: VectorBudget },
): VectorStore {
  const { connection, clock } = host
  const { read, write, sql } = connection
  const items = createCollection("vectors", name, host)
  const kept = createVectorBlocks(dimensions, connection, budget)
  return {
    async upsert(vectors, options) {
      const expires = expiryOf(options, clock())
      const rows = vectors.map(({ id, vector, fields, value }) => ({
        key: checkText("id", id),
        vector: toBlob(toUnitVector(vector, dimensions)),
        tags: tagsOf(fields),
        fields: toJson(fields),
        value: toJson(value),
        position: 0,
        expires,
      }))
      connection.checkOpen()
      const turns = startTurns()
      for (let start = 0; start < rows.length; start += writtenPerTurn) {
        await write(() => {
          makeWidth(items, dimensions, host)
          for (const row of rows.slice(start, start + writtenPerTurn)) items.put(row)
          const id = items.id()
          if (id !== undefined)
            sql("UPDATE collections SET dimensions = ? WHERE id = ? AND dimensions IS NOT ?").run(
              dimensions,
              id,
              dimensions,
            )
        })
        if (turns.over()) await turns.next()
      }
    },
    async search(vector, { limit, minSimilarity = -1, where = {} }) {
      const wanted: Wanted = {
        unit: toUnitVector(vector, dimensions),
        limit: readLimit(limit, 1),
        minSimilarity,
        tags: tagsOf(where),
      }
      const present = await read(() => {
        const id = items.id()
        return id === undefined ? undefined : { id, ...checkWidth(id, dimensions, host) }
      })
      if (present === undefined) return []
      kept.forgetWhenStale(present.items)
      // Each try forgets the matches that were gone from the file, so the next one finds others.
      for (let spare = spareMatches; ; spare *= 8) {
        const candidates = await compareAll(present.id, { ...wanted, limit: wanted.limit + spare })
        const matches = await read(() => readMatches(candidates, wanted))
        if (matches.length === wanted.limit || candidates.length < wanted.limit + spare) return matches
      }
    },
    async get(id) {
      checkText("id", id)
      const row = (await read(() => items.get(id))) as Row | undefined
      return (
        row && {
          id,
          vector: fromBlob(row.vector),
          fields: readFields(row.fields),
          value: JSON.parse(row.value) as JsonValue,
        }
      )
    },
    async delete(ids) {
      for (const id of ids) checkText("id", id)
      connection.checkOpen()
      const turns = startTurns()
      let count = 0
      for (let start = 0; start < ids.length; start += writtenPerTurn) {
        const some = ids.slice(start, start + writtenPerTurn)
        count += await write(() => some.filter((id) => items.remove(id)).length)
        if (turns.over()) await turns.next()
      }
      return count
    },
    count: async (where = {}) => items.count(tagsOf(where)),
    deleteWhere: async (where) => items.deleteMatching(tagsOf(where)),
  }

  /** Compares with the kept vectors, then with those that are only in the file. */
  async function compareAll(
    collection: number,
    { unit, limit, minSimilarity, tags }: Wanted,
  ): Promise<readonly Candidate[]> {
    const first = createFirst<Candidate>(limit, (one, other) => other.similarity - one.similarity)
    const turns = startTurns()
    const now = clock()
    let least = minSimilarity
    const compareSome = (block: VectorBlock, from: number, to: number): void => {
      for (let place = from; place < to; place++) {
        if ((block.expires[place] as number) <= now) continue
        const similarity = clampSimilarity(dotProduct(unit, block.values, place * dimensions))
        if (similarity < least || !tags.every((tag) => block.tags[place]?.includes(tag))) continue
        least = Math.max(least, first.offer({ similarity, block, place })?.similarity ?? -1)
      }
    }
    const compare = async (block: VectorBlock, from: number, to: number): Promise<void> => {
      for (let place = from; place < to; place += comparedPerLook) {
        compareSome(block, place, Math.min(place + comparedPerLook, to))
        if (!turns.over()) continue
        await turns.next()
        connection.checkOpen()
      }
    }
    // Another search may add to the blocks, or forget them, while this one waits for its turn.
    const { blocks } = kept
    let [index, place] = [0, 0]
    let seen = 0
    for (;;) {
      const block = blocks[index]
      if (block !== undefined && place < block.size) {
        const end = block.size
        await compare(block, place, end)
        place = end
        seen = block.seqs[end - 1] as number
      } else if (block !== undefined && index + 1 < blocks.length) {
        index++
        place = 0
      } else if (blocks !== kept.blocks || !(await read(() => kept.readMore(collection)))) break
    }
    for (;;) {
      const block = await read(() => kept.readAfter(collection, seen))
      if (block.size === 0) return first.items()
      await compare(block, 0, block.size)
      seen = block.seqs[block.size - 1] as number
    }
  }

  /** Reads the best candidates from the file until there are enough, and marks those that are not there any more. */
  function readMatches(candidates: readonly Candidate[], { limit }: Wanted): readonly VectorMatch[] {
    const matches: VectorMatch[] = []
    for (const { similarity, block, place } of candidates) {
      if (matches.length === limit) break
      const row = sql("SELECT key, fields, value FROM items WHERE seq = ? AND (expires IS NULL OR expires > ?)").get(
        block.seqs[place] as number,
        clock(),
      ) as Row | undefined
      if (row === undefined) block.expires[place] = -Infinity
      else
        matches.push({
          id: fromBytes(row.key),
          similarity,
          fields: readFields(row.fields),
          value: JSON.parse(row.value) as JsonValue,
        })
    }
    return matches
  }
}

interface Width {
  readonly dimensions: number | null
  readonly items: number
}

/** Throws `invalid_input` when vectors of another width are there. */
function checkWidth(id: number, dimensions: number, { connection: { sql }, clock }: CollectionHost): Width {
  const width = sql("SELECT dimensions, items FROM collections WHERE id = ?").get(id) as Width
  if (width.dimensions === null || width.dimensions === dimensions || width.items === 0) return width
  const alive = sql("SELECT 1 FROM items WHERE collection = ? AND (expires IS NULL OR expires > ?) LIMIT 1")
  if (alive.get(id, clock()) === undefined) return width
  throw invalidInput(`The store's vectors have ${width.dimensions} dimensions, not ${dimensions}`)
}

/** Makes room for vectors of a width, when those of another one are past their end. */
function makeWidth(items: Collection, dimensions: number, host: CollectionHost): void {
  const id = items.id()
  if (id === undefined) return
  const { dimensions: before, items: present } = checkWidth(id, dimensions, host)
  if (before !== null && before !== dimensions && present > 0)
    host.connection.sql("DELETE FROM items WHERE collection = ?").run(id)
}

function toBlob({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Copies, because the bytes may stand at an address that is no multiple of four. */
function fromBlob(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer)
}
