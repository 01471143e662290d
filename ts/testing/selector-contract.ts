// What every selector must do.

import type { TObject } from "typebox"
import type {
  Candidate,
  Capability,
  Choice,
  MaybePromise,
  ModelFigures,
  SelectorModule,
  SelectorReader,
  SignalInput,
} from "../kernel/index.ts"
import { type AlgorithmSamples, algorithmCases, expectValidOptions, sampleCandidates } from "./algorithm-cases.ts"
import { awkwardTexts, type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { createFakeInference, createFakeQuestions, type FakeInferenceOptions } from "./fake-inference.ts"
import { createFakeStores, createWatchedStores } from "./fake-store.ts"
import { grantedHost } from "./granted.ts"
import { signalInput } from "./signal-contract.ts"

export interface SelectorContractOptions extends AlgorithmSamples {
  /** What further `needs` grant at set-up; stores, `clock`, `random` and `log` are there. */
  readonly host?: object
  /** Its section of `global`. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** How the models answer that it asks. */
  readonly inference?: FakeInferenceOptions
  /** Live figures of each model; those of `small` alone when left out. */
  readonly figures?: (model: string) => ModelFigures
}

/** A selector that is set up, with the questions that the kernel gives it. */
export interface OpenSelector extends Omit<SelectorReader, "select"> {
  select(input: SignalInput): MaybePromise<Choice>
}

/** A selector set up the way the kernel does. Rejects options that a document may not have. */
export async function selectorReaderOf<Options extends TObject, Settings extends TObject, Need extends Capability>(
  module: SelectorModule<Options, Settings, Need>,
  contract: SelectorContractOptions,
  candidates: readonly Candidate[] = sampleCandidates,
): Promise<OpenSelector> {
  await expectValidOptions(module, contract, candidates)
  return openSelector(module, contract, candidates)
}

async function openSelector<Options extends TObject, Settings extends TObject, Need extends Capability>(
  module: SelectorModule<Options, Settings, Need>,
  { options = {}, host = {}, settings = {}, inference = {}, figures = figuresOf }: SelectorContractOptions,
  candidates: readonly Candidate[] = sampleCandidates,
): Promise<OpenSelector> {
  const questions = createFakeQuestions(createFakeInference(inference))
  const granted = grantedHost({ embedAll: questions.embedAll, ...host })
  const kernel = { decision: "test", candidates, figures, settings: deepFreeze(structuredClone(settings)) }
  const reader = await module.setup(deepFreeze(structuredClone(options)) as never, { ...granted, ...kernel } as never)
  return {
    select: (input) => reader.select(input, questions as never),
    ...(reader.onOutcome !== undefined && { onOutcome: (outcome) => reader.onOutcome?.(outcome) }),
    ...(reader.close !== undefined && { close: () => reader.close?.() }),
  }
}

/** One model is known well, the others have answered nothing yet. */
const figuresOf = (model: string): ModelFigures =>
  deepFreeze(
    model === "small"
      ? { inFlight: 2, firstByteMs: [40, 60, 50], perTokenMs: [5, 6, 5] }
      : { inFlight: 0, firstByteMs: [], perTokenMs: [] },
  )

export function selectorContract<Options extends TObject, Settings extends TObject, Need extends Capability>(
  module: SelectorModule<Options, Settings, Need>,
  contract: SelectorContractOptions = {},
): readonly ContractCase[] {
  return [
    ...algorithmCases(module, "selector", contract),
    contractCase("always names a candidate, with a reason and a confidence", async () => {
      for (let count = 2; count <= sampleCandidates.length; count++) {
        const reader = await openSelector(module, contract, sampleCandidates.slice(0, count))
        for (const text of awkwardTexts) expectChoice(await reader.select(signalInput(text)), count)
        await reader.close?.()
      }
    }),
    contractCase("takes every outcome of a call, good or bad", async () => {
      const reader = await openSelector(module, contract)
      const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
      sampleCandidates.forEach(({ model }, candidate) => {
        reader.onOutcome?.(deepFreeze({ candidate, model, status: 200, usage, firstByteMs: 5, totalMs: 50 }))
        reader.onOutcome?.(deepFreeze({ candidate, model, status: 502, totalMs: 1 }))
      })
      expectChoice(await reader.select(signalInput("after the outcomes")), sampleCandidates.length)
      await reader.close?.()
    }),
    contractCase("keeps no state of its own", async () => {
      // Each choice is made over a store of its own, because choosing may change what the store holds.
      const chooseAfterOutcomes = async (chooser: "told" | "untold"): Promise<Choice> => {
        const host = { ...contract.host, ...createFakeStores() }
        const told = await openSelector(module, { ...contract, host })
        const untold = await openSelector(module, { ...contract, host })
        for (let call = 0; call < 5; call++) {
          await told.select(signalInput("x"))
          told.onOutcome?.({ candidate: 2, model: "large", status: 502, totalMs: 1 })
        }
        // Outcomes are written behind the reply.
        await new Promise((resolve) => setTimeout(resolve, 0))
        return (chooser === "told" ? told : untold).select(signalInput("x"))
      }
      const [told, untold] = [await chooseAfterOutcomes("told"), await chooseAfterOutcomes("untold")]
      expectThat(
        told.candidate === untold.candidate,
        "a second instance over the same store to choose alike, because what a selector remembers belongs in a store",
      )
    }),
    contractCase("writes nothing for a preview", async () => {
      const written: string[] = []
      const host = { ...contract.host, ...createWatchedStores((what) => void written.push(what)) }
      const reader = await openSelector(module, { ...contract, host })
      // What it writes while it is set up or behind a reply is no matter of previews.
      written.length = 0
      for (const text of ["x", "the next"]) await reader.select({ ...signalInput(text), preview: {} })
      await new Promise((resolve) => setTimeout(resolve, 0))
      expectThat(written.length === 0, `nothing to be written when input.preview is set, got ${written.join(", ")}`)
      await reader.close?.()
    }),
  ]
}

function expectChoice({ candidate, confidence, reason }: Choice, count: number): void {
  expectThat(
    Number.isInteger(candidate) && candidate >= 0 && candidate < count,
    `an index below ${count}, got ${candidate}`,
  )
  expectThat(confidence >= 0 && confidence <= 1, "a confidence from 0 to 1")
  expectThat(typeof reason === "string" && reason !== "", "a reason")
}
