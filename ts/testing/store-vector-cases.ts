// What every store of vectors must do.

import type { StoredVector, StoreFields, VectorMatch } from "../kernel/index.ts"
import { type ContractCase, expectThat } from "./case.ts"
import {
  awkwardFields,
  awkwardKeys,
  awkwardValues,
  casesOf,
  expectEqual,
  expectRejection,
  type WithStore,
} from "./store-case.ts"

/** The largest difference that 32-bit floats may make to a similarity. */
const tolerance = 1e-5

export function vectorCases(withStore: WithStore): readonly ContractCase[] {
  // Vectors of two dimensions.
  const vectorCase = casesOf("vectors", withStore, (store, name) => store.vectors?.(name, { dimensions: 2 }))
  /** A vector of two dimensions at an angle, so that its similarity to another is the cosine of the difference. */
  const at = (degrees: number, length = 1): Float32Array =>
    Float32Array.of(length * Math.cos((degrees * Math.PI) / 180), length * Math.sin((degrees * Math.PI) / 180))
  const stored = (id: string, vector: Float32Array, fields: StoreFields = {}): StoredVector => ({
    id,
    vector,
    fields,
    value: { text: id },
  })
  const idsOf = (matches: readonly VectorMatch[]): readonly string[] => matches.map(({ id }) => id)
  const everything = { limit: 1000 }

  return [
    vectorCase("gives the most similar first, with the cosine", async (vectors) => {
      const angles = [0, 10, 45, 90, 135, 180]
      await vectors.upsert(angles.map((angle, index) => stored(`${angle}`, at(angle, 10 ** (index - 3)), { angle })))
      const matches = await vectors.search(at(0, 1000), { limit: 6 })
      expectEqual(idsOf(matches), angles.map(String), "the most similar first")
      for (const { id, similarity, fields, value } of matches) {
        const cosine = Math.cos((Number(id) * Math.PI) / 180)
        expectThat(Math.abs(similarity - cosine) < tolerance, `the similarity ${cosine}, got ${similarity}`)
        expectThat(similarity >= -1 && similarity <= 1, "a similarity from -1 to 1")
        expectEqual([fields, value], [{ angle: Number(id) }, { text: id }], "fields and value")
      }
      expectEqual(idsOf(await vectors.search(at(44), { limit: 2 })), ["45", "10"], "the two most similar")
      expectEqual(
        idsOf(await vectors.search(at(0), { limit: 6, minSimilarity: 0.5 })),
        ["0", "10", "45"],
        "those that are similar enough",
      )
    }),
    vectorCase("finds the same as a comparison with every vector", async (_twoDimensional, { store, name }) => {
      const dimensions = 37
      let seed = 1
      const random = (): number => ((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647) * 2 - 1
      const many = Array.from({ length: 2000 }, (_, index) =>
        stored(`v${index}`, Float32Array.from({ length: dimensions }, random), {
          part: index % 10,
          even: index % 2 === 0,
        }),
      )
      const vectors = store.vectors?.(`${name} wide`, { dimensions })
      await vectors?.upsert(many.slice(0, 1500))
      await vectors?.upsert(many.slice(1500))
      const length = (vector: Float32Array): number => Math.hypot(...vector)
      const wheres: readonly StoreFields[] = [{}, { part: 3 }, { part: 4, even: true }, { part: 3, even: true }]
      for (const where of wheres) {
        const query = Float32Array.from({ length: dimensions }, random)
        const expected = many
          .filter(({ fields }) => Object.entries(where).every(([field, value]) => fields[field] === value))
          .map(({ id, vector }) => ({
            id,
            cosine:
              vector.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0) /
              length(vector) /
              length(query),
          }))
          .toSorted((one, other) => other.cosine - one.cosine)
          .slice(0, 10)
          .map(({ id }) => id)
        expectEqual(idsOf((await vectors?.search(query, { limit: 10, where })) ?? []), expected, "the ten most similar")
      }
    }),
    vectorCase("gives back any vector with its direction", async (vectors) => {
      for (const [index, value] of awkwardValues.entries()) {
        await vectors.upsert([{ id: `id ${index}`, vector: Float32Array.of(3, 4), fields: awkwardFields, value }])
        const { vector, ...rest } = (await vectors.get(`id ${index}`)) ?? { vector: new Float32Array() }
        expectEqual(rest, { id: `id ${index}`, fields: awkwardFields, value }, "the vector's fields and value")
        expectThat(vector instanceof Float32Array && vector.length === 2, "a Float32Array of two dimensions")
        expectThat(
          Math.abs((vector[0] ?? 0) - 0.6) < tolerance && Math.abs((vector[1] ?? 0) - 0.8) < tolerance,
          `the direction 0.6 0.8, got ${vector.join(" ")}`,
        )
      }
      const [match] = await vectors.search(at(0), { limit: 1 })
      expectEqual(match?.fields, awkwardFields, "the fields of a match")
      expectEqual(await vectors.get("other"), undefined, "nothing under another id")
    }),
    vectorCase("tells any two ids apart", async (vectors) => {
      await vectors.upsert(awkwardKeys.map((id, index) => stored(id, at(index))))
      expectEqual(idsOf(await vectors.search(at(0), everything)), awkwardKeys, "every id")
      await expectRejection("invalid_input", () => vectors.upsert([stored("\ud800", at(0))]))
    }),
    vectorCase("keeps a copy", async (vectors) => {
      const vector = Float32Array.of(1, 0)
      await vectors.upsert([stored("a", vector)])
      vector.set([0, 1])
      ;(await vectors.get("a"))?.vector.set([0, 1])
      expectThat(
        ((await vectors.search(at(0), { limit: 1 }))[0]?.similarity ?? 0) > 0.999,
        "the vector as it was written",
      )
    }),
    vectorCase("refuses what has no direction or another width", async (vectors, { store, name }) => {
      const bad = [
        Float32Array.of(1),
        Float32Array.of(1, 2, 3),
        new Float32Array(),
        Float32Array.of(Number.NaN, 1),
        Float32Array.of(1, Infinity),
        Float32Array.of(0, 0),
      ]
      for (const vector of bad) {
        await expectRejection("invalid_input", () => vectors.upsert([stored("good", at(0)), stored("bad", vector)]))
        await expectRejection("invalid_input", () => vectors.search(vector, { limit: 1 }))
      }
      await expectRejection("invalid_input", () => vectors.upsert([stored("a", at(0), { bad: Number.NaN })]))
      for (const limit of [0, -1, 1.5, Number.NaN, 1001])
        await expectRejection("invalid_input", () => vectors.search(at(0), { limit }))
      expectEqual(await vectors.count(), 0, "nothing written by a call that was refused")

      await vectors.upsert([stored("a", at(0))])
      const wider = store.vectors?.(name, { dimensions: 3 })
      expectThat(wider !== undefined, "the shape vectors")
      await expectRejection("invalid_input", () => wider.upsert([stored("b", Float32Array.of(1, 2, 3))]))
      await expectRejection("invalid_input", () => wider.search(Float32Array.of(1, 2, 3), { limit: 1 }))
      await vectors.deleteWhere({})
      await wider.upsert([stored("b", Float32Array.of(1, 2, 3))])
      expectEqual(
        idsOf(await wider.search(Float32Array.of(1, 2, 3), { limit: 1 })),
        ["b"],
        "another width once the old vectors are deleted",
      )
    }),
    vectorCase("keeps very short and very long vectors alike", async (vectors) => {
      await vectors.upsert([
        stored("long", Float32Array.of(3e38, 3e38)),
        stored("short", Float32Array.of(1e-40, 1e-40)),
      ])
      for (const { similarity } of await vectors.search(at(45), everything))
        expectThat(Math.abs(similarity - 1) < tolerance, `the similarity 1, got ${similarity}`)
    }),
    vectorCase("replaces the vector with the same id", async (vectors) => {
      await vectors.upsert([stored("a", at(0), { old: true }), stored("b", at(30))])
      await vectors.search(at(0), everything)
      await vectors.upsert([stored("a", at(90), { new: true })])
      expectEqual(idsOf(await vectors.search(at(0), everything)), ["b", "a"], "each id once, with its new vector")
      expectEqual(
        [await vectors.count(), await vectors.count({ old: true }), await vectors.count({ new: true })],
        [2, 0, 1],
        "the new fields alone",
      )
      for (let turn = 0; turn < 200; turn++) await vectors.upsert([stored("a", at(1), { turn })])
      expectEqual(idsOf(await vectors.search(at(0), { limit: 2 })), ["a", "b"], "each id once after many writes")
      await vectors.upsert([stored("c", at(5)), stored("c", at(60))])
      expectEqual(idsOf(await vectors.search(at(0), everything)), ["a", "b", "c"], "the last of one call")
    }),
    vectorCase("finds by fields, each with its type", async (vectors) => {
      await vectors.upsert([
        stored("text", at(0), { a: "1" }),
        stored("number", at(1), { a: 1, b: "x" }),
        stored("awkward", at(2), awkwardFields),
      ])
      const found = async (where: StoreFields): Promise<string> =>
        idsOf(await vectors.search(at(0), { limit: 3, where })).join(" ")
      expectEqual(
        [await found({ a: "1" }), await found({ a: 1 }), await found({ a: 1, b: "y" }), await found({})],
        ["text", "number", "", "text number awkward"],
        "the vectors with every field",
      )
      for (const [field, value] of Object.entries(awkwardFields))
        expectEqual(await found(Object.fromEntries([[field, value]])), "awkward", `the vector with ${field}`)
      await expectRejection("invalid_input", () => vectors.search(at(0), { limit: 1, where: { a: Number.NaN } }))
    }),
    vectorCase("ends vectors in time", async (vectors, { advance, store, name }) => {
      await vectors.upsert([stored("a", at(0), { f: 1 })], { ttlMs: 1000 })
      await vectors.upsert([stored("b", at(10), { f: 1 })])
      expectEqual(idsOf(await vectors.search(at(0), everything)), ["a", "b"], "both before the end")
      advance(1000)
      expectEqual(idsOf(await vectors.search(at(0), { limit: 1 })), ["b"], "the one without an end")
      expectEqual(
        [await vectors.get("a"), await vectors.delete(["a"]), await vectors.count(), await vectors.count({ f: 1 })],
        [undefined, 0, 1, 1],
        "nothing of the vector after its end",
      )
      await expectRejection("invalid_input", () => vectors.upsert([stored("a", at(0))], { ttlMs: -1 }))
      await vectors.delete(["b"])
      await vectors.upsert([stored("c", at(0))], { ttlMs: 10 })
      advance(10)
      const wider = store.vectors?.(name, { dimensions: 3 })
      await wider?.upsert([stored("d", Float32Array.of(1, 2, 3))])
      expectEqual(await wider?.count(), 1, "another width once the old vectors are past their end")
    }),
    vectorCase("deletes by id and by fields", async (vectors) => {
      await vectors.upsert(
        Array.from({ length: 90 }, (_, index) => stored(`v${index}`, at(index), { even: index % 2 === 0 })),
      )
      expectEqual(idsOf(await vectors.search(at(0), { limit: 2 })), ["v0", "v1"], "the most similar")
      expectEqual(await vectors.delete(["v0", "v1", "none", "v1"]), 2, "the number of deleted vectors")
      expectEqual(await vectors.deleteWhere({ even: true }), 44, "the number of deleted vectors")
      expectEqual(idsOf(await vectors.search(at(0), { limit: 2 })), ["v3", "v5"], "the most similar of the others")
      expectEqual([await vectors.deleteWhere({}), await vectors.count()], [44, 0], "everything deleted")
      expectEqual(await vectors.search(at(0), { limit: 2 }), [], "nothing found")
    }),
    vectorCase("searches while others write", async (vectors) => {
      const write = async (writer: number): Promise<void> => {
        for (let turn = 0; turn < 20; turn++)
          await vectors.upsert([stored(`w${writer}`, at(writer + turn)), stored(`w${writer} ${turn}`, at(180))])
      }
      const search = async (): Promise<void> => {
        for (let turn = 0; turn < 20; turn++) {
          const ids = idsOf(await vectors.search(at(0), everything))
          expectEqual(new Set(ids).size, ids.length, "each id once")
        }
      }
      await Promise.all([...Array.from({ length: 10 }, (_, writer) => write(writer)), search(), search()])
      expectEqual((await vectors.search(at(0), everything)).length, 210, "everything that was written")
    }),
    vectorCase("keeps names apart", async (vectors, { store, name }) => {
      const other = store.vectors?.(`${name}2`, { dimensions: 2 })
      await vectors.upsert([stored("a", at(0))])
      await other?.upsert([stored("a", at(90)), stored("b", at(0))])
      expectEqual(idsOf(await vectors.search(at(0), everything)), ["a"], "the vectors of one name")
      expectEqual(await other?.deleteWhere({}), 2, "the vectors of one name")
      expectEqual(await store.vectors?.(name, { dimensions: 2 }).count(), 1, "the same data under an equal name")
    }),
  ]
}
