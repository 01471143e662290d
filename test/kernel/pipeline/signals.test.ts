import { stat } from "node:fs"
import { loadGuardTexts } from "rtr"
import { createFakeInference } from "rtr/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { readSignals, type RequestInput, toSignalInput } from "../../../ts/kernel/pipeline/signals.ts"
import type { CancelSignal } from "../../../ts/kernel/types/cancel-signal.ts"
import type { SignalReadings } from "../../../ts/kernel/types/call.ts"
import type { BatchedQuestions, Inference } from "../../../ts/kernel/types/inference.ts"
import type { PlannedSignal } from "../../../ts/kernel/types/plan.ts"
import { createPlannedSignal, defaultTarget as target } from "../../fakes/planned-signal.ts"
import { inputOf, user } from "../../fakes/signal-input.ts"
import { createQuestionBatch } from "../../../ts/kernel/pipeline/question-batch.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const newInput = (): RequestInput => inputOf([user("hello")])
const fact = (rule: string, changes: object = {}) => ({ rule, state: "match", confidence: 1, ...changes }) as const
const unknown = (rule: string, reason: string) => ({ rule, state: "unknown", confidence: 0, reason })
/** The turn of the event loop behind the deadline. */
const lastTurnMs = 1
const never = (): Promise<never> => new Promise(() => {})
const call = {
  signal: new AbortController().signal,
  client: { aborted: false, addEventListener() {}, removeEventListener() {} },
}

interface ReadOptions {
  readonly client?: CancelSignal
  readonly inference?: Inference
  readonly signalTimeoutMs?: number
  readonly input?: RequestInput
  readonly onModuleError?: (module: string, error: unknown) => void
  readonly factTypes?: ReadonlyMap<string, boolean>
}

function readNow(
  signals: readonly PlannedSignal[],
  {
    inference,
    signalTimeoutMs = 1000,
    input = newInput(),
    onModuleError,
    client = call.client,
    factTypes,
  }: ReadOptions = {},
): SignalReadings | Promise<SignalReadings> {
  const slotCount = signals.reduce((count, { rules }) => count + rules.length, 0)
  return readSignals(
    {
      plan: { signals, slotCount, signalTimeoutMs, ...(factTypes && { factTypes }) },
      inference,
      onModuleError,
      createQuestionBatch,
    },
    { ...call, client },
    input,
  )
}
const read = async (...given: Parameters<typeof readNow>): Promise<SignalReadings> => readNow(...given)

test("the input is the text of the last user turn, with the request and who sent it", async () => {
  const { request, principal } = inputOf([user("one"), user("two")])
  const header = (): undefined => undefined
  const input = toSignalInput(
    { request, principal, header },
    { plan: { dialects: new Map() }, guardTexts: await loadGuardTexts() },
  )
  expect(input).toEqual({ text: "two", request, principal, header, factsOf: expect.any(Function) })
  expect(input.textsFor({ name: "any" })).toEqual(["one", "two"])
  expect(input.factsOf("keyword")).toEqual([])
  const withoutGuard = toSignalInput({ request, principal, header }, { plan: { dialects: new Map() } })
  expect(() => withoutGuard.textsFor({ name: "any" })).toThrow(/for guards/)
})

describe("facts", () => {
  test("stand in the slots of their rules, whatever order they come in", async () => {
    const readings = await read([
      createPlannedSignal("first", { rules: ["a", "b"], read: () => [fact("b", { confidence: 0.2 }), fact("a")] }),
      createPlannedSignal("second", { rules: ["c"], firstSlot: 2, read: async () => [fact("c", { value: 3 })] }),
    ])
    expect(readings.facts).toEqual([fact("a"), fact("b", { confidence: 0.2 }), fact("c", { value: 3 })])
    expect(Object.keys(readings.typeMs)).toEqual(["first", "second"])
    expect(readings.totalMs).toBeGreaterThanOrEqual(0)
  })

  test("see the input", async () => {
    const seen: unknown[] = []
    const input = newInput()
    const spy = (given: unknown): [] => {
      seen.push(given)
      return []
    }
    await readNow([createPlannedSignal("spy", { read: spy })], { input })
    expect(seen).toEqual([input])
  })

  test("that are missing are unknown", async () => {
    const sync = createPlannedSignal("sync", { rules: ["a", "b"], read: () => [fact("b")] })
    const later = createPlannedSignal("later", { rules: ["c"], firstSlot: 2, read: async () => [fact("x")] })
    expect((await read([sync, later])).facts).toEqual([unknown("a", "failed"), fact("b"), unknown("c", "failed")])
  })

  test("that make no sense are unknown", async () => {
    for (const changes of [
      { state: "matched" },
      { confidence: 93 },
      { confidence: undefined },
      { confidence: Number.NaN },
    ]) {
      const signal = createPlannedSignal("odd", { rules: ["a"], read: () => [fact("a", changes)] as never })
      expect([changes, (await read([signal])).facts]).toEqual([changes, [unknown("a", "failed")]])
    }
  })

  test("that break the contract are told once, with the rules and without a word of the module", async () => {
    const faultsOf = async (facts: unknown, later = false): Promise<readonly unknown[]> => {
      const told: unknown[] = []
      const signal = createPlannedSignal("odd", {
        rules: ["a", "b"],
        read: () => (later ? Promise.resolve(facts) : facts) as never,
      })
      await read([signal], { onModuleError: (module, error) => void told.push([module, (error as Error).message]) })
      return told
    }
    const b = fact("b")
    const cases: readonly (readonly [facts: unknown, fault: string])[] = [
      ["secret", "it returned no list"],
      [undefined, "it returned no list"],
      [[b], 'there is none for rule "a"'],
      [[fact("a"), b, fact("a", { state: "no_match" })], 'there are 2 for rule "a"'],
      [[fact("a"), fact("a")], 'there are 2 for rule "a"; there is none for rule "b"'],
      [[fact("a", { value: Number.NaN }), b], 'the value of rule "a" must be a finite number'],
      [[fact("a", { value: Infinity }), b], 'the value of rule "a" must be a finite number'],
      [[fact("a", { value: "secret" }), b], 'the value of rule "a" must be a finite number'],
      [[fact("a"), b, fact("secret")], "there is one for a rule that is not in the document"],
      [[fact("a"), b, null], "there is one for a rule that is not in the document"],
      [[fact("a", { state: "secret" }), b], 'the state of rule "a" must be match, no_match or unknown'],
      [[fact("a", { confidence: 93 }), b], 'the confidence of rule "a" is 93 and must be from 0 to 1'],
      [[fact("a", { confidence: Number.NaN }), b], 'the confidence of rule "a" is NaN and must be from 0 to 1'],
      [[fact("a", { confidence: "secret" }), b], 'the confidence of rule "a" is no number and must be from 0 to 1'],
      [
        [{ rule: "a", state: "unknown", confidence: 0, reason: "text secret" }, b],
        'the reason of rule "a" must be one of input_limit, unread_words, unreadable_content, abstained, unsupported_language, timeout, unavailable, overloaded, rejected, failed',
      ],
      [
        [fact("secret")],
        'there is none for rule "a"; there is none for rule "b"; there is one for a rule that is not in the document',
      ],
    ]
    for (const [facts, fault] of cases)
      for (const later of [false, true])
        expect(await faultsOf(facts, later)).toEqual([
          ["signal odd", `Signal "odd" must return one fact for each of its rules: ${fault}`],
        ])
    expect(await faultsOf([b, fact("a", { state: "unknown", confidence: 0 })])).toEqual([])
  })

  test("that a signal could not read are told once it throws something of its own", async () => {
    const errors: unknown[] = []
    const failing = (error: unknown, wait: boolean, firstSlot: number): PlannedSignal =>
      createPlannedSignal("bad", {
        firstSlot,
        read: () => {
          if (wait) return Promise.reject(error)
          throw error
        },
      })
    await read([failing(new Error("sync"), false, 0), failing(new Error("async"), true, 1)], {
      onModuleError: (module, error) => void errors.push([module, String(error)]),
    })
    expect(errors).toEqual([
      ["signal bad", "Error: sync"],
      ["signal bad", "Error: async"],
    ])
  })

  test("of a module that returns anything else are unknown", async () => {
    for (const result of [undefined, null, {}, "facts", [null], [undefined, 5]]) {
      const sync = createPlannedSignal("sync", { read: () => result as never })
      const later = createPlannedSignal("later", { firstSlot: 1, read: async () => result as never })
      expect((await read([sync, later])).facts).toEqual([unknown("rule", "failed"), unknown("rule", "failed")])
    }
  })

  test("come without a promise when every signal answers at once", () => {
    const readings = readNow([
      createPlannedSignal("a"),
      createPlannedSignal("b", { firstSlot: 1, level: 1, read: ({ factsOf }) => factsOf("a") }),
    ])
    expect(readings).toMatchObject({ facts: [fact("rule"), fact("rule")] })
    expect(readNow([createPlannedSignal("a", { read: async () => [] })])).toBeInstanceOf(Promise)
  })

  test("of no signal are none", async () => {
    expect(await read([])).toMatchObject({ facts: [], typeMs: {} })
  })
})

describe("a signal that fails", () => {
  const errors: readonly (readonly [what: string, error: unknown, reason: string])[] = [
    ["an error", new Error("secret text"), "failed"],
    ["no error at all", "text", "failed"],
    ["a known error", new RtrError("overloaded", "busy"), "overloaded"],
  ]
  test.each(errors)("with %s has unknown facts, and the others stand", async (_, error, reason) => {
    const sync = createPlannedSignal("sync", {
      read: () => {
        throw error
      },
    })
    const later = createPlannedSignal("later", { firstSlot: 1, read: () => Promise.reject(error) })
    const fine = createPlannedSignal("fine", { firstSlot: 2, read: () => [fact("rule")] })
    const readings = await read([sync, later, fine])
    expect(readings.facts).toEqual([unknown("rule", reason), unknown("rule", reason), fact("rule")])
    expect(Object.keys(readings.typeMs).toSorted()).toEqual(["fine", "later", "sync"])
  })

  test("without the model it asks has unknown facts", async () => {
    const asking = createPlannedSignal("asking", {
      target,
      read: async (_, ask) => {
        await ask.embed("x")
        return [fact("rule")]
      },
    })
    expect((await read([asking])).facts).toEqual([unknown("rule", "unavailable")])
  })

  test("because it asks without having said so has unknown facts", async () => {
    const asks: readonly ((questions: BatchedQuestions) => Promise<unknown>)[] = [
      ({ classify }) => classify("x"),
      ({ spans }) => spans("x"),
      ({ embed }) => embed("x"),
      ({ decide }) => decide("x", { type: "noul" }),
      ({ rerank }) => rerank("x", ["y"]),
    ]
    const sneaky = asks.map((ask, firstSlot) =>
      createPlannedSignal(`sneaky ${firstSlot}`, {
        firstSlot,
        read: async (_, questions) => [await ask(questions).then(() => fact("rule"))],
      }),
    )
    const inference = createFakeInference()
    expect((await read(sneaky, { inference })).facts).toEqual(asks.map(() => unknown("rule", "unavailable")))
    expect(inference.calls).toEqual([])
  })
})

describe("a signal that comes after others", () => {
  const later = (reader: PlannedSignal["read"]): PlannedSignal =>
    createPlannedSignal("later", { level: 1, read: reader })

  test("sees their facts, whatever the order in the plan, and whether they come at once or not", async () => {
    for (const first of [() => [fact("a"), fact("b")], async () => [fact("a"), fact("b")]]) {
      const seen: unknown[] = []
      const readings = await read([
        later(({ factsOf }) => {
          seen.push(factsOf("first"), factsOf("later"), factsOf("no such type"))
          return [fact("rule")]
        }),
        createPlannedSignal("first", { rules: ["a", "b"], firstSlot: 1, read: first }),
      ])
      expect(seen).toEqual([[fact("a"), fact("b")], [], []])
      expect(readings.facts).toEqual([fact("rule"), fact("a"), fact("b")])
      expect(Object.keys(readings.typeMs).toSorted()).toEqual(["first", "later"])
    }
  })

  test("is unknown where it asks for facts that are not read, or not yet", async () => {
    const factTypes = new Map([
      ["first", true],
      ["later", true],
      ["empty", true],
      ["unread", false],
    ])
    const asking = async (type: string, level = 1) => {
      const told: string[] = []
      const input = newInput()
      const { facts } = await read(
        [
          createPlannedSignal("later", {
            level,
            read: ({ factsOf }) => [fact("rule", { value: factsOf(type).length })],
          }),
          createPlannedSignal("first", { firstSlot: 1 }),
        ],
        { factTypes, input, onModuleError: (_, error) => void told.push((error as Error).message) },
      )
      // A selector may ask for what is there.
      return [facts[0], ...told, input.factsOf(type).length]
    }
    expect(await asking("first")).toEqual([fact("rule", { value: 1 }), 1])
    expect(await asking("empty")).toEqual([fact("rule", { value: 0 }), 0])
    expect(await asking("first", 0)).toEqual([
      unknown("rule", "failed"),
      'Cannot tell facts of "first" yet: name it in the "after" of the signal',
      1,
    ])
    expect(await asking("unread")).toEqual([
      unknown("rule", "failed"),
      'Cannot tell facts of "unread": nobody asks for its rules; name it in the "after" of the signal',
      0,
    ])
    expect(await asking("secret")).toEqual([
      unknown("rule", "failed"),
      "The signal asks for facts of a type that no signal has; there are first, later, empty, unread",
      0,
    ])
  })

  test("sees unknown facts where they failed", async () => {
    const failing = createPlannedSignal("first", { firstSlot: 1, read: () => Promise.reject(new Error("x")) })
    const readings = await read([later(({ factsOf }) => factsOf("first")), failing])
    expect(readings.facts).toEqual([unknown("rule", "failed"), unknown("rule", "failed")])
  })

  test("shares the one deadline with them, and is read all the same", async () => {
    const slow = createPlannedSignal("first", { firstSlot: 1, read: never })
    const alsoSlow = createPlannedSignal("slow", { firstSlot: 2, level: 1, read: never })
    const reading = read([later(({ factsOf }) => factsOf("first")), slow, alsoSlow], { signalTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50 + 3 * lastTurnMs)
    expect((await reading).facts).toEqual([0, 1, 2].map(() => unknown("rule", "timeout")))
  })

  test("asks its model in a call of its own", async () => {
    const inference = createFakeInference()
    const asking = (type: string, changes: Partial<PlannedSignal>): PlannedSignal =>
      createPlannedSignal(type, {
        target,
        read: async (_, { embed }) => [await embed(type).then(() => fact("rule"))],
        ...changes,
      })
    await read([asking("a", {}), asking("c", { firstSlot: 2, level: 1 }), asking("b", { firstSlot: 1 })], { inference })
    expect(inference.calls.map((tasks) => tasks.map(({ text }) => text))).toEqual([["a", "b"], ["c"]])
  })
})

describe("a client that leaves", () => {
  test("ends the wait for signals, also when it had left before", async () => {
    const leaving = new AbortController()
    const slow = createPlannedSignal("slow", { read: never })
    for (const leave of [() => leaving.abort(), () => {}]) {
      const reading = read([slow], { client: leaving.signal }).catch((error: unknown) => error)
      leave()
      expect(await reading).toMatchObject({ code: "client_closed_request" })
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})

describe("the deadline", () => {
  const slow = createPlannedSignal("slow", { read: never })
  const quick = createPlannedSignal("quick", { firstSlot: 1, read: async () => [fact("rule")] })

  test("makes late facts unknown and keeps the others", async () => {
    const reading = read([slow, quick], { signalTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50 + lastTurnMs)
    expect((await reading).facts).toEqual([unknown("rule", "timeout"), fact("rule")])
  })

  test("ignores what comes after it", async () => {
    let finish = (_facts: readonly ReturnType<typeof fact>[]): void => {}
    let fail = (_error: Error): void => {}
    const late = createPlannedSignal("late", { read: () => new Promise((resolve) => (finish = resolve)) })
    const failing = createPlannedSignal("failing", {
      firstSlot: 1,
      read: () => new Promise((_, reject) => (fail = reject)),
    })
    const reading = read([late, failing], { signalTimeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50 + lastTurnMs)
    const readings = await reading
    const before = structuredClone(readings)
    finish([fact("rule")])
    fail(new Error("late"))
    await vi.advanceTimersByTimeAsync(10)
    expect(readings).toEqual(before)
  })

  test("counts what has arrived while another signal held the event loop", async () => {
    vi.useRealTimers()
    const arrived = Promise.withResolvers<void>()
    const holding = createPlannedSignal("holding", {
      read: () =>
        new Promise((resolve) => {
          // Node runs timers that are due before it looks for files and sockets that are ready.
          stat(import.meta.filename, () => {
            stat(import.meta.filename, () => arrived.resolve())
            const end = performance.now() + 100
            while (performance.now() < end);
            resolve([fact("rule")])
          })
        }),
    })
    const waiting = createPlannedSignal("waiting", {
      firstSlot: 1,
      read: async () => {
        await arrived.promise
        return [fact("rule")]
      },
    })
    expect((await read([holding, waiting], { signalTimeoutMs: 50 })).facts).toEqual([fact("rule"), fact("rule")])
  })

  test("leaves no timer behind when all is read in time", async () => {
    await read([quick], { signalTimeoutMs: 50 })
    expect(vi.getTimerCount()).toBe(0)
  })

  test("needs no timer for signals that answer at once", async () => {
    await read([createPlannedSignal("sync", { read: () => [fact("rule")] })])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("questions", () => {
  const asking = (type: string, firstSlot: number, changes: Partial<PlannedSignal> = {}): PlannedSignal =>
    createPlannedSignal(type, {
      target,
      firstSlot,
      read: async ({ text }, ask) => {
        await ask.embed(`${type} ${text}`)
        return [fact("rule")]
      },
      ...changes,
    })

  test("of all signals leave as one call", async () => {
    const inference = createFakeInference()
    const readings = await read([asking("a", 0), createPlannedSignal("plain", { firstSlot: 1 }), asking("b", 2)], {
      inference,
    })
    expect(inference.calls.map((tasks) => tasks.map(({ text }) => text))).toEqual([["a hello", "b hello"]])
    expect(readings.facts.map((each) => each?.state)).toEqual(["match", "match", "match"])
  })

  test("do not wait for a signal that answers without asking, throws, or is done", async () => {
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

  test("that fail make the facts of their signal unknown with the reason", async () => {
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
    // A turn more is for what signals can say without an answer.
    await vi.advanceTimersByTimeAsync(20 + 2 * lastTurnMs)
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
    await read([asking("a", 0)], { inference, signalTimeoutMs: 77 })
    expect(seen).toEqual([{ deadlineMs: 77, signal: call.signal }])
  })
})
