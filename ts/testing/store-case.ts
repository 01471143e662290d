// What the cases of every store shape use.

import { type ErrorCode, isRtrError, type JsonValue, type OpenStore, type StoreFields } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"

/** An open store for one case, with a name that no other case uses and a clock that the case moves. */
export interface CaseStore {
  readonly store: OpenStore
  readonly name: string
  readonly advance: (milliseconds: number) => void
}

export type WithStore = (run: (store: CaseStore) => Promise<void>) => Promise<void>

/** Makes cases of one store shape. `openShape` gives undefined when the store does not have it. */
export function casesOf<Shape>(
  label: string,
  withStore: WithStore,
  openShape: (store: OpenStore, name: string) => Shape | undefined,
): (name: string, run: (shape: Shape, store: CaseStore) => Promise<void>) => ContractCase {
  return (name, run) =>
    contractCase(`${label}: ${name}`, () =>
      withStore(async (store) => {
        const shape = openShape(store.store, store.name)
        expectThat(shape !== undefined, `the shape ${label}`)
        await run(shape, store)
      }),
    )
}

/** Throws unless both are the same as JSON, with the keys of objects in any order. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [canonical(actual), canonical(expected)]
  expectThat(got === wanted, `${what}: ${shorten(wanted)}, got ${shorten(got)}`)
}

/** Throws unless the call rejects with this code. It must reject, not throw. */
export async function expectRejection(code: ErrorCode, call: () => Promise<unknown>): Promise<void> {
  let promise: Promise<unknown>
  try {
    promise = call()
  } catch (error) {
    throw new Error(`Expected a rejected promise, but the call threw`, { cause: error })
  }
  const outcome = await promise.then(
    () => "an answer",
    (error: unknown) => (isRtrError(error) ? error.code : String(error)),
  )
  expectThat(outcome === code, `a rejection with ${code}, got ${outcome}`)
}

/** Keys and ids that broke stores elsewhere, in ascending order. */
export const awkwardKeys: readonly string[] = [
  "",
  "\0",
  "\0a",
  " ",
  "%",
  "'; DROP TABLE items; --",
  "A",
  "__proto__",
  "a",
  "a\0b",
  "a\0c",
  "constructor",
  "e\u0301",
  "k".repeat(1000),
  "toString",
  "\u00e9",
  "漢字",
  "\uffee",
  "😀",
  "\u{10ffff}",
]

/** Values that must come back as they were. Own keys such as `__proto__` are data. */
export const awkwardValues: readonly JsonValue[] = [
  null,
  false,
  true,
  0,
  -1.5,
  Number.MAX_SAFE_INTEGER,
  5e-324,
  Number.MAX_VALUE,
  "",
  "\0 \ud800 😀 \u2028",
  [],
  {},
  [null, [1, { a: [] }]],
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "": 2}') as JsonValue,
  { long: "x".repeat(1_000_000) },
]

/** Fields whose names and types broke stores elsewhere. */
export const awkwardFields: StoreFields = {
  ...(JSON.parse('{"constructor": "c", "toString": "t", "": "empty"}') as StoreFields),
  ["__proto__"]: "p",
  "a.b": "dot",
  "$.a['\"]": "path",
  "😀": "\ud800\0",
  number: 0.1,
  yes: true,
}

function canonical(value: unknown): string {
  return String(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1))
        : part,
    ),
  )
}

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
