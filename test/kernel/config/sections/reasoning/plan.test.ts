import { describe, expect, test } from "vitest"
import { formatPath } from "../../../../../ts/kernel/schema/problem.ts"
import { documentWith, load, problemsOnLoad } from "../../../../fakes/document.ts"
import { compileWith } from "../../../../fakes/services.ts"

type Changes = Readonly<Record<string, unknown>>

const model = "providers.models[1]"
const ref = "routing.decisions[0].modelRefs[0]"

/** The small document, whose decision picks its second model. */
const changes = (ofModel: object, ofRef: object, more: Changes = {}): Changes => ({
  "providers.models.1": { name: "large", backend_refs: [{ endpoint: "h" }], ...ofModel },
  "routing.decisions.0.modelRefs": [{ model: "large", ...ofRef }],
  ...more,
})

async function choiceOf(ofModel: object, ofRef: object, more: Changes = {}) {
  const { plan } = await compileWith((await load(documentWith(changes(ofModel, ofRef, more)))).document)
  return plan.decisions[0]?.candidates[0]?.reasoning
}

const told = async (ofModel: object, ofRef: object, more: Changes = {}): Promise<readonly string[]> => {
  const document = documentWith(changes(ofModel, ofRef, more))
  const problems = await problemsOnLoad(document)
  const found = problems.length > 0 ? problems : (await load(document)).warnings
  return found.map(({ path, message }) => `${formatPath(path)}: ${message}`)
}

const qwen = { type: "chat_template_kwargs", parameter: "enable_thinking" } as const
const declared: Changes = { "providers.defaults.reasoning_families": { mine: qwen } }

describe("the choice of a candidate", () => {
  test("is off unless it says otherwise, with the effort that is nearest to it", async () => {
    const family = { reasoning_family: "mine" }
    expect(await choiceOf(family, {}, declared)).toEqual({ enabled: false, effort: "medium", family: qwen })
    expect(await choiceOf(family, { use_reasoning: true }, declared)).toMatchObject({ enabled: true, effort: "medium" })
    const low: Changes = { ...declared, "providers.defaults.reasoning_effort": "low" }
    expect(await choiceOf(family, { use_reasoning: true }, low)).toMatchObject({ effort: "low" })
    const inline = { reasoning: { type: "reasoning_effort", parameter: "p", levels: ["low", "high"], default: "high" } }
    expect(await choiceOf(inline, { use_reasoning: true }, low)).toMatchObject({ effort: "high" })
    expect(await choiceOf(inline, { use_reasoning: true, reasoning_effort: "low" })).toMatchObject({ effort: "low" })
  })

  test("follows families that no document has to declare, and a document that declares one of the same name", async () => {
    const on = { use_reasoning: true }
    expect(await choiceOf({ reasoning: { family: "qwen3" } }, on)).toEqual({
      enabled: true,
      effort: "medium",
      mode: "enabled",
      family: { ...qwen, modes: ["enabled", "disabled"] },
    })
    expect(await choiceOf({ reasoning: { family: "nemotron-super" } }, on)).toEqual({
      enabled: true,
      effort: "high",
      mode: "enabled",
      family: {
        type: "reasoning_effort",
        parameter: "reasoning_effort",
        activationParameter: "enable_thinking",
        effortFlags: { low: "low_effort" },
        modes: ["enabled", "disabled"],
      },
    })
    const own: Changes = { "providers.defaults.reasoning_families": { qwen3: { ...qwen, parameter: "own" } } }
    expect(await choiceOf({ reasoning_family: "qwen3" }, on, own)).toMatchObject({ family: { parameter: "own" } })
  })

  test("has the mode that it names, or that of its family", async () => {
    const opus = { reasoning: { family: "claude-effort-opt-in" } }
    expect(await choiceOf(opus, { use_reasoning: true })).toMatchObject({ enabled: true, mode: "adaptive" })
    expect(await choiceOf(opus, {})).toMatchObject({ enabled: false, mode: "disabled" })
    expect(await choiceOf(opus, { reasoning_mode: "adaptive" })).toMatchObject({ enabled: true, mode: "adaptive" })
    const mini = { reasoning: { family: "minimax-m3" } }
    expect(await choiceOf(mini, { reasoning_mode: "enabled" })).toMatchObject({ enabled: true, mode: "enabled" })
  })

  test("without a family is for hosts that have one way for all their models", async () => {
    const on = { use_reasoning: true, reasoning_effort: "high" }
    const openai = { backend_refs: [{ base_url: "https://gateway.example/v1", provider: "openai" }] }
    const choice = { enabled: true, effort: "high", family: undefined }
    expect(await choiceOf(openai, on)).toEqual(choice)
    expect(await choiceOf(openai, {})).toBeUndefined()
    expect(await choiceOf({}, on)).toBeUndefined()
  })
})

test("backends of a document that asks for reasoning know how they are told", async () => {
  const family = { reasoning: { family: "gpt-oss" } }
  const openai = { backend_refs: [{ base_url: "https://gateway.example/v1", provider: "openai" }], ...family }
  const sent = async (ofModel: object) => {
    const { plan } = await compileWith((await load(documentWith(changes(ofModel, { use_reasoning: true })))).document)
    const { target, reasoning } = plan.decisions[0]?.candidates[0] ?? {}
    return reasoning && target?.backends[0]?.writeReasoning?.({}, reasoning)
  }
  expect(await sent(openai)).toEqual({ reasoning_effort: "medium" })
  expect(await sent(family)).toEqual({ chat_template_kwargs: { reasoning_effort: "medium" } })
  expect(await sent({ ...openai, api_format: "responses" })).toEqual({ reasoning: { effort: "medium" } })
})

test.each<[string, object, object, readonly string[], Changes?]>([
  ["nothing", {}, {}, []],
  [
    "a family that nobody knows",
    { reasoning_family: "qwen33" },
    {},
    [
      `${model}.reasoning_family: "qwen33" is neither in providers.defaults.reasoning_families nor a family that is known (did you mean "qwen3"?)`,
    ],
  ],
  [
    "a family in both spellings",
    { reasoning_family: "glm", reasoning: { family: "glm" } },
    {},
    [`${model}.reasoning_family: stands beside reasoning; keep one`],
  ],
  [
    "a declared family of the wrong parameter",
    {},
    {},
    [
      'providers.defaults.reasoning_families.g.parameter: must be "reasoning_effort" for type top_level_reasoning_effort',
    ],
    { "providers.defaults.reasoning_families": { g: { type: "top_level_reasoning_effort", parameter: "p" } } },
  ],
  [
    "a switch that nobody can tell the model",
    {},
    { use_reasoning: true },
    [
      `${ref}.use_reasoning: has no effect: how a model at this provider is told depends on its family; write reasoning: { family: … } at model "large"`,
    ],
  ],
  [
    "a switch at a host that can",
    { provider: "openai", backend_refs: [{ endpoint: "h" }] },
    { use_reasoning: true },
    [],
  ],
  [
    "a mode without a family",
    {},
    { reasoning_mode: "adaptive" },
    [`${ref}.reasoning_mode: needs reasoning at model "large" with the modes it has`],
  ],
  [
    "a mode that the family lacks",
    { reasoning: { family: "glm" } },
    { reasoning_mode: "adaptive" },
    [`${ref}.reasoning_mode: is not one of the modes of model "large": enabled, disabled`],
  ],
  [
    "a mode against the switch",
    { reasoning: { family: "minimax-m3" } },
    { use_reasoning: false, reasoning_mode: "adaptive" },
    [`${ref}.reasoning_mode: says something else than use_reasoning: false; keep one`],
  ],
  [
    "an effort without reasoning",
    { reasoning: { family: "gpt" } },
    { reasoning_effort: "low" },
    [`${ref}.reasoning_effort: has no effect without use_reasoning: true`],
  ],
  [
    "an effort of a switched family",
    { reasoning: { family: "qwen3" } },
    { use_reasoning: true, reasoning_effort: "low" },
    [
      `${ref}.reasoning_effort: has no effect: reasoning of model "large" is only switched, and has no efforts; remove it`,
    ],
  ],
  [
    "an effort that the family lacks",
    { reasoning: { family: "gpt-oss" } },
    { use_reasoning: true, reasoning_effort: "max" },
    [`${ref}.reasoning_effort: is not one of the efforts of model "large": low, medium, high`],
  ],
  [
    "a model that always reasons",
    { reasoning: { family: "gpt-oss" } },
    { use_reasoning: false },
    [`${ref}.use_reasoning: has no effect: model "large" always reasons`],
  ],
  [
    "a model that is only told efforts",
    { reasoning: { type: "reasoning_effort", parameter: "p" } },
    { use_reasoning: false },
    [
      `${ref}.use_reasoning: does not switch reasoning of model "large" off: it is only told efforts; a disabled effort or an activation_parameter in its reasoning would`,
    ],
  ],
  [
    "no problem with efforts of which one means none",
    { reasoning: { type: "reasoning_effort", parameter: "p", disabled: "none" } },
    { use_reasoning: false },
    [],
  ],
])("%s is told", async (_, ofModel, ofRef, problems, more) =>
  expect(await told(ofModel, ofRef, more)).toEqual(problems),
)
