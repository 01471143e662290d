// Cases that selectors and loopers share: both are named by a decision's `algorithm`.

import { Value } from "typebox/value"
import type { LooperModule, SelectorModule } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"

export interface AlgorithmSamples {
  readonly options?: Readonly<Record<string, unknown>>
  /** Options that `check` must report. */
  readonly invalidOptions?: readonly Readonly<Record<string, unknown>>[]
}

export function algorithmCases(
  // The type parameters of a module are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  module: SelectorModule<any, any> | LooperModule<any, any>,
  kind: "selector" | "looper",
  { options = {}, invalidOptions = [] }: AlgorithmSamples,
): readonly ContractCase[] {
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === kind, `a module made by ${kind === "selector" ? "defineSelector" : "defineLooper"}`)
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample options, refuses unknown keys and reports what cannot work", () => {
      const { options: schema } = module
      expectThat(schema !== undefined || Object.keys(options).length === 0, "a schema for its options")
      if (schema !== undefined) {
        expectThat(Value.Check(schema, options), "the sample options to fit the schema")
        expectThat(!Value.Check(schema, { ...options, no_such_option: 1 }), "an unknown option to be refused")
      }
      module.check?.(options as never, (path, message) => {
        throw new Error(`Expected the sample options to be valid, got ${path.join(".")}: ${message}`)
      })
      for (const wrong of invalidOptions) {
        const reported: string[] = []
        module.check?.(wrong as never, (_, message) => void reported.push(message))
        expectThat(reported.length > 0, `check to report ${JSON.stringify(wrong)}`)
      }
    }),
  ]
}
