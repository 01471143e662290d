import {
  type Choice,
  defineSelector,
  RtrError,
  type SelectionOutcome,
  type SelectorReader,
  type SignalInput,
} from "rtr"
import { expect, test } from "vitest"
import { chat } from "../../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../../fakes/transport.ts"
import { chunk, hookPlugin, lastChunk, watchedKernel, type WatchedOptions } from "../../../fakes/watched-kernel.ts"

const two = [{ model: "small" }, { model: "large" }]

/** A kernel whose decision `rush` chooses between small and large by this selector. */
const choosing = (reader: SelectorReader, { changes, modules, ...options }: WatchedOptions = {}) =>
  watchedKernel({
    modules: { dice: defineSelector({ about: "Chooses as a test says", setup: () => reader }), ...modules },
    changes: { "routing.decisions.0.modelRefs": two, "routing.decisions.0.algorithm": { type: "dice" }, ...changes },
    ...options,
  })

test("the selector sees the request, and its choice carries the algorithm's name", async () => {
  const seen: SignalInput[] = []
  for (const choice of [{ candidate: 1, confidence: 0.8, reason: "it is cheaper" }] as const)
    for (const answer of [choice, Promise.resolve(choice)]) {
      const { ask, records } = await choosing({ select: (input) => (seen.push(input), answer) })
      await ask("urgent matter")
      expect(records).toMatchObject([
        { model: "large", algorithm: "dice", selection: { ...choice, algorithm: "dice" } },
      ])
    }
  expect(seen.map(({ text, principal }) => [text, principal.role])).toEqual([
    ["urgent matter", "client"],
    ["urgent matter", "client"],
  ])
})

test("the only candidate is taken without asking", async () => {
  const { ask, records } = await choosing(
    { select: () => expect.unreachable("the selector was asked") },
    { changes: { "routing.decisions.0.modelRefs": [{ model: "small" }] } },
  )
  await ask("urgent")
  expect(records).toMatchObject([
    { model: "small", selection: { candidate: 0, confidence: 1, reason: "the only candidate" } },
  ])
})

test("a decision without candidates has nothing to choose, and needs a plugin that answers", async () => {
  const { ask, records } = await watchedKernel({
    modules: { silent: hookPlugin(() => ({ before: () => undefined }), { hooks: ["before"], answers: true }) },
    changes: {
      "routing.decisions.0.modelRefs": undefined,
      "routing.decisions.0.plugins": [{ type: "silent", configuration: {} }],
    },
  })
  const { body } = await ask("urgent")
  expect(body.error).toMatchObject({
    code: "no_model_selected",
    message: 'Decision "rush" has no model, and none of its plugins answered',
  })
  expect(records).toMatchObject([{ decision: "rush", model: undefined, selection: undefined }])
})

test("a selector that names nobody or fails leaves the first candidate, and its bugs are told once", async () => {
  const named = (candidate: unknown) => () => ({ candidate: candidate as number, confidence: 1, reason: "x" })
  const nobody = "the selector named no candidate"
  const failed = "the selector failed"
  const bug = new TypeError("x")
  const cases: readonly (readonly [() => Choice | Promise<Choice>, string, number])[] = [
    ...[2, -1, 0.5, Number.NaN, undefined].map((index) => [named(index), nobody, 1] as const),
    [
      () => {
        throw bug
      },
      `${failed}: failed`,
      1,
    ],
    [() => Promise.reject(bug), `${failed}: failed`, 1],
    [() => undefined as never, `${failed}: failed`, 1],
    [() => Promise.reject(new RtrError("unavailable", "not yet")), `${failed}: unavailable`, 1],
    [() => Promise.reject(new RtrError("upstream_timeout", "late")), `${failed}: timeout`, 1],
    [() => Promise.reject(new RtrError("upstream_error", "nonsense")), `${failed}: failed`, 1],
  ]
  for (const [select, reason, told] of cases) {
    const kernel = await choosing({ select })
    await kernel.ask("urgent")
    await kernel.ask("urgent")
    expect(kernel.records).toMatchObject([
      { model: "small", selection: { candidate: 0, algorithm: "dice", confidence: 0, reason } },
      {},
    ])
    expect(kernel.told.map(([, about]) => about)).toEqual(Array.from({ length: told }, () => "selector dice"))
  }
})

test("a selector that never answers leaves the first candidate after the time that signals have", async () => {
  const { ask, records, told } = await choosing(
    { select: () => new Promise(() => {}) },
    { changes: { "global.model_catalog.signal_timeout_ms": 20 } },
  )
  expect((await ask("urgent")).status).toBe(200)
  expect(records).toMatchObject([
    {
      model: "small",
      selection: { candidate: 0, reason: "the selector failed: timeout" },
      unknown: [{ type: "selector", rule: "dice", reason: "timeout" }],
    },
  ])
  expect(told.map(([error]) => (error as Error).message)).toEqual([
    'Selector "dice" did not choose within 0.02 seconds',
  ])
})

test("a client that leaves ends the wait for a selector", async () => {
  const leaving = new AbortController()
  const { kernel, records, told } = await choosing({
    select: () => (setTimeout(() => leaving.abort(), 5), new Promise(() => {})),
  })
  await kernel.fetch(new Request(chat("urgent"), { signal: leaving.signal }))
  expect([records, told]).toMatchObject([[{ status: 499, attempts: [] }], []])
})

test("what a selector chose is told by number and never by text", async () => {
  const { ask, told } = await choosing({ select: () => ({ candidate: "secret" as never, confidence: 1, reason: "x" }) })
  await ask("urgent")
  expect(told.map(([error]) => (error as Error).message)).toEqual([
    'Selector "dice" chose candidate of type string; it must be a whole number from 0 to 1',
  ])
})

test("onOutcome hears how each of its calls ended, once", async () => {
  const down = new RtrError("upstream_unavailable", "down")
  const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
  const cases: readonly (readonly [FakeReply | Error, "ask" | "stream", Partial<SelectionOutcome>])[] = [
    [jsonReply(completion("hi")), "ask", { status: 200, error: undefined, usage, firstByteMs: expect.any(Number) }],
    [streamReply([chunk("a"), lastChunk()]), "stream", { status: 200, usage, firstByteMs: expect.any(Number) }],
    [jsonReply({}, { status: 429 }), "ask", { status: 429, usage: undefined }],
    [down, "ask", { status: down.status, error: expect.objectContaining({ code: "upstream_unavailable" }) }],
  ]
  for (const [reply, method, outcome] of cases) {
    const outcomes: SelectionOutcome[] = []
    const kernel = await choosing(
      {
        select: () => ({ candidate: 1, confidence: 1, reason: "x" }),
        onOutcome: (each) => void outcomes.push(each),
      },
      { transport: createFakeTransport(reply) },
    )
    await kernel[method]("urgent")
    await kernel.ask("calm")
    expect(outcomes).toMatchObject([{ candidate: 1, model: "large", totalMs: expect.any(Number), ...outcome }])
    expect(outcomes).toHaveLength(1)
  }
})

test("an onOutcome that throws harms no request", async () => {
  for (const method of ["ask", "stream"] as const) {
    const kernel = await choosing(
      {
        select: () => ({ candidate: 1, confidence: 1, reason: "x" }),
        onOutcome() {
          throw new Error("broken")
        },
      },
      {
        transport: createFakeTransport(
          method === "ask" ? jsonReply(completion("hi")) : streamReply([chunk("a"), lastChunk()]),
        ),
      },
    )
    const { status, text } = await kernel[method]("urgent")
    expect([status, text.includes("error"), kernel.records.length]).toEqual([200, false, 1])
    expect(kernel.told.map(([error, about]) => [String(error), about])).toEqual([["Error: broken", "selector dice"]])
  }
})
