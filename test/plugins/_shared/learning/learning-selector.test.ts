import { type CallRecord, type Choice, type LearningTrace, RtrError, type SignalInput } from "rtr"
import { chatRequest, createFakeStores, signalInput as inputOf, textTurn } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { seededRandom } from "../../../../ts/plugins/_shared/learning/beta-sample.ts"
import type { Verdict } from "../../../../ts/plugins/_shared/learning/experience.ts"
import { createExperiences } from "../../../../ts/plugins/_shared/learning/experiences.ts"
import { createLearningSelector } from "../../../../ts/plugins/_shared/learning/learning-selector.ts"
import { createRoutedCalls } from "../../../../ts/plugins/_shared/learning/routed-calls.ts"
import { createSessionKey, createSessions } from "../../../../ts/plugins/_shared/learning/sessions.ts"
import { learningOf } from "../../../../ts/plugins/_shared/learning/settings.ts"
import { createCandidate } from "../../../fakes/plan.ts"

const day = 86_400_000
const hello = chatRequest([textTurn("user", "hello")])

const signalInput = (
  request: SignalInput["request"],
  { headers = {}, ...changes }: Partial<SignalInput> & { readonly headers?: Readonly<Record<string, string>> } = {},
): SignalInput => ({ ...inputOf("hello"), request, header: (name) => headers[name], ...changes })

/** A selector over models whose algorithm chooses as the test says, and what calls leave behind. */
function learner(
  models: readonly string[],
  { settings = {}, base = 0, scores = undefined as number[] | undefined } = {},
) {
  const time = { now: 1_000_000 }
  const clock = () => time.now
  const log = () => {}
  const { kv } = createFakeStores(clock)
  const experiences = createExperiences({ clock, log })
  const chosen = { candidate: base }
  const state = {
    experiences,
    sessions: createSessions({ kv, ttlMs: day, timeoutMs: 1000, log }),
    keyOf: createSessionKey(),
    calls: createRoutedCalls({ kv, log }),
    clock,
    random: seededRandom(42),
  }
  const place = { decision: "d", tier: 0 }
  const selector = createLearningSelector({
    ...place,
    recipe: "",
    candidates: models.map((model) => createCandidate(model)),
    own: models.length,
    base: {
      select: (): Choice => ({ ...chosen, confidence: 1, reason: "the algorithm", ...(scores && { scores }) }),
    },
    settings: learningOf(settings),
    state,
  })
  const select = async (input: SignalInput = signalInput(hello)): Promise<Choice & { learning: LearningTrace }> =>
    (await selector.select(input, {} as never)) as Choice & { learning: LearningTrace }
  /** One request: chosen, answered or failed, and over. Returns the model. */
  const request = async (input?: SignalInput, attempt: object = { status: 200, firstByteMs: 100 }): Promise<string> => {
    const selection = { ...(await select(input)), algorithm: "static" }
    const model = models[selection.candidate] as string
    const failed = "error" in attempt
    const record = {
      id: String(time.now),
      model,
      selection,
      status: failed ? 502 : 200,
      error: failed ? attempt.error : undefined,
      attempts: [{ model, backend: model, startMs: 0, endMs: 200, ...attempt }],
    } as unknown as CallRecord
    const outcome = { candidate: selection.candidate, model, status: record.status, totalMs: 200 }
    selector.onOutcome?.(outcome, record)
    // What is kept of the session is written after the reply.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    time.now += 1000
    return model
  }
  const tell = (model: string, verdict: Verdict, times = 1): void => {
    for (let count = 0; count < times; count++) experiences.noteVerdict(place, model, verdict)
  }
  return { time, select, request, tell, chosen, experiences, place }
}

const ofModels = async (count: number, ask: () => Promise<string>): Promise<Readonly<Record<string, number>>> => {
  const found: Record<string, number> = {}
  for (let index = 0; index < count; index++) {
    const model = await ask()
    found[model] = (found[model] ?? 0) + 1
  }
  return found
}

describe("a simulation", () => {
  const settings = { protection: { enabled: false } }
  /** How often each model is right for the task. */
  const quality: Readonly<Record<string, number>> = { weak: 0.3, fair: 0.7, right: 0.95 }

  test("the right model wins after two hundred outcomes, though the algorithm chooses another one", async () => {
    const { request, tell } = learner(["weak", "fair", "right"], { settings })
    const world = seededRandom(3)
    const told = async (): Promise<string> => {
      const model = await request()
      tell(model, world() < (quality[model] as number) ? "good_fit" : "underpowered")
      return model
    }
    const early = await ofModels(200, told)
    // Each was tried.
    expect(Object.keys(early).toSorted()).toEqual(["fair", "right", "weak"])
    const late = await ofModels(200, told)
    expect(late["right"]).toBeGreaterThan(180)
  })

  test("wrong outcomes do not keep the right model away for ever", async () => {
    const { request, tell, time } = learner(["fair", "right"], { settings })
    await ofModels(2, () => request())
    // Somebody was wrong forty times.
    tell("right", "underpowered", 40)
    const world = seededRandom(5)
    const told = async (): Promise<string> => {
      const model = await request()
      tell(model, world() < (quality[model] as number) ? "good_fit" : "underpowered")
      return model
    }
    expect((await ofModels(20, told))["right"] ?? 0).toBeLessThan(3)
    // Weeks later, at the same rate, opinions have faded.
    for (let week = 0; week < 4; week++) {
      time.now += 7 * day
      await ofModels(50, told)
    }
    expect((await ofModels(100, told))["right"]).toBeGreaterThan(80)
  })

  test("a backend that fails loses to its equals, and gets its requests back when it works again", async () => {
    const { request, select, time, experiences, place } = learner(["first", "second"], {
      settings: { ...settings, protection: { enabled: true } },
    })
    const failure = { status: 503, error: new RtrError("upstream_error", "down") }
    // Without the header of a conversation nothing is drawn: the means decide.
    expect(await request(undefined, failure)).toBe("first")
    expect(experiences.read(place, "first")?.failed).toBeGreaterThan(0.9)
    expect(await ofModels(5, () => request())).toEqual({ second: 5 })
    time.now += day
    expect((await select()).candidate).toBe(0)
  })
})

describe("what a call tells", () => {
  test("is counted for every model that was called, but not what the client has done", async () => {
    const { request, experiences, place } = learner(["only"], {})
    await request(undefined, {
      status: 200,
      firstByteMs: 500,
      usage: { inputTokens: 100, outputTokens: 1, cachedInputTokens: 25 },
    })
    expect(experiences.read(place, "only")).toMatchObject({
      failed: 0,
      latency: 0.5,
      cacheHit: 0.25,
      inputCost: undefined,
    })
    await request(undefined, { error: new RtrError("client_closed_request", "left") })
    await request(undefined, { status: 400, error: new RtrError("upstream_error", "no such parameter") })
    await request(undefined, { cancelled: true, error: new RtrError("upstream_error", "another was faster") })
    expect(experiences.read(place, "only")?.failed).toBe(0)
    await request(undefined, { status: 429 })
    expect(experiences.read(place, "only")?.failed).toBeCloseTo(1, 2)
    // The tier and the model anywhere know it, too.
    expect(experiences.read({ decision: "other", tier: 0 }, "only")?.latency).toBe(0.5)
    expect(experiences.read({ decision: "other", tier: 3 }, "only")).toMatchObject({ latency: 0.5 })
  })
})

describe("a conversation", () => {
  const settings = { adaptation: { enabled: false } }
  const headers = { "x-conversation-id": "c" }
  const inC = signalInput(hello, { headers })

  test("keeps its model where the gain is not known, and changes it for a gain that is large enough", async () => {
    const plain = learner(["a", "b"], { settings })
    expect(await plain.request(inC)).toBe("a")
    plain.chosen.candidate = 1
    expect(await plain.request(inC)).toBe("a")
    expect(await plain.request()).toBe("b")
    plain.time.now += 300_000
    expect(await plain.request(inC)).toBe("b")

    const scored = learner(["a", "b"], { settings, scores: [0.2, 0.9] })
    await scored.request(inC)
    scored.chosen.candidate = 1
    expect(await scored.request(inC)).toBe("b")
    expect((await scored.select(inC)).learning.steps[0]).toMatchObject({ action: "stay", reason: "same_model" })
  })

  test("leaves a model that is known to be too weak", async () => {
    const { request, tell, chosen, select } = learner(["a", "b"], { settings })
    await request(inC)
    chosen.candidate = 1
    tell("a", "underpowered", 2)
    expect((await select(inC)).learning.steps[0]).toMatchObject({ action: "stay" })
    tell("b", "good_fit")
    expect((await select(inC)).learning.steps[0]).toMatchObject({ action: "switch", reason: "rescue", model: "b" })
  })

  test("does not change its model while a tool runs, whatever was learnt", async () => {
    const { request, tell, chosen } = learner(["a", "b"], { settings })
    await request(inC)
    chosen.candidate = 1
    tell("a", "underpowered", 9)
    tell("b", "good_fit", 9)
    const answered = chatRequest([
      textTurn("user", "hello"),
      { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text: "42" }] }] },
    ] as never)
    expect(await request(signalInput(answered, { headers }))).toBe("a")
    expect(await request(inC)).toBe("b")
  })

  test("of a client is none of another client with the same id", async () => {
    const { request, chosen } = learner(["a", "b"], { settings })
    const of = (key: string) =>
      signalInput(hello, { headers, principal: { role: "client", permissions: undefined, name: key, key } })
    await request(of("one"))
    chosen.candidate = 1
    expect([await request(of("one")), await request(of("two"))]).toEqual(["a", "b"])
    expect(await request(signalInput(hello, { headers: { "x-conversation-id": "c".repeat(257) } }))).toBe("b")
  })
})

test("a choice that is none is left to the caller", async () => {
  const { chosen, select } = learner(["a", "b"])
  chosen.candidate = 7
  expect(await select()).toEqual({ candidate: 7, confidence: 1, reason: "the algorithm" })
})
