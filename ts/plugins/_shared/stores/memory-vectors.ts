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

export function createMemoryVectors(host: MemoryHost): MemoryVectors {
  const { clock, checkOpen } = host
  const table = createMemoryTable<Entry>(host)
  const matching = (where: StoreFields): readonly Entry[] => {
    checkOpen()
    const wanted = tagsOf(where)
    return table.filter(({ tags }) => wanted.every((tag) => tags.includes(tag)))
  }
  /** Throws for a vector of another width than asked for, or than that of the vectors that are there. */
  const unitOf = (vector: Float32Array, dimensions: number): Float32Array => {
    const unit = toUnitVector(vector, dimensions)
    const present = table.any()?.unit.length ?? dimensions
    if (present !== dimensions) throw invalidInput(`The store's vectors have ${present} dimensions, not ${dimensions}`)
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
      for (const entry of entries) table.put(entry.id, entry, expires, entry.value.length)
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
      const compareSome = (entries: readonly Entry[]): void => {
        for (const entry of entries) {
          const similarity = clampSimilarity(dotProduct(unit, entry.unit, 0))
          if (similarity >= least) least = Math.max(least, first.offer([similarity, entry])?.[0] ?? -1)
        }
      }
      for (let start = 0; start < found.length; start += comparedPerLook) {
        compareSome(found.slice(start, start + comparedPerLook))
        if (!turns.over()) continue
        await turns.next()
        checkOpen()
      }
      return first.items().map(([similarity, { id, fields, value }]): VectorMatch => ({
        id,
        similarity,
        fields: JSON.parse(fields) as StoreFields,
        value: JSON.parse(value) as JsonValue,
      }))
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
