// Cases that selectors and loopers share: both are named by a decision's `algorithm`.

import { Value } from "typebox/value"
import type { AlgorithmUse, Candidate, LooperModule, LooperSurroundings, SelectorModule } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectFits, expectThat, refuseReports } from "./case.ts"

export interface AlgorithmSamples {
  readonly options?: Readonly<Record<string, unknown>>
  /** Models of the document beside the candidates, which options may name. */
  readonly models?: readonly string[]
  /** Options that `check` must report. */
  readonly invalidOptions?: readonly Readonly<Record<string, unknown>>[]
}

/** Candidates with everything that a selector may weigh: scores, prices and cards, known and unknown. */
export const sampleCandidates: readonly Candidate[] = deepFreeze([
  {
    model: "small",
    score: 1,
    pricing: { currency: "USD", promptPer1m: 0.1, completionPer1m: 0.2, cachedInputPer1m: 0.1 },
    card: { name: "small", param_size: "7B", quality_score: 0.6, description: "Quick answers" },
  },
  { model: "medium", score: 1, pricing: undefined, card: undefined },
  {
    model: "large",
    score: 1,
    pricing: { currency: "USD", promptPer1m: 2, completionPer1m: 8, cachedInputPer1m: 1 },
    card: { name: "large", param_size: "70B", quality_score: 0.9, tags: [] },
  },
])

export function algorithmCases(
  // The type parameters of a module are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  module: SelectorModule<any, any, any> | LooperModule<any, any>,
  kind: "selector" | "looper",
  samples: AlgorithmSamples,
): readonly ContractCase[] {
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === kind, `a module made by ${kind === "selector" ? "defineSelector" : "defineLooper"}`)
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample options, refuses unknown keys and reports what cannot work", async () => {
      const { options: schema } = module
      const { options = {}, invalidOptions = [] } = samples
      await expectValidOptions(module, samples, sampleCandidates)
      if (schema !== undefined)
        expectThat(!Value.Check(schema, { ...options, no_such_option: 1 }), "an unknown option to be refused")
      for (const wrong of invalidOptions) {
        const reported: string[] = []
        await module.check?.(
          wrong as never,
          (_, message) => void reported.push(message),
          useOf(sampleCandidates, samples),
        )
        expectThat(reported.length > 0, `check to report ${JSON.stringify(wrong)}`)
      }
    }),
  ]
}

/** Throws what a document with these options would be refused for. */
export async function expectValidOptions(
  // oxlint-disable-next-line typescript/no-explicit-any
  { options: schema, check }: SelectorModule<any, any, any> | LooperModule<any, any>,
  samples: AlgorithmSamples,
  candidates: readonly Candidate[],
): Promise<void> {
  const { options = {} } = samples
  expectThat(schema !== undefined || Object.keys(options).length === 0, "a schema for its options")
  if (schema !== undefined) expectFits(schema, options, "the options")
  await check?.(options as never, refuseReports("the options"), useOf(candidates, samples))
}

/** A decision with these candidates, as `check` sees it. */
function useOf(candidates: readonly Candidate[], { models = [] }: AlgorithmSamples): AlgorithmUse & LooperSurroundings {
  const names = candidates.map(({ model }) => model)
  const modelRefs = names.map((model) => ({ model }))
  return { document: {}, modelRefs, candidates: names, models: new Set([...names, ...models]) }
}
