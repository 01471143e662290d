// What every signal must do, whatever it looks for.

import { type TArray, type TObject, type TProperties, type TSchema, Type } from "typebox"
import {
  type Block,
  type Capability,
  type Fact,
  guardRule,
  isRtrError,
  lastUserText,
  loadGuardTexts,
  RtrError,
  type RuleOf,
  section,
  type SignalInput,
  type SignalModule,
  type Turn,
} from "../kernel/index.ts"
import {
  awkwardTexts,
  type ContractCase,
  contractCase,
  deepFreeze,
  expectFits,
  expectThat,
  refuseReports,
} from "./case.ts"
import { chatRequest, textTurn } from "./chat.ts"
import { grantedHost } from "./granted.ts"
import { createFakeInference, createFakeQuestions, type FakeInferenceOptions } from "./fake-inference.ts"

export interface SignalContractOptions<Rule extends TObject> {
  /** Rules that a configuration may have; at least one. */
  readonly rules: readonly RuleOf<Rule>[]
  /** Rules that `check` must report. */
  readonly invalidRules?: readonly RuleOf<Rule>[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** Turns before the text, for a signal that reads the conversation; a system turn when left out. */
  readonly before?: readonly Turn[]
  /** Facts of the signal types that this signal comes `after`. */
  readonly facts?: Readonly<Record<string, readonly Fact[]>>
  /** How the models answer that the signal asks. */
  readonly inference?: FakeInferenceOptions
  /** What its `needs` grant to `setup` beside the questions to models. */
  readonly host?: object
}

const guardTexts = await loadGuardTexts()

/** The kernel has guards read texts of this length whole. */
const maxGuardCharacters = 524_288

/** A request whose last user turn is this text. */
export function signalInput(text: string, before?: readonly Turn[], factsOf?: SignalInput["factsOf"]): SignalInput {
  return inputOf(text, before, factsOf)
}

/** The same for a turn of any blocks; its text is then what the kernel makes of the request. */
function inputOf(
  said: string | Turn["blocks"],
  before: readonly Turn[] = [textTurn("system", "Be kind")],
  factsOf: SignalInput["factsOf"] = () => [],
): SignalInput {
  const principal = { role: "client", permissions: undefined, name: "test" }
  const last = typeof said === "string" ? textTurn("user", said) : ({ role: "user", blocks: said } as const)
  const request = chatRequest([...before, last])
  const text = typeof said === "string" ? said : lastUserText(request)
  const { textsFor, isTrusted, isJoined } = guardTexts(request)
  return deepFreeze({ text, request, principal, header: () => undefined, factsOf, textsFor, isTrusted, isJoined })
}

const image: Block = { type: "image", source: { kind: "url", url: "data:image/png;base64,iVBORw0KGgo=" } }

/** Last messages of the user that say nothing. */
const textless: readonly (readonly [what: string, blocks: Turn["blocks"]])[] = [
  ["only an image", [image]],
  ["an empty text", [{ type: "text", text: "" }]],
  ["no blocks, like an empty text", []],
]

/** Sets a signal up the way the kernel does and returns its reader. Rejects rules that a document may not have. */
export async function readerOf<Rule extends TObject>(
  module: SignalModule<Rule>,
  options: SignalContractOptions<Rule>,
): Promise<(text: string) => Promise<readonly Fact[]>> {
  await expectValid(module, options.rules)
  return openReader(module, options)
}

/** Checks of the signal contract. Run each with your test runner: `for (const { name, run } of signalContract(…)) test(name, run)`. */
export function signalContract<Rule extends TObject, Settings extends TObject | TArray, Need extends Capability>(
  typed: SignalModule<Rule, Settings, Need>,
  options: SignalContractOptions<Rule>,
): readonly ContractCase[] {
  const module = typed as unknown as SignalModule<Rule>
  const names = options.rules.map(({ name }) => name)
  const factNames = [...new Set(options.rules.flatMap((rule) => module.factNames?.(rule) ?? [rule.name]))]
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "signal", "a module made by defineSignal")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample rules", async () => {
      expectThat(names.length > 0, "at least one sample rule")
      await expectValid(module, options.rules)
    }),
    contractCase("reports rules that cannot work", async () => {
      for (const rule of options.invalidRules ?? []) {
        const reported: string[] = []
        await module.check?.([rule], (path, message) => {
          expectThat(path[0] === 0, "reported paths to start at the rule's position")
          reported.push(message)
        })
        expectThat(reported.length > 0, `check to report rule "${rule.name}"`)
      }
    }),
    contractCase("implies one rule that fits its schema for every name", () => {
      const implied = module.implyRules?.(names)
      if (implied === undefined) return
      expectThat(implied.map(({ name }) => name).join() === names.join(), `rules named ${names.join(", ")}`)
      for (const entry of implied) expectFits(ruleSchema(module), entry, `the implied rule "${entry.name}"`)
    }),
    contractCase("gives one well-formed fact for every rule, whatever the text", async () => {
      const read = await openReader(module, options)
      for (const text of awkwardTexts) {
        const facts = await read(text).catch((error: unknown) => {
          // A guard may leave it to the kernel what a request means that is too long for guards, but no shorter one.
          const isTooLong = module.guard === true && text.length > maxGuardCharacters
          if (isTooLong && isRtrError(error) && error.code === "scan_budget_exceeded") return "refused" as const
          throw error
        })
        if (facts !== "refused") expectFacts(facts, factNames)
      }
      for (const [what, blocks] of textless)
        try {
          expectFacts(await read(blocks), factNames)
        } catch (cause) {
          const message = `Expected facts about a request whose last message has ${what}: ${String(cause)}`
          throw new Error(message, { cause })
        }
    }),
    contractCase("says the same of the same text", async () => {
      const read = await openReader(module, options)
      expectThat(
        JSON.stringify(await read("the same text")) === JSON.stringify(await read("the same text")),
        "equal facts for equal texts",
      )
    }),
    contractCase("reads only facts of the types that it comes after", async () => {
      const asked = new Set<string>()
      const { reader, questions } = await open(module, options)
      const factsOf = (type: string): readonly Fact[] => {
        asked.add(type)
        return options.facts?.[type] ?? []
      }
      await reader.read(signalInput("any text", options.before, factsOf), questions as never)
      const { after = [] } = module
      const before = typeof after === "function" ? after(options.rules) : after
      for (const type of asked) expectThat(before.includes(type), `after to name "${type}", whose facts it reads`)
    }),
    contractCase("never turns a failing model into an answer", async () => {
      if (questionsIn(module).length === 0) return
      const { reader } = await open(module, options)
      const failing = createFakeQuestions(createFakeInference({ failWith: new RtrError("unavailable", "down") }))
      const facts = await outcomeOf(async () =>
        reader.read(signalInput("any text", options.before), granted(module, failing) as never),
      )
      expectThat(
        facts === "threw" || facts.every(({ state }) => state === "unknown"),
        "unknown facts or an error, because the policy is not the signal's",
      )
    }),
    contractCase("as a guard never calls a text safe that it read in part", async () => {
      if (module.guard !== true || questionsIn(module).length === 0) return
      const partly = { ...options, inference: { ...options.inference, unknownTokens: () => 1 } }
      const facts = await outcomeOf(async () => (await openReader(module, partly))("any text"))
      expectThat(
        facts === "threw" || facts.every(({ state }) => state !== "no_match"),
        "a match, unknown facts or an error, because what was not read may be unsafe",
      )
    }),
    contractCase("as a guard reads the texts that each of its rules has to read", async () => {
      if (module.guard !== true) return
      const { reader, questions } = await open(module, options)
      const asked = new Set<string>()
      const input = signalInput("any text", options.before)
      const textsFor: SignalInput["textsFor"] = (rule) => {
        asked.add(rule.name)
        return input.textsFor(rule)
      }
      await reader.read({ ...input, textsFor }, questions as never)
      for (const name of names) expectThat(asked.has(name), `rule "${name}" to read input.textsFor(rule)`)
    }),
    contractCase("closes without an error", async () => {
      const { reader } = await open(module, options)
      await reader.close?.()
    }),
  ]
}

/** What a signal reads in a text, or in the blocks of a message. */
async function openReader<Rule extends TObject>(
  module: SignalModule<Rule>,
  options: SignalContractOptions<Rule>,
): Promise<(said: string | Turn["blocks"]) => Promise<readonly Fact[]>> {
  const { reader, questions } = await open(module, options)
  return async (said) =>
    reader.read(
      inputOf(said, options.before, (type) => options.facts?.[type] ?? []),
      questions as never,
    )
}

/** A signal that is set up, and the questions that its `needs` allow. */
async function open<Rule extends TObject>(module: SignalModule<Rule>, options: SignalContractOptions<Rule>) {
  const all = createFakeQuestions(createFakeInference(options.inference))
  const vectors = questionsIn(module).includes("embed") ? { embedAll: all.embedAll } : {}
  const host = { ...grantedHost(), settings: options.settings ?? {}, ...vectors, ...options.host }
  return { reader: await module.setup(options.rules, host as never), questions: granted(module, all) }
}

const prefix = "inference."

const questionsIn = <Rule extends TObject>({ needs = [] }: SignalModule<Rule>): readonly string[] =>
  needs.flatMap((need) => (need.startsWith(prefix) ? [need.slice(prefix.length)] : []))

/** A signal that asks what it does not need finds no such function, as in the kernel. */
const granted = <Rule extends TObject>(module: SignalModule<Rule>, all: object): object =>
  Object.fromEntries(Object.entries(all).filter(([question]) => questionsIn(module).includes(question)))

const outcomeOf = (read: () => Promise<readonly Fact[]>): Promise<readonly Fact[] | "threw"> =>
  read().catch(() => "threw" as const)

/** Throws what a document with these rules would be refused for. */
async function expectValid<Rule extends TObject>(
  module: SignalModule<Rule>,
  rules: readonly RuleOf<Rule>[],
): Promise<void> {
  const schema = ruleSchema(module)
  for (const entry of rules) expectFits(schema, entry, `rule "${entry.name}"`)
  await module.check?.(rules, refuseReports("the rules"))
}

/** A rule as documents have it. Rules of a section of their own are made by the module. */
const ruleSchema = <Rule extends TObject>({ rule, guard, routing }: SignalModule<Rule>): TSchema =>
  (routing === undefined ? section : Type.Object)({
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    ...(guard === true && (guardRule as TProperties)),
    ...(rule.properties as TProperties),
  })

function expectFacts(facts: readonly Fact[], names: readonly string[]): void {
  expectThat(Array.isArray(facts), `read to return a list of facts, got ${String(facts)}`)
  expectThat(
    facts
      .map(({ rule }) => rule)
      .toSorted()
      .join() === names.toSorted().join(),
    `one fact for each of ${names.join(", ")}`,
  )
  for (const fact of facts) expectThat(isWellFormed(fact), `a well-formed fact, got ${JSON.stringify(fact)}`)
}

function isWellFormed({ state, confidence, value, atLeast, reason }: Fact): boolean {
  const finite =
    Number.isFinite(confidence) && confidence >= 0 && confidence <= 1 && (value === undefined || Number.isFinite(value))
  return (
    finite &&
    ["match", "no_match", "unknown"].includes(state) &&
    (state === "unknown" || atLeast === true) === (reason !== undefined)
  )
}
