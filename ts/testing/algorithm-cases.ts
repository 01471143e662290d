// Cases that selectors and loopers share: both are named by a decision's `algorithm`.

import { Value } from "typebox/value"
import type { AlgorithmUse, LooperModule, LooperSurroundings, Report, SelectorModule } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"

export interface AlgorithmSamples {
  readonly options?: Readonly<Record<string, unknown>>
  /** Options that `check` must report. */
  readonly invalidOptions?: readonly Readonly<Record<string, unknown>>[]
}

export function algorithmCases(
  // The type parameters of a module are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  module: SelectorModule<any, any, any> | LooperModule<any, any>,
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
      const candidates = ["small", "large"]
      const modelRefs = candidates.map((model) => ({ model }))
      const use: AlgorithmUse & LooperSurroundings = {
        document: {},
        modelRefs,
        candidates,
        models: new Set(candidates),
      }
      const refuse: Report = (path, message, severity) => {
        if (severity === undefined)
          throw new Error(`Expected the sample options to be valid, got ${path.join(".")}: ${message}`)
      }
      module.check?.(options as never, refuse, use)
      for (const wrong of invalidOptions) {
        const reported: string[] = []
        module.check?.(wrong as never, (_, message) => void reported.push(message), use)
        expectThat(reported.length > 0, `check to report ${JSON.stringify(wrong)}`)
      }
    }),
  ]
}
