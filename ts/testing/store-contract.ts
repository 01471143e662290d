// What every store must do, for each shape that it offers.

import type { TObject } from "typebox"
import type { KeyValueStore, OpenStore, RecordStore, StoreModule, StoreShape, VectorStore } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"
import { keyValueCases } from "./store-key-value-cases.ts"
import { recordCases } from "./store-record-cases.ts"
import { vectorCases } from "./store-vector-cases.ts"
import { type CaseStore, expectEqual, expectRejection } from "./store-case.ts"

export interface StoreContractOptions {
  /** Passed to `setup`. The store may hold data already: each case uses names of its own. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** The cases of the shapes that the module offers. Time is passed in; a store that lets another clock end its entries cannot pass. */
export function storeContract<Options extends TObject>(
  module: StoreModule<Options>,
  { options = {} }: StoreContractOptions = {},
): readonly ContractCase[] {
  const offers = (shape: StoreShape): boolean => module.shapes.includes(shape)
  const withStore = async (run: (store: CaseStore) => Promise<void>): Promise<void> => {
    let now = Date.now()
    const store = await module.setup(options as never, { clock: () => now })
    try {
      await run({
        store,
        name: `contract ${crypto.randomUUID()}`,
        advance: (milliseconds) => void (now += milliseconds),
      })
    } finally {
      await store.close()
    }
  }
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "store", "a module made by defineStore")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("opens with the shapes that it names, and no other", () =>
      withStore(async ({ store }) => {
        const shapes = (["kv", "records", "vectors"] as const).filter((shape) => store[shape] !== undefined)
        expectThat(shapes.length > 0, "at least one shape")
        expectEqual(shapes, module.shapes.toSorted(), "the shapes that the module names")
      }),
    ),
    contractCase("is healthy while it is open", () =>
      withStore(async ({ store }) => expectEqual(await store.health?.(), undefined, "no complaint")),
    ),
    contractCase("rejects every call after it was closed", () =>
      withStore(async ({ store, name }) => {
        const calls = callsOf(store, name)
        await store.close()
        await store.close()
        for (const call of [...calls, ...callsOf(store, name)]) await expectRejection("unavailable", call)
      }),
    ),
    ...(offers("kv") ? keyValueCases(withStore) : []),
    ...(offers("records") ? recordCases(withStore) : []),
    ...(offers("vectors") ? vectorCases(withStore) : []),
  ]
}

/** One call of every method. A store may refuse a shape itself once it is closed. */
function callsOf(store: OpenStore, name: string): readonly (() => Promise<unknown>)[] {
  const shape = <Shape>(
    open: () => Shape | undefined,
    calls: (shape: Shape) => readonly (() => Promise<unknown>)[],
  ) => {
    const opened = open()
    return opened === undefined ? [] : calls(opened)
  }
  return [
    ...shape(
      () => store.kv?.(name),
      (kv: KeyValueStore) => [
        () => kv.get("a"),
        () => kv.set("a", 1),
        () => kv.compareAndSet("a", undefined, 1),
        () => kv.increment("a", 1),
        () => kv.delete("a"),
        () => kv.keys(),
      ],
    ),
    ...shape(
      () => store.records?.(name),
      (records: RecordStore) => [
        () => records.put({ id: "a", createdAt: 1, fields: {}, value: 1 }),
        () => records.get("a"),
        () => records.delete("a"),
        () => records.query(),
        () => records.count(),
        () => records.deleteWhere({}),
      ],
    ),
    ...shape(
      () => store.vectors?.(name, { dimensions: 1 }),
      (vectors: VectorStore) => [
        () => vectors.upsert([{ id: "a", vector: Float32Array.of(1), fields: {}, value: 1 }]),
        () => vectors.search(Float32Array.of(1), { limit: 1 }),
        () => vectors.get("a"),
        () => vectors.delete(["a"]),
        () => vectors.count(),
        () => vectors.deleteWhere({}),
      ],
    ),
  ]
}
