import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/preference.ts"
import { documentWith, problemsOf } from "../../fakes/document.ts"
import { failures, outsideKernel } from "../../fakes/outside.ts"
import { completion, jsonReply } from "../../fakes/transport.ts"

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

describe("an external model that names the preference", () => {
  const judge = {
    name: "judge",
    model_role: "preference",
    llm_endpoint: { address: "helper.example", port: 9000 },
    llm_model_name: "judge-7b",
  }
  const changesOf = (policy?: string): Readonly<Record<string, unknown>> => ({
    "routing.signals": {
      preferences: [
        { name: "brief", description: "wants few words", examples: ["keep it short"] },
        { name: "thorough", description: "wants everything" },
      ],
    },
    "routing.decisions.0.rules": {
      type: "preference",
      name: "brief",
      ...(policy !== undefined && { on_error: policy }),
    },
    "global.model_catalog": {
      external: [judge],
      modules: { classifier: { preference: { use_contrastive: false } } },
      signal_timeout_ms: 300,
    },
  })

  test("matches that rule and no other, or none", async () => {
    const kernel = await outsideKernel({
      changes: changesOf(),
      answer: ({ body }) => jsonReply(completion(JSON.stringify({ label: body.messages[1].content }))),
    })
    expect([await kernel.route("brief"), await kernel.route("thorough"), await kernel.route("other")]).toEqual([
      ["rush", null],
      ["–", null],
      ["–", null],
    ])
    const [{ body } = { body: undefined }] = kernel.asked
    expect(body).toMatchObject({ model: "judge-7b", max_tokens: 1000 })
    expect(body.messages[0].content).toContain(
      '- "brief": wants few words; keep it short\n- "thorough": wants everything',
    )
  })

  for (const [what, [answer, reason]] of Object.entries(failures))
    test(`and that ${what} leaves all of them unknown; on_error decides`, async () => {
      const found: unknown[] = []
      for (const policy of ["match", "no_match"])
        found.push(await (await outsideKernel({ changes: changesOf(policy), answer })).route("Hello"))
      const unknown = `preference:brief=${reason},preference:thorough=${reason}`
      expect(found).toEqual([
        ["rush", unknown],
        ["–", unknown],
      ])
    })

  test("has to be in the list", () => {
    expect(problemsOf(documentWith({ ...changesOf(), "global.model_catalog.external": [] }))).toEqual([
      "global.model_catalog.modules.classifier.preference.use_contrastive: needs a model of role preference in global.model_catalog.external",
    ])
  })
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
