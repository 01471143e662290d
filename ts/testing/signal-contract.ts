// What every signal must do, whatever it looks for.

import type { TObject } from "typebox"
import { Value } from "typebox/value"
import {
  type ChatMessage,
  type Fact,
  RtrError,
  type RuleOf,
  type SignalInput,
  type SignalModule,
  type SignalNeed,
} from "../kernel/index.ts"
import { awkwardTexts, type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { createFakeAsk, createFakeInference, type FakeInferenceOptions } from "./fake-inference.ts"

export interface SignalContractOptions<Rule extends TObject> {
  /** Rules that a configuration may have; at least one. */
  readonly rules: readonly RuleOf<Rule>[]
  /** Rules that `check` must report. */
  readonly invalidRules?: readonly RuleOf<Rule>[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** Messages before the text, for a signal that reads the conversation; a system message when left out. */
  readonly before?: readonly ChatMessage[]
  /** How the models answer that the signal asks. */
  readonly inference?: FakeInferenceOptions
}

/** A request whose last user message is this text. */
export function signalInput(
  text: string,
  before: readonly ChatMessage[] = [{ role: "system", content: "Be kind" }],
): SignalInput {
  return deepFreeze({ text, request: { model: "MoM", messages: [...before, { role: "user", content: text }] } })
}

/** Sets a signal up the way the kernel does and returns its reader. */
export async function readerOf<Rule extends TObject>(
  module: SignalModule<Rule>,
  options: SignalContractOptions<Rule>,
): Promise<(text: string) => Promise<readonly Fact[]>> {
  const ask = createFakeAsk(createFakeInference(options.inference))
  const reader = await module.setup(options.rules, { settings: options.settings ?? {}, ...ask } as never)
  return async (text) => reader.read(signalInput(text, options.before), ask as never)
}

/** Checks of the signal contract. Run each with your test runner: `for (const { name, run } of signalContract(…)) test(name, run)`. */
export function signalContract<Rule extends TObject, Settings extends TObject, Need extends SignalNeed>(
  typed: SignalModule<Rule, Settings, Need>,
  options: SignalContractOptions<Rule>,
): readonly ContractCase[] {
  const module = typed as unknown as SignalModule<Rule>
  const names = options.rules.map(({ name }) => name)
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "signal", "a module made by defineSignal")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample rules", () => {
      expectThat(names.length > 0, "at least one sample rule")
      for (const { name, description: _, ...rule } of options.rules)
        expectThat(Value.Check(module.rule, rule), `rule "${name}" to fit the schema`)
      module.check?.(options.rules, (path, message) => {
        throw new Error(`Expected the sample rules to be valid, got ${path.join(".")}: ${message}`)
      })
    }),
    contractCase("reports rules that cannot work", () => {
      for (const rule of options.invalidRules ?? []) {
        const reported: string[] = []
        module.check?.([rule], (path, message) => {
          expectThat(path[0] === 0, "reported paths to start at the rule's position")
          reported.push(message)
        })
        expectThat(reported.length > 0, `check to report rule "${rule.name}"`)
      }
    }),
    contractCase("gives one well-formed fact for every rule, whatever the text", async () => {
      const read = await readerOf(module, options)
      for (const text of awkwardTexts) {
        const facts = await read(text)
        expectThat(
          facts
            .map(({ rule }) => rule)
            .toSorted()
            .join() === [...names].toSorted().join(),
          `one fact for each of ${names.join(", ")}`,
        )
        for (const fact of facts) expectThat(isWellFormed(fact), `a well-formed fact, got ${JSON.stringify(fact)}`)
      }
    }),
    contractCase("says the same of the same text", async () => {
      const read = await readerOf(module, options)
      expectThat(
        JSON.stringify(await read("the same text")) === JSON.stringify(await read("the same text")),
        "equal facts for equal texts",
      )
    }),
    contractCase("never turns a failing model into a match", async () => {
      if ((module.needs ?? []).length === 0) return
      const ask = createFakeAsk(createFakeInference(options.inference))
      const reader = await module.setup(options.rules, { settings: options.settings ?? {}, ...ask } as never)
      const failing = createFakeAsk(createFakeInference({ failWith: new RtrError("unavailable", "down") }))
      const facts = await Promise.resolve(reader.read(signalInput("any text", options.before), failing as never)).catch(
        () => "threw" as const,
      )
      expectThat(
        facts === "threw" || facts.every(({ state }) => state === "unknown"),
        "unknown facts or an error, because the policy is not the signal's",
      )
    }),
  ]
}

function isWellFormed({ state, confidence, value, reason }: Fact): boolean {
  const finite =
    Number.isFinite(confidence) && confidence >= 0 && confidence <= 1 && (value === undefined || Number.isFinite(value))
  return finite && ["match", "no_match", "unknown"].includes(state) && (state === "unknown") === (reason !== undefined)
}
