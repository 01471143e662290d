import { createFakeInference } from "rtr/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type ErrorCode, errorCodes, RtrError } from "../../../ts/kernel/error.ts"
import { readSignals, reasonOf } from "../../../ts/kernel/pipeline/signals.ts"
import type { SignalReadings } from "../../../ts/kernel/types/call.ts"
import type { Inference } from "../../../ts/kernel/types/inference.ts"
import type { Plan, SignalFamily } from "../../../ts/kernel/types/plan.ts"
import { createCall } from "../../fakes/call.ts"
import { createFamily, createPlan } from "../../fakes/plan.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const target = { deployment: "starter", head: undefined, whole: false }
const input = { text: "hello", request: { model: "MoM", messages: [] } }
const fact = (rule: string, changes: object = {}) => ({ rule, state: "match", confidence: 1, ...changes }) as const
const unknown = (rule: string, reason: string) => ({ rule, state: "unknown", confidence: 0, reason })
const never = (): Promise<never> => new Promise(() => {})

function read(
  families: readonly SignalFamily[],
  { inference, ...changes }: Partial<Plan> & { inference?: Inference } = {},
): Promise<SignalReadings> {
  const slotCount = families.reduce((count, { rules }) => count + rules.length, 0)
  return readSignals({ plan: createPlan({ signals: families, slotCount, ...changes }), inference }, createCall(), input)
}

describe("facts", () => {
  test("stand in the slots of their rules, whatever order they come in", async () => {
    const readings = await read([
      createFamily("first", { rules: ["a", "b"], read: () => [fact("b", { confidence: 0.2 }), fact("a")] }),
      createFamily("second", { rules: ["c"], firstSlot: 2, read: async () => [fact("c", { value: 3 })] }),
    ])
    expect(readings.facts).toEqual([fact("a"), fact("b", { confidence: 0.2 }), fact("c", { value: 3 })])
    expect(Object.keys(readings.familyMs)).toEqual(["first", "second"])
    expect(readings.totalMs).toBeGreaterThanOrEqual(0)
  })

  test("see the input", async () => {
    const seen: unknown[] = []
    await read([
      createFamily("spy", {
        read: (given) => {
          seen.push(given)
          return []
        },
      }),
    ])
    expect(seen).toEqual([input])
  })

  test("that are missing are unknown", async () => {
    const sync = createFamily("sync", { rules: ["a", "b"], read: () => [fact("b")] })
    const later = createFamily("later", { rules: ["c"], firstSlot: 2, read: async () => [fact("x")] })
    expect((await read([sync, later])).facts).toEqual([unknown("a", "failed"), fact("b"), unknown("c", "failed")])
  })

  test.each([{ state: "matched" }, { confidence: 93 }, { confidence: undefined }, { confidence: Number.NaN }])(
    "that make no sense are unknown: %j",
    async (changes) => {
      const family = createFamily("odd", { rules: ["a"], read: () => [fact("a", changes)] as never })
      expect((await read([family])).facts).toEqual([unknown("a", "failed")])
    },
  )

  test("that a signal could not read are told once it throws something of its own", async () => {
    const faults: unknown[] = []
    const failing = (error: unknown, wait: boolean) =>
      createFamily("bad", {
        read: () => {
          if (wait) return Promise.reject(error)
          throw error
        },
      })
    const families = [failing(new Error("sync"), false), failing(new Error("async"), true)]
    const plan = createPlan({ signals: families, slotCount: 2 })
    const onFault = (module: string, error: unknown): void => void faults.push([module, String(error)])
    await readSignals({ plan, inference: undefined, onFault }, createCall(), input)
    expect(faults).toEqual([
      ["signal bad", "Error: sync"],
      ["signal bad", "Error: async"],
    ])
  })

  test.each([undefined, null, {}, "facts", [null], [undefined, 5]])(
    "of a module that returns %j are unknown",
    async (result) => {
      const sync = createFamily("sync", { read: () => result as never })
      const later = createFamily("later", { firstSlot: 1, read: async () => result as never })
      expect((await read([sync, later])).facts).toEqual([unknown("rule", "failed"), unknown("rule", "failed")])
    },
  )

  test("of no family are none", async () => {
    expect(await read([])).toMatchObject({ facts: [], familyMs: {} })
  })
})

describe("a family that fails", () => {
  test.each<[string, unknown, string]>([
    ["an error", new Error("secret text"), "failed"],
    ["no error at all", "text", "failed"],
    ["a known error", new RtrError("overloaded", "busy"), "overloaded"],
  ])("with %s has unknown facts, and the others stand", async (_, error, reason) => {
    const sync = createFamily("sync", {
      read: () => {
        throw error
      },
    })
    const later = createFamily("later", { firstSlot: 1, read: () => Promise.reject(error) })
    const fine = createFamily("fine", { firstSlot: 2, read: () => [fact("rule")] })
    const readings = await read([sync, later, fine])
    expect(readings.facts).toEqual([unknown("rule", reason), unknown("rule", reason), fact("rule")])
    expect(Object.keys(readings.familyMs).toSorted()).toEqual(["fine", "later", "sync"])
  })

  test("without the model it asks has unknown facts", async () => {
    const asking = createFamily("asking", {
      target,
      read: async (_, ask) => {
        await ask.embed("x")
        return [fact("rule")]
      },
    })
    expect((await read([asking])).facts).toEqual([unknown("rule", "unavailable")])
  })

  test("because it asks without having said so has unknown facts", async () => {
    const sneaky = (need: "classify" | "embed", firstSlot: number): SignalFamily =>
      createFamily(need, { firstSlot, read: async (_, ask) => [await ask[need]("x").then(() => fact("rule"))] })
    const readings = await read([sneaky("classify", 0), sneaky("embed", 1)], { inference: createFakeInference() })
    expect(readings.facts).toEqual([unknown("rule", "unavailable"), unknown("rule", "unavailable")])
  })
})

describe("the deadline", () => {
  const slow = createFamily("slow", { read: never })
  const quick = createFamily("quick", { firstSlot: 1, read: async () => [fact("rule")] })

  test("makes late facts unknown and keeps the others", async () => {
    const reading = read([slow, quick], { signalTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50)
    expect((await reading).facts).toEqual([unknown("rule", "timeout"), fact("rule")])
  })

  test("is 45 seconds when the document sets none", async () => {
    let settled = false
    const reading = read([slow]).then((readings) => {
      settled = true
      return readings
    })
    await vi.advanceTimersByTimeAsync(44_999)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await reading).facts).toEqual([unknown("rule", "timeout")])
  })

  test("ignores what comes after it", async () => {
    let finish = (_facts: readonly ReturnType<typeof fact>[]): void => {}
    let fail = (_error: Error): void => {}
    const late = createFamily("late", { read: () => new Promise((resolve) => (finish = resolve)) })
    const failing = createFamily("failing", { firstSlot: 1, read: () => new Promise((_, reject) => (fail = reject)) })
    const reading = read([late, failing], { signalTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50)
    const readings = await reading
    const before = structuredClone(readings)
    finish([fact("rule")])
    fail(new Error("late"))
    await vi.advanceTimersByTimeAsync(10)
    expect(readings).toEqual(before)
  })

  test("leaves no timer behind when all is read in time", async () => {
    await read([quick], { signalTimeoutMs: 50 })
    expect(vi.getTimerCount()).toBe(0)
  })

  test("needs no timer for signals that answer at once", async () => {
    await read([createFamily("sync", { read: () => [fact("rule")] })])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("questions", () => {
  const asking = (type: string, firstSlot: number, changes: Partial<SignalFamily> = {}): SignalFamily =>
    createFamily(type, {
      target,
      firstSlot,
      read: async ({ text }, ask) => {
        await ask.embed(`${type} ${text}`)
        return [fact("rule")]
      },
      ...changes,
    })

  test("of all families leave as one call", async () => {
    const inference = createFakeInference()
    const readings = await read([asking("a", 0), createFamily("plain", { firstSlot: 1 }), asking("b", 2)], {
      inference,
    })
    expect(inference.calls.map((tasks) => tasks.map(({ text }) => text))).toEqual([["a hello", "b hello"]])
    expect(readings.facts.map((each) => each?.state)).toEqual(["match", "match", "match"])
  })

  test("do not wait for a family that answers without asking, throws, or is done", async () => {
    const inference = createFakeInference()
    const quiet = asking("quiet", 0, { read: () => [fact("rule")] })
    const quietLater = asking("quiet later", 1, { read: async () => [fact("rule")] })
    const broken = asking("broken", 2, {
      read: () => {
        throw new Error("x")
      },
    })
    await read([quiet, quietLater, broken, asking("asks", 3)], { inference })
    expect(inference.calls.map((tasks) => tasks.length)).toEqual([1])
    expect(vi.getTimerCount()).toBe(0)
  })

  test("that fail make the facts of their family unknown with the reason", async () => {
    const failWith = new RtrError("max_length_exceeded", "too long")
    expect((await read([asking("a", 0)], { inference: createFakeInference({ failWith }) })).facts).toEqual([
      unknown("rule", "input_limit"),
    ])
  })

  test("past the deadline are a time-out", async () => {
    const reading = read([asking("a", 0)], {
      inference: createFakeInference({ delayMs: 1000 }),
      signalTimeoutMs: 20,
    })
    await vi.advanceTimersByTimeAsync(20)
    expect((await reading).facts).toEqual([unknown("rule", "timeout")])
    await vi.advanceTimersByTimeAsync(1000)
  })

  test("know the deadline and when the client has left", async () => {
    const seen: unknown[] = []
    const inference: Inference = {
      ...createFakeInference(),
      bundle: async (_, options) => {
        seen.push(options)
        return []
      },
    }
    const call = createCall()
    const plan = createPlan({ signals: [asking("a", 0)], slotCount: 1, signalTimeoutMs: 77 })
    await readSignals({ plan, inference }, call, input)
    expect(seen).toEqual([{ deadlineMs: 77, signal: call.signal }])
  })
})

describe("reasons", () => {
  const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
    deadline_exceeded: "timeout",
    upstream_timeout: "timeout",
    unavailable: "unavailable",
    not_ready: "unavailable",
    upstream_unavailable: "unavailable",
    overloaded: "overloaded",
    max_length_exceeded: "input_limit",
    scan_budget_exceeded: "input_limit",
    request_too_large: "input_limit",
    unread_words: "unread_words",
    invalid_request: "rejected",
    invalid_input: "rejected",
    model_not_found: "rejected",
    unsupported_surface: "rejected",
  }

  test.each(Object.keys(errorCodes) as ErrorCode[])("%s is one of a few", (code) =>
    expect(reasonOf(new RtrError(code, "x"))).toBe(reasons[code] ?? "failed"),
  )

  test.each([undefined, null, "text", new TypeError("x")])("%s is a failure", (error) =>
    expect(reasonOf(error)).toBe("failed"),
  )
})
