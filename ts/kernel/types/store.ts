// The three shapes of a store: key-value, records and vectors. A store module offers one or more of them.
//
// Keys, ids and names are well-formed Unicode; a lone surrogate is `invalid_input`. "Ascending" is the order of code points,
// which is also the order of UTF-8 bytes, so that every engine can keep it. Every call rejects with an `RtrError`:
// `invalid_input` for what it cannot take, `unavailable` when the store cannot be reached or is closed.

/** Anything that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Values by which records and vectors are found again. */
export type StoreFields = Readonly<Record<string, string | number | boolean>>

export interface StoredValue {
  readonly value: JsonValue
  /** Changes with every write of the key; opaque. */
  readonly version: string
}

export interface WriteOptions {
  /** The entry is gone after this many milliseconds, more than 0; kept until it is deleted when left out. */
  readonly ttlMs?: number
}

/** Values by key. */
export interface KeyValueStore {
  get(key: string): Promise<StoredValue | undefined>
  /** Returns the version written. */
  set(key: string, value: JsonValue, options?: WriteOptions): Promise<string>
  /** Writes only while the key has `expected`, or does not exist for `undefined`. Returns the new version, or undefined when another writer was first. */
  compareAndSet(
    key: string,
    expected: string | undefined,
    value: JsonValue,
    options?: WriteOptions,
  ): Promise<string | undefined>
  /** Adds to a number in one step and returns the sum; a missing key counts as 0. `ttlMs` holds from the first call. Rejects with `invalid_input` when the key holds no number. */
  increment(key: string, amount: number, options?: WriteOptions): Promise<number>
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>
  /** Keys with a prefix in ascending order, after `after`; at most `limit`, 1 to 1000, 1000 when left out. */
  keys(options?: {
    readonly prefix?: string
    readonly after?: string
    readonly limit?: number
  }): Promise<readonly string[]>
}

export interface StoredRecord {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly fields: StoreFields
  readonly value: JsonValue
}

export interface RecordQuery {
  /** Fields that must be equal; every record when left out. */
  readonly where?: StoreFields
  /** Newest first when left out. */
  readonly order?: "newest" | "oldest"
  /** At most this many, 1 to 1000; 100 when left out. */
  readonly limit?: number
  /** `next` of the page before; opaque, and for the same `order` only. */
  readonly cursor?: string
}

/** Documents with an id, an age and fields to find them by. */
export interface RecordStore {
  /** Adds a record or replaces the one with its id. */
  put(record: StoredRecord, options?: WriteOptions): Promise<void>
  get(id: string): Promise<StoredRecord | undefined>
  delete(id: string): Promise<boolean>
  /** One page by age, then by id, and the cursor of the next one when there is more. A record that stays is on exactly one page. */
  query(query?: RecordQuery): Promise<{ readonly records: readonly StoredRecord[]; readonly next?: string }>
  count(where?: StoreFields): Promise<number>
  /** Deletes every record whose fields are equal, all of them for `{}`, and returns how many there were. */
  deleteWhere(where: StoreFields): Promise<number>
}

export interface StoredVector {
  readonly id: string
  /** Only its direction is kept: it comes back with length 1. */
  readonly vector: Float32Array
  readonly fields: StoreFields
  readonly value: JsonValue
}

export interface VectorMatch extends Omit<StoredVector, "vector"> {
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number
}

/** Vectors of one width, found by likeness. */
export interface VectorStore {
  /**
   * Adds vectors or replaces those with their ids. Rejects with `invalid_input`, and writes nothing, for another width than that of
   * the vectors that are there, a value that is no number, and a vector of zeros. Each vector is written whole; many are not one transaction.
   */
  upsert(vectors: readonly StoredVector[], options?: WriteOptions): Promise<void>
  /** The most similar first, equal ones by id; `limit` is 1 to 1000. */
  search(
    vector: Float32Array,
    options: { readonly limit: number; readonly minSimilarity?: number; readonly where?: StoreFields },
  ): Promise<readonly VectorMatch[]>
  get(id: string): Promise<StoredVector | undefined>
  delete(ids: readonly string[]): Promise<number>
  count(where?: StoreFields): Promise<number>
  /** Deletes every vector whose fields are equal, all of them for `{}`, and returns how many there were. */
  deleteWhere(where: StoreFields): Promise<number>
}

export interface StoreShapes {
  readonly kv: KeyValueStore
  readonly records: RecordStore
  readonly vectors: VectorStore
}
export type StoreShape = keyof StoreShapes

/** An open store. `name` keeps users of one store apart: equal names see the same data. */
export interface OpenStore {
  kv?(name: string): KeyValueStore
  records?(name: string): RecordStore
  vectors?(name: string, options: { readonly dimensions: number }): VectorStore
  /** Whether it can be reached: undefined when it can, otherwise why not. */
  health?(): Promise<string | undefined>
  close(): Promise<void>
}
