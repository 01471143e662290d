import { type ChatReply, RtrError } from "rtr"
import { type FakeCandidate, looperCall, looperContract, looperOf, modelReply, wholeReply } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { readAnalysis } from "../../../ts/plugins/_shared/loopers/fusion-prompts.ts"
import looper from "../../../ts/plugins/loopers/fusion.ts"

describe("contract", () => {
  for (const options of [{}, { analysis_mode: "none" }])
    for (const { name, run } of looperContract(looper, {
      options,
      invalidOptions: [
        { grounding: { enabled: true } },
        { quorum_failure_policy: "fallback" },
        { quorum_fallback_target: "x" },
        { analysis_mode: "none", analysis_template: "x" },
        { analysis_overrides: [{ model: "a" }, { model: "a" }] },
        { analysis_models: ["a", "b"], min_successful_responses: 3 },
      ],
    }))
      test(`${name} (${JSON.stringify(options)})`, run)
})

test("models that are not in the document are refused", () => {
  const said: string[] = []
  const around = { candidates: ["a", "b"], models: new Set(["a", "b", "c"]) }
  const report = (at: readonly (string | number)[], message: string) => void said.push(`${at.join(".")} ${message}`)
  looper.check?.({ model: "c", analysis_models: ["a", "x"] }, report, around)
  expect(said).toEqual(['analysis_models.1 "x" is not in providers.models'])
})

const names = ["a", "b", "c"]
const candidates = names.map((model) => ({ model, score: 1, card: undefined, pricing: undefined }))
const textOf = ({ choices }: ChatReply) => (choices[0]?.blocks[0] as { readonly text: string } | undefined)?.text
const promptOf = ({ request }: Parameters<FakeCandidate>[0]) =>
  (request.turns.at(-1)?.blocks[0] as { readonly text: string } | undefined)?.text ?? ""
const analysis = { consensus: ["it is far"], contradictions: [], blind_spots: ["how far"] }

/** The panel answers with its names, the judge with an analysis and then an answer. */
const panel: FakeCandidate = (each) => {
  const prompt = promptOf(each)
  if (prompt.includes('"consensus"') && prompt.includes("Reply with one JSON"))
    return modelReply(JSON.stringify(analysis))
  if (prompt.includes("final answer")) return modelReply("the final answer")
  return modelReply(`answer of ${names[Number(each.candidate)] ?? each.candidate}`)
}

async function runWith(answers: FakeCandidate, options: object = {}, extensions: object = {}) {
  const { run } = await looperOf(looper, { options: options as never }, candidates)
  const { call, asked, kept } = looperCall(answers)
  const answer = await run({ ...call, request: { ...call.request, extensions: extensions as never } })
  return { answer, asked, kept, text: textOf(wholeReply(answer)) }
}

test("the panel answers, the judge compares and answers", async () => {
  const options = {
    model: "c",
    analysis_models: ["a", "b", "a"],
    temperature: 0.2,
    max_completion_tokens: 50,
    analysis_overrides: [{ model: "b", temperature: 0.9, max_completion_tokens: 20 }],
  }
  const { answer, asked, text, kept } = await runWith(panel, options)
  expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2, 2])
  expect(asked.map(({ request: { generation: g } }) => [g.temperature, g.maxOutputTokens])).toEqual([
    [0.2, 50],
    [0.9, 20],
    [0.2, 50],
    [0.2, 50],
  ])
  expect(text).toBe("the final answer")
  expect(promptOf(asked[3]!)).toContain("it is far")
  expect(promptOf(asked[3]!)).toContain("Response 2 (b):\nanswer of b")
  expect(answer).toMatchObject({ candidate: 2, reason: "2 of 2 models of the panel" })
  expect(answer.extensions?.fields).toEqual({
    fusion: {
      analysis,
      responses: [
        { model: "a", content: "answer of a" },
        { model: "b", content: "answer of b" },
      ],
      judge_model: "c",
      analysis_models: ["a", "b"],
      prompt_version: "fusion-v1",
    },
  })
  expect(kept).toMatchObject([{ candidate: 0 }, { candidate: 1 }])
})

test("the first model of the panel is the judge, and without a comparison there is one call less", async () => {
  expect((await runWith(panel)).asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2, 0, 0])
  const { asked, answer } = await runWith(panel, {
    analysis_mode: "one_call",
    include_analysis: false,
    include_intermediate_responses: false,
  })
  expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2, 0])
  expect(promptOf(asked[3]!)).not.toContain("Comparison:")
  expect(answer.extensions).toBeUndefined()
})

test("a judge that compares in words is told as it is, and one that fails is done without", async () => {
  const wordy: FakeCandidate = (each) =>
    promptOf(each).includes('"consensus"') ? modelReply("They agree.") : panel(each)
  expect((await runWith(wordy)).answer.extensions?.fields).toMatchObject({
    fusion: { analysis: { raw: "They agree.", parse_failed: true } },
  })
  const failing: FakeCandidate = (each) => {
    if (promptOf(each).includes('"consensus"')) throw down
    return panel(each)
  }
  expect((await runWith(failing, { on_error: "fail" })).text).toBe("the final answer")
})

test("an analysis is read with words around it", () => {
  expect(readAnalysis('Sure:\n```json\n{"consensus": ["a", 1], "other": []}\n```')).toEqual({ consensus: ["a"] })
  expect(readAnalysis('so {"blind_spots": []} it is')).toEqual({ blind_spots: [] })
  expect(readAnalysis("{}")).toEqual({ raw: "{}", parse_failed: true })
})

test("templates of the document are filled in once", async () => {
  const cunning: FakeCandidate = (each) =>
    promptOf(each).startsWith("J:") ? modelReply(JSON.stringify(analysis)) : modelReply("{{original}}")
  const { asked } = await runWith(cunning, {
    analysis_models: ["a"],
    analysis_template: "J: {{original}} {{responses}} {{other}}",
    synthesis_template: "S: {{analysis}}|{{responses}}",
  })
  expect(promptOf(asked[1]!)).toBe("J: How far is the moon? Response 1 (a):\n{{original}} {{other}}")
  expect(promptOf(asked[2]!)).toBe(`S: ${JSON.stringify(analysis, undefined, 2)}|Response 1 (a):\n{{original}}`)
})

const down = new RtrError("upstream_unavailable", "down")
const without =
  (...failing: readonly number[]): FakeCandidate =>
  (each) => {
    if (failing.includes(Number(each.candidate)) && each.request.turns.length === 1) throw down
    return panel(each)
  }

describe("a panel with fewer replies", () => {
  test("goes on with those that it has, unless the document says fail", async () => {
    const { answer } = await runWith(without(0), { model: "b" })
    expect(answer.reason).toBe("2 of 3 models of the panel")
    expect(answer.extensions?.fields).toMatchObject({
      fusion: { failed_models: [{ model: "a", error: "upstream_unavailable" }] },
    })
    await expect(runWith(without(0), { on_error: "fail" })).rejects.toBe(down)
    await expect(runWith(without(0, 1, 2))).rejects.toBe(down)
  })

  test("than its quorum is refused, or another model answers", async () => {
    const options = { analysis_models: ["a", "b"], min_successful_responses: 2 }
    await expect(runWith(without(0), { ...options, quorum_failure_policy: "fail" })).rejects.toThrow(
      'Decision "test" got only 1 of 2 replies of the panel that it needs',
    )
    const { answer, text } = await runWith(without(0), {
      ...options,
      quorum_failure_policy: "fallback",
      quorum_fallback_target: "c",
    })
    expect([text, answer.candidate, answer.extensions]).toEqual(["answer of c", 2, undefined])
  })

  test("answers with its longest reply when the judge fails", async () => {
    const lost: FakeCandidate = (each) => {
      if (promptOf(each).includes("final answer")) throw down
      return modelReply(each.candidate === 1 ? "the longest answer" : "short")
    }
    expect((await runWith(lost)).text).toBe("the longest answer")
    await expect(runWith(lost, { on_error: "fail" })).rejects.toBe(down)
  })
})

describe("a client", () => {
  const override = (fields: object) => ({ plugins: [{ id: "web" }, { id: "fusion", ...fields }] })

  test("may choose among the decision's models and set limits", async () => {
    const { asked } = await runWith(
      panel,
      { model: "c" },
      override({ model: "b", analysis_models: ["a", "b"], temperature: 1, include_analysis: false }),
    )
    expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 1, 1])
    expect(asked.every(({ request }) => request.generation.temperature === 1)).toBe(true)
    expect(asked[0]?.request.extensions).toEqual({ plugins: [{ id: "web" }] })
  })

  test.each<[object, string]>([
    [{ model: "z" }, "plugins[1].model of the request may name models of the decision only: a, b, c"],
    [{ analysis_models: [] }, "must be a list of 1 to 16 model names"],
    [{ on_error: "skip" }, "plugins[1].on_error of the request cannot be set by a request"],
    [{ temperature: "hot" }, "must be from 0 to 2"],
    [{ max_concurrent: 0 }, "must be a whole number above 0"],
  ])("may not say %j", async (fields, message) => {
    await expect(runWith(panel, {}, override(fields))).rejects.toThrow(message)
  })
})
