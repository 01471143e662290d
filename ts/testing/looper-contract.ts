// What every looper must do.

import type { TObject } from "typebox"
import { type AlgorithmSamples, algorithmCases, expectValidOptions, sampleCandidates } from "./algorithm-cases.ts"
import {
  type AskedModel,
  type Candidate,
  type ChatReply,
  type ChatRequest,
  type LooperAnswer,
  type LooperCall,
  type LooperModule,
  moduleResults,
  RtrError,
} from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { chatRequest, textTurn } from "./chat.ts"
import { grantedHost } from "./granted.ts"

export interface LooperContractOptions extends AlgorithmSamples {
  /** What further `needs` grant at set-up; stores, `clock`, `random`, `log` and an `http` that cannot be reached are there. */
  readonly host?: object
}

/** One call of a model, as a looper made it. */
export interface Asked {
  readonly candidate: AskedModel
  readonly request: ChatRequest
}

/** How a fake candidate answers: with a reply, or by throwing. */
export type FakeCandidate = (asked: Asked) => ChatReply | Promise<ChatReply>

const question = "How far is the moon?"

/** A reply with this text, and with these probabilities of its tokens: of each the chosen one and the next likely. */
export function modelReply(
  text: string,
  logprobs?: readonly (readonly [chosen: number, second?: number])[],
  model = "model",
): ChatReply {
  const tokens = logprobs?.map(([logprob, second], index) => ({
    token: `t${index}`,
    logprob,
    top: [{ token: `t${index}`, logprob }, ...(second === undefined ? [] : [{ token: "other", logprob: second }])],
  }))
  return {
    id: "reply-1",
    model,
    created: 1,
    choices: [{ blocks: [{ type: "text", text }], stop: "stop", ...(tokens !== undefined && { logprobs: tokens }) }],
    usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 0 },
  }
}

/** A call over a fake candidate, with everything that the looper asked and the answers that it kept. */
export function looperCall(
  answer: FakeCandidate,
  changes: Partial<Omit<LooperCall, "ask" | "stream" | "keep">> = {},
): { readonly call: LooperCall; readonly asked: readonly Asked[]; readonly kept: readonly LooperAnswer[] } {
  const asked: Asked[] = []
  const kept: LooperAnswer[] = []
  const ask: LooperCall["ask"] = async (candidate, changed, { signal } = {}) => {
    const entry = { candidate, request: changed ?? call.request }
    asked.push(entry)
    // As the kernel does, a call that nobody waits for any more rejects.
    const ended = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
    })
    ended.catch(() => {})
    return Promise.race([answer(entry), ended])
  }
  const call: LooperCall = {
    id: "req-1",
    decision: "test",
    text: question,
    request: deepFreeze(chatRequest([textTurn("user", question)])),
    principal: { role: "client", permissions: undefined, name: "test" },
    header: () => undefined,
    factsOf: () => [],
    clientTurns: changes.request?.turns ?? [textTurn("user", question)],
    signal: new AbortController().signal,
    ...changes,
    ask,
    stream: ask,
    keep: (noted) => void kept.push(noted),
  }
  return { call, asked, kept }
}

/** The reply of an answer that is no stream, as fakes give none. */
export function wholeReply({ reply }: Pick<LooperAnswer, "reply">): ChatReply {
  if ("next" in reply) throw new Error("Expected a whole reply, got a stream")
  return reply
}

/** A looper set up the way the kernel does. Rejects options that a document may not have. */
export async function looperOf<Options extends TObject>(
  module: LooperModule<Options>,
  contract: LooperContractOptions = {},
  candidates: readonly Candidate[] = sampleCandidates,
): Promise<OpenLooper> {
  await expectValidOptions(module, contract, candidates)
  return openLooper(module, contract, candidates)
}

interface OpenLooper {
  run(call: LooperCall): Promise<LooperAnswer>
  close?(): void | Promise<void>
}

async function openLooper<Options extends TObject>(
  module: LooperModule<Options>,
  { options = {}, host = {} }: LooperContractOptions,
  candidates: readonly Candidate[] = sampleCandidates,
): Promise<OpenLooper> {
  const granted = grantedHost(host)
  return module.setup(
    deepFreeze(structuredClone(options)) as never,
    { decision: "test", ...granted, candidates, settings: {} } as never,
  )
}

export function looperContract<Options extends TObject>(
  module: LooperModule<Options>,
  contract: LooperContractOptions = {},
): readonly ContractCase[] {
  const sure: FakeCandidate = ({ candidate }) => modelReply(`answer of ${candidate}`, [[-0.01, -6]])
  return [
    ...algorithmCases(module, "looper", contract),
    contractCase("answers with a reply, a candidate that it asked and a reason", async () => {
      for (let count = 1; count <= sampleCandidates.length; count++) {
        const looper = await openLooper(module, contract, sampleCandidates.slice(0, count))
        const { call, asked } = looperCall(sure)
        const answer = moduleResults.readLooperAnswer("of this suite", await looper.run(call), {
          given: new WeakSet(),
          candidates: count,
          isModel: (name) => asked.some((each) => each.candidate === name),
        })
        const { candidate, confidence, reason } = answer
        const reply = wholeReply(answer)
        expectThat(asked.length > 0, "at least one candidate to be asked")
        for (const each of asked)
          expectThat(
            typeof each.candidate === "string" || (each.candidate >= 0 && each.candidate < count),
            `candidates below ${count} to be asked, got ${each.candidate}`,
          )
        expectThat(
          asked.some((each) => each.candidate === candidate),
          `the candidate to be one that was asked, got ${candidate}`,
        )
        expectThat(reply.choices.length > 0, "a reply with a choice")
        expectThat(confidence === undefined || (confidence >= 0 && confidence <= 1), "a confidence from 0 to 1")
        expectThat(typeof reason === "string" && reason !== "", "a reason")
        await looper.close?.()
      }
    }),
    contractCase("shows the client no log-probabilities that it did not ask for", async () => {
      const looper = await openLooper(module, contract)
      // As a backend does, it tells them only to whom asks.
      const asAsked: FakeCandidate = (asked) =>
        asked.request.generation.logprobs === true ? sure(asked) : modelReply("x")
      const reply = wholeReply(await looper.run(looperCall(asAsked).call))
      expectThat(
        reply.choices.every(({ logprobs }) => logprobs === undefined),
        "a reply without log-probabilities",
      )
    }),
    contractCase("rejects with the error of a model when no model answers", async () => {
      const looper = await openLooper(module, contract)
      const down: FakeCandidate = () => {
        throw new RtrError("upstream_unavailable", "down")
      }
      const { call, asked } = looperCall(down)
      const outcome = await looper.run(call).then(
        () => "an answer",
        (error: unknown) => (error instanceof RtrError ? error.code : "another error"),
      )
      expectThat(outcome === "upstream_unavailable", `upstream_unavailable, got ${outcome}`)
      expectThat(asked.length <= 100, "an end to the attempts")
    }),
    contractCase("asks nobody once the client has left", async () => {
      const looper = await openLooper(module, contract)
      const controller = new AbortController()
      let late = 0
      const leaves: FakeCandidate = async () => {
        if (controller.signal.aborted) late += 1
        await new Promise((resolve) => setTimeout(resolve, 0))
        controller.abort()
        throw new RtrError("client_closed_request", "The client left")
      }
      const { call } = looperCall(leaves, { signal: controller.signal })
      const outcome = await looper.run(call).then(
        () => "an answer",
        () => "a rejection",
      )
      expectThat(outcome === "a rejection", `a rejection, got ${outcome}`)
      await new Promise((resolve) => setTimeout(resolve, 0))
      expectThat(late === 0, `no call after the client has left, got ${late}`)
    }),
    contractCase("keeps two calls apart", async () => {
      const looper = await openLooper(module, contract)
      const named =
        (name: string): FakeCandidate =>
        () =>
          modelReply(name, [[-0.01, -6]])
      const answers = await Promise.all(["first", "second"].map((name) => looper.run(looperCall(named(name)).call)))
      const texts = answers.map((answer) => JSON.stringify(wholeReply(answer).choices[0]?.blocks))
      expectThat(texts[0]?.includes("first") === true && texts[1]?.includes("second") === true, "each its own reply")
    }),
  ]
}
