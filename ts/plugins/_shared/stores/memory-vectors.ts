// Vectors in memory. A search compares with every one of them, in short turns.

import type { JsonValue, StoreFields, VectorMatch, VectorStore } from "../../../kernel/index.ts"
import { clampSimilarity, dotProduct } from "./dot-product.ts"
import { checkText, expiryOf, invalidInput, readLimit, tagsOf, toJson, toUnitVector } from "./input.ts"
import type { MemoryHost } from "./memory-host.ts"
import { createMemoryTable } from "./memory-table.ts"
import { createFirst } from "./order.ts"
import { startTurns } from "./turns.ts"

const comparedPerLook = 64

interface Entry {
  readonly id: string
  readonly unit: Float32Array
  readonly tags: readonly string[]
  readonly fields: string
  readonly value: string
}

/** The vectors of one name, seen by users who may expect different widths. */
export interface MemoryVectors {
  withWidth(dimensions: number): VectorStore
}

export function createMemoryVectors({ clock, maxEntries, checkOpen }: MemoryHost): MemoryVectors {
  const table = createMemoryTable<Entry>(clock, maxEntries)
  const matching = (where: StoreFields): readonly Entry[] => {
    checkOpen()
    const wanted = tagsOf(where)
    const found: Entry[] = []
    for (const [, entry] of table.live()) if (wanted.every((tag) => entry.tags.includes(tag))) found.push(entry)
    return found
  }
  /** Throws for a vector of another width than asked for, or than that of the vectors that are there. */
  const unitOf = (vector: Float32Array, dimensions: number): Float32Array => {
    const unit = toUnitVector(vector, dimensions)
    for (const [, { unit: present }] of table.live()) {
      if (present.length !== dimensions)
        throw invalidInput(`The store's vectors have ${present.length} dimensions, not ${dimensions}`)
      break
    }
    return unit
  }
  const open = (id: string): string => {
    checkOpen()
    return checkText("id", id)
  }
  const withWidth = (dimensions: number): VectorStore => ({
    async upsert(vectors, options) {
      checkOpen()
      const expires = expiryOf(options, clock())
      const entries = vectors.map(({ id, vector, fields, value }) => ({
        id: checkText("id", id),
        unit: unitOf(vector, dimensions),
        tags: tagsOf(fields),
        fields: toJson(fields),
        value: toJson(value),
      }))
      for (const entry of entries) table.put(entry.id, entry, expires)
    },
    async search(vector, { limit, minSimilarity = -1, where = {} }) {
      const found = matching(where)
      const unit = unitOf(vector, dimensions)
      const first = createFirst<readonly [similarity: number, entry: Entry]>(
        readLimit(limit, 1),
        ([one], [other]) => other - one,
      )
      const turns = startTurns()
      let least = minSimilarity
      for (const [index, entry] of found.entries()) {
        const similarity = clampSimilarity(dotProduct(unit, entry.unit, 0))
        if (similarity >= least) least = Math.max(least, first.offer([similarity, entry])?.[0] ?? -1)
        if (index % comparedPerLook === 0 && turns.over()) {
          await turns.next()
          checkOpen()
        }
      }
      return first.items().map(
        ([similarity, { id, fields, value }]): VectorMatch => ({
          id,
          similarity,
          fields: JSON.parse(fields) as StoreFields,
          value: JSON.parse(value) as JsonValue,
        }),
      )
    },
    async get(id) {
      const entry = table.get(open(id))
      return (
        entry && {
          id,
          vector: entry.unit.slice(),
          fields: JSON.parse(entry.fields) as StoreFields,
          value: JSON.parse(entry.value) as JsonValue,
        }
      )
    },
    delete: async (ids) => ids.map(open).filter((id) => table.delete(id)).length,
    count: async (where = {}) => matching(where).length,
    async deleteWhere(where) {
      const found = matching(where)
      for (const { id } of found) table.delete(id)
      return found.length
    },
  })
  return { withWidth }
}
