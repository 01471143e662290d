// What every selector must do.

import type { TObject } from "typebox"
import type { Candidate, SelectorModule } from "../kernel/index.ts"
import { awkwardTexts, type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { signalInput } from "./signal-contract.ts"

export interface SelectorContractOptions {
  readonly options?: Readonly<Record<string, unknown>>
}

export function selectorContract<Options extends TObject>(
  module: SelectorModule<Options>,
  { options = {} }: SelectorContractOptions = {},
): readonly ContractCase[] {
  const candidates: readonly Candidate[] = deepFreeze(
    ["small", "medium", "large"].map((model) => ({ model, score: 1 })),
  )
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "selector", "a module made by defineSelector")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("always names a candidate, with a reason and a confidence", async () => {
      for (let count = 2; count <= candidates.length; count++) {
        const select = await module.setup(options as never, { candidates: candidates.slice(0, count) })
        for (const text of awkwardTexts) {
          const choice = await select(signalInput(text))
          expectThat(
            Number.isInteger(choice.candidate) && choice.candidate >= 0 && choice.candidate < count,
            `an index below ${count}, got ${choice.candidate}`,
          )
          expectThat(choice.confidence >= 0 && choice.confidence <= 1, "a confidence from 0 to 1")
          expectThat(choice.reason !== "", "a reason")
        }
      }
    }),
  ]
}
