import { type ChatReply, defineLooper, type LooperCall, RtrError, Type } from "rtr"
import { looperContract } from "rtr/testing"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

/** Asks one after the other and takes the first reply. */
async function firstAnswer(call: LooperCall, count: number) {
  let failure: unknown
  for (let candidate = 0; candidate < count; candidate++) {
    try {
      const { logprobs: _, ...choice } = (await call.ask(candidate)).choices[0] ?? ({} as never)
      return { reply: { ...(await call.ask(candidate)), choices: [choice] } as ChatReply, candidate, reason: "first" }
    } catch (error) {
      if (call.signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

const options = Type.Object({ rounds: Type.Optional(Type.Number()) }, { additionalProperties: false })
const good = {
  about: "takes the first answer",
  options,
  setup: (_: unknown, { candidates }: { candidates: readonly unknown[] }) => ({
    run: (call: LooperCall) => firstAnswer(call, candidates.length),
  }),
}
const running = (run: (call: LooperCall, count: number) => Promise<unknown>) => ({
  setup: (_: unknown, { candidates }: { candidates: readonly unknown[] }) => ({
    run: (call: LooperCall) => run(call, candidates.length),
  }),
})
const failures = (changes: object, invalidOptions: readonly object[] = []): Promise<readonly string[]> =>
  failuresOf(
    looperContract(defineLooper({ ...good, ...changes } as never), { invalidOptions: invalidOptions as never }),
  )

const says = "says what it does in one line"
const accepts = "accepts its sample options, refuses unknown keys and reports what cannot work"
const answers = "answers with a reply, a candidate that it asked and a reason"
const shows = "shows the client no log-probabilities that it did not ask for"
const rejects = "rejects with the error of a model when no model answers"
const leaves = "asks nobody once the client has left"
const apart = "keeps two calls apart"

test("a looper that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
})

test("a reply of a model that was not asked for log-probabilities needs no change", async () => {
  const run = async (call: LooperCall) => ({ reply: await call.ask(0), candidate: 0, reason: "the first" })
  expect(await failures({ setup: () => ({ run }) })).toEqual([])
})

let kept: ChatReply | undefined

test.each<[string, object, readonly string[]]>([
  ["is of another kind", { kind: "selector" }, [says]],
  ["says what it does in two lines", { about: "a\nb" }, [says]],
  ["takes any option", { options: Type.Object({}) }, [accepts]],
  [
    "refuses its sample options",
    { check: (_: unknown, report: (path: [], message: string) => void) => report([], "no") },
    [accepts],
  ],
  [
    "asks a candidate that is not there",
    running(async (call, count) => {
      await call.ask(count)
      return firstAnswer(call, count)
    }),
    [answers],
  ],
  [
    "names a candidate that it did not ask",
    running(async (call, count) => ({ ...(await firstAnswer(call, count)), candidate: count })),
    [answers],
  ],
  ["gives no reason", running(async (call, count) => ({ ...(await firstAnswer(call, count)), reason: "" })), [answers]],
  [
    "is surer than sure",
    running(async (call, count) => ({ ...(await firstAnswer(call, count)), confidence: 1.5 })),
    [answers],
  ],
  [
    "passes log-probabilities on",
    running(async (call, count) => ({
      ...(await firstAnswer(call, count)),
      reply: await call.ask(0, { ...call.request, generation: { logprobs: true } }),
    })),
    [shows],
  ],
  [
    "hides the error of its models",
    running((call, count) =>
      firstAnswer(call, count).catch(() => {
        throw new Error("nobody answered")
      }),
    ),
    [rejects],
  ],
  [
    "makes up an answer when no model has one",
    running((call, count) =>
      firstAnswer(call, count).catch(() => ({ reply: { choices: [] }, candidate: 0, reason: "made up" })),
    ),
    [rejects, leaves],
  ],
  [
    "goes on after the client has left",
    running(async (call, count) => {
      let failure: unknown = new RtrError("internal_error", "no candidate")
      for (let candidate = 0; candidate < count; candidate++)
        try {
          return await firstAnswer({ ...call, ask: (_, request) => call.ask(candidate, request) }, 1)
        } catch (error) {
          failure = error
        }
      throw failure
    }),
    [leaves],
  ],
  [
    "answers one call with the reply of another",
    running(async (call, count) => {
      const answer = await firstAnswer(call, count)
      kept ??= answer.reply
      return { ...answer, reply: kept }
    }),
    [apart],
  ],
])("is broken by a looper that %s", async (_, changes, failed) => {
  kept = undefined
  expect(await failures(changes)).toEqual(failed)
})

test("options that check lets pass are found", async () => {
  expect(await failures({}, [{ rounds: -1 }])).toEqual([accepts])
})
