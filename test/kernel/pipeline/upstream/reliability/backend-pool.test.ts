import { expect, test } from "vitest"
import {
  createBackendPool,
  type PooledBackend,
} from "../../../../../ts/kernel/pipeline/upstream/reliability/backend-pool.ts"
import { createBackend } from "../../../../fakes/plan.ts"

const ejection = { consecutive: 2, failureShare: undefined, baseMs: 1000, maxShare: 1, probes: 1 }
const nothing: ReadonlySet<PooledBackend> = new Set()

function poolOf(settings: object = {}, backends = ["a", "b"]) {
  const clock = { ms: 0 }
  const pool = createBackendPool(
    { backends: backends.map((name) => ({ ...createBackend(name.slice(0, 1), Number(name.slice(1) || 1)) })) },
    { ejection, leastRequest: false, ...settings },
    () => clock.ms,
  )
  const pick = (): PooledBackend => pool.pick(nothing)
  const call = (end: "good" | "failed" | "neither"): string => {
    const picked = pick()
    const ejected = picked.health?.begin()(end)
    return `${picked.backend.name}${ejected === true ? "!" : ""}`
  }
  const calls = (count: number, ends: Readonly<Record<string, "good" | "failed">>): string =>
    Array.from({ length: count }, () => {
      const picked = pick()
      const ejected = picked.health?.begin()(ends[picked.backend.name] ?? "good")
      return `${picked.backend.name}${ejected === true ? "!" : ""}`
    }).join(" ")
  return { pool, clock, pick, call, calls }
}

test("backends take turns by weight, and those of a higher number wait", () => {
  expect(poolOf({}, ["a3", "b1"]).calls(8, {})).toMatch(/^(?=(?:.*a){6})(?=(?:.*b){2})/)
  expect(poolOf().calls(4, {})).toBe("a b a b")
})

test("further attempts have turns of their own: they move neither the first choices nor each other off their weights", () => {
  for (const [names, firsts, others] of [
    [["a", "b"], "a b a b a b a b", "b a b a b a b a"],
    [["a", "b", "c"], "a b c a b c a b c", /^b /],
  ] as const) {
    const { pool, pick } = poolOf({}, [...names])
    const rounds = firsts.split(" ").map(() => {
      const first = pick()
      return [first, pool.pick(new Set([first]))].map(({ backend }) => backend.name)
    })
    expect(rounds.map(([first]) => first).join(" ")).toBe(firsts)
    expect(rounds.map(([, other]) => other).join(" ")).toMatch(others)
  }
  // The same backend fails always: the others stand in by their weights.
  const { pool } = poolOf({}, ["a1", "b2", "c1"])
  const tried = new Set(pool.all.slice(0, 1))
  const names = Array.from({ length: 9 }, () => pool.pick(tried).backend.name)
  expect(["b", "c"].map((name) => names.filter((each) => each === name).length)).toEqual([6, 3])
})

test("the backend with the fewest calls for its weight is next", () => {
  const { pick } = poolOf({ leastRequest: true }, ["a2", "b1"])
  const names = Array.from({ length: 6 }, () => {
    const picked = pick()
    picked.active += 1
    return picked.backend.name
  })
  expect([names.filter((name) => name === "a").length, names.filter((name) => name === "b").length]).toEqual([4, 2])
})

test("a backend is ejected after failures in a row, probed when its time is over, and comes back with the first success", () => {
  const { calls, clock } = poolOf()
  expect(calls(4, { a: "failed" })).toBe("a b a! b")
  expect(calls(3, { a: "failed" })).toBe("b b b")
  clock.ms = 1000
  // The probe fails: twice as long this time.
  expect(calls(4, { a: "failed" })).toContain("a!")
  clock.ms = 2500
  expect(calls(3, {})).toBe("b b b")
  clock.ms = 3001
  // It does not catch up on what it missed.
  expect(calls(6, {})).toBe("a a b a b a")
})

test("one probe runs at a time", () => {
  const { pool, pick, calls, clock } = poolOf({}, ["a", "b"])
  calls(4, { a: "failed" })
  clock.ms = 1000
  const probe = [pick(), pick()].find(({ backend }) => backend.name === "a") as PooledBackend
  const end = probe.health?.begin()
  expect([probe.health?.state(), calls(3, {})]).toEqual(["out", "b b b"])
  // A call that says nothing leaves it on probation.
  end?.("neither")
  expect([probe.health?.state(), pool.isDown()]).toEqual(["probe", false])
})

test("where all are out, the one that comes back first is tried", () => {
  const { pool, clock, call } = poolOf()
  const ends = [call("failed"), call("failed"), call("failed")]
  clock.ms = 10
  ends.push(call("failed"))
  expect([ends, pool.isDown(), call("failed")]).toEqual([["a", "b", "a!", "b!"], true, "a"])
})

test("no more are ejected than the share allows, but one may always be", () => {
  expect(poolOf({ ejection: { ...ejection, maxShare: 0.5 } }).calls(6, { a: "failed", b: "failed" })).toBe(
    "a b a! b b b",
  )
  expect(poolOf({ ejection: { ...ejection, maxShare: 0.1 } }).calls(4, { a: "failed" })).toBe("a b a! b")
  expect(poolOf({ ejection: { ...ejection, maxShare: 0 } }).calls(4, { a: "failed" })).toBe("a b a b")
})

test("a share of failures counts when there are calls enough", () => {
  const rate = { ...ejection, consecutive: undefined, failureShare: 0.5 }
  const { pool, call } = poolOf({ ejection: rate }, ["a"])
  const ends = Array.from({ length: 12 }, (_, index) => call(index % 2 === 0 ? "failed" : "good"))
  expect([ends.slice(0, 10).join(""), ends.join("").includes("!"), pool.isDown()]).toEqual(["aaaaaaaaaa", true, true])
})

test("what was tried and what wants to rest comes last", () => {
  const { pool, clock } = poolOf({}, ["a", "b", "c"])
  const [a, b, c] = pool.all as readonly [PooledBackend, PooledBackend, PooledBackend]
  const name = (...tried: readonly PooledBackend[]): string => pool.pick(new Set(tried)).backend.name
  expect([name(a, b), name(a, c), pool.freeInMs()]).toEqual(["c", "b", 0])
  b.restsUntil = 5
  c.restsUntil = 7
  expect([name(a, b, c), name(b, c), name(), pool.freeInMs()]).toEqual(["a", "a", "a", 0])
  a.restsUntil = 9
  // All rest: what was not tried, and of that the one that is free first.
  expect([name(), name(b), name(a, b, c), pool.freeInMs()]).toEqual(["b", "c", "b", 5])
  clock.ms = 6
  expect([name(a), name(a, b), pool.freeInMs()]).toEqual(["b", "b", 0])
})

test("the wait is for a backend that is not out", () => {
  const { pool, call } = poolOf({ ejection: { ...ejection, consecutive: 1 } })
  const [, b] = pool.all as readonly [PooledBackend, PooledBackend]
  b.restsUntil = 500
  expect([call("failed"), pool.freeInMs(), pool.pick(nothing).backend.name]).toEqual(["a!", 500, "b"])
})
