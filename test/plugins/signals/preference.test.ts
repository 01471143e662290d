import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/preference.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** Texts are angles: their vectors are alike by the cosine of their difference. */
const embed = (text: string): readonly number[] => {
  const angle = (Number.parseFloat(text) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)

async function read(rules: readonly Rule[], text: string, settings: object = {}): Promise<readonly Fact[]> {
  return (
    await readerOf(signal as never, { rules: rules as never, settings: settings as never, inference: { embed } })
  )(text)
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

const terse: Rule = { name: "terse", description: "0", examples: ["20"], threshold: 0.7 }
const long: Rule = { name: "long", examples: ["90"], threshold: 0.7 }

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [
      { name: "terse", description: "short answers", examples: ["keep it brief"], threshold: 0.5 },
      { name: "long", examples: ["tell me everything"] },
    ],
    invalidRules: [{ name: "empty" }, { name: "blank", description: " ", examples: [] }],
  }))
    test(name, run)
})

test("the description is an example like the others", async () => {
  // Both prototypes count: 0.75 of the best and 0.25 of the mean.
  const score = 0.75 * cos(10) + 0.25 * ((cos(10) + cos(10)) / 2)
  const [fact] = await read([{ ...terse, examples: ["40"] }], "20")
  expect(fact?.value).toBeCloseTo(0.75 * cos(20) + 0.25 * cos(20), 5)
  expect((await read([{ ...terse, examples: ["20"] }], "10"))[0]?.value).toBeCloseTo(score, 5)
})

test("the best rule matches if it reaches its own threshold, and no other one", async () => {
  expect(await matching([terse, long], "0")).toEqual(["terse"])
  expect(await matching([terse, long], "80")).toEqual(["long"])
  expect(
    await matching(
      [
        { ...terse, threshold: 0.99 },
        { ...long, threshold: -1 },
      ],
      "30",
    ),
  ).toEqual([])
  expect(await matching([terse, long], "200")).toEqual([])
})

test("a winner that is hardly ahead is none where a margin is asked for", async () => {
  const rules = [
    { name: "a", examples: ["0"] },
    { name: "b", examples: ["60"] },
  ]
  // cos 28° − cos 32° = 0.035
  expect(await matching(rules, "28")).toEqual(["a"])
  expect(await matching(rules, "28", { prototype_scoring: { margin_threshold: 0.03 } })).toEqual(["a"])
  expect(await matching(rules, "28", { prototype_scoring: { margin_threshold: 0.04 } })).toEqual([])
  expect(await matching(rules.slice(0, 1), "28", { prototype_scoring: { margin_threshold: 0.04 } })).toEqual(["a"])
})

test("equals go by their names", async () => {
  const same = (name: string): Rule => ({ name, examples: ["0"] })
  expect(await matching([same("b"), same("a")], "0")).toEqual(["a"])
})

test("nothing to read matches nothing", async () => {
  expect(await read([terse], " ")).toEqual([{ rule: "terse", state: "no_match", confidence: 0, value: 0 }])
})

test("a model that names the preference is asked for in vain", () => {
  const problems = (useContrastive: boolean): readonly string[] => {
    const told: string[] = []
    const classifier = { preference: { use_contrastive: useContrastive } }
    const document = { global: { model_catalog: { modules: { classifier } } } }
    signal.check?.([terse], (_, message) => told.push(message), { document })
    return told
  }
  expect(problems(false)).toEqual([expect.stringContaining("use_contrastive: false")])
  expect(problems(true)).toEqual([])
})

test.each([
  [{ examples: ["a"], threshold: 0.7 }, true],
  [{ examples: [""] }, false],
  [{ threshold: 2 }, false],
])("options of a rule %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))

test.each([
  [{ use_contrastive: true, prototype_scoring: { margin_threshold: 0.05 } }, true],
  [{ use_contrastive: "no" }, false],
])("settings %j are valid: %s", (settings, valid) =>
  expect(Value.Check(signal.settings?.schema as never, settings)).toBe(valid),
)
