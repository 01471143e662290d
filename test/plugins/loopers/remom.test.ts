import { type ChatReply, RtrError } from "rtr"
import { type FakeCandidate, looperCall, looperContract, looperOf, modelReply, wholeReply } from "rtr/testing"
import { describe, expect, test } from "vitest"
import looper from "../../../ts/plugins/loopers/remom.ts"
import { bytesPerToken, lastTokens } from "../../../ts/plugins/_shared/loopers/compact.ts"
import { distributeCalls } from "../../../ts/plugins/_shared/loopers/distribute.ts"

describe("contract", () => {
  for (const options of [{}, { breadth_schedule: [2, 1], model_distribution: "round_robin" }])
    for (const { name, run } of looperContract(looper, {
      options,
      invalidOptions: [{ temperature: 1 }, { breadth_schedule: [1], synthesis_template: "{{with .A}}{{end}}" }],
    }))
      test(`${name} (${JSON.stringify(options)})`, run)
})

test("the model of the last call must be one of the decision's", () => {
  const said: string[] = []
  const around = { candidates: ["a", "b"], models: new Set(["a", "b", "c"]) }
  looper.check?.({ breadth_schedule: [1], synthesis_model: "c" }, (_, message) => void said.push(message), around)
  expect(said).toEqual(["must be one of the decision's modelRefs, which are a, b"])
})

describe("calls of a round", () => {
  const counts = (calls: number, weights: readonly number[], how: "weighted" | "equal") => {
    const models = distributeCalls(calls, weights, how, 42)
    return weights.map((_, index) => models.filter((model) => model === index).length)
  }

  test("go by weight, the rest to the largest remainders", () => {
    // 5 · (5, 3, 2) / 10 = 2.5, 1.5, 1: whole parts 2, 1, 1, and the one that is left to the first of the equal remainders.
    expect(counts(5, [5, 3, 2], "weighted")).toEqual([3, 1, 1])
    // 4 · (0.7, 0.2, 0.1) = 2.8, 0.8, 0.4: whole parts 2, 0, 0, two are left for 0.8 and 0.8.
    expect(counts(4, [0.7, 0.2, 0.1], "weighted")).toEqual([3, 1, 0])
    expect(counts(4, [1, 0, 0], "weighted")).toEqual([4, 0, 0])
    expect(counts(4, [0, 0, 0], "weighted")).toEqual([2, 1, 1])
    expect(counts(5, [9, 0, 0], "equal")).toEqual([2, 2, 1])
  })

  test("go round, or to the first", () => {
    expect(distributeCalls(4, [1, 1, 1], "round_robin", 0)).toEqual([0, 1, 2, 0])
    expect(distributeCalls(3, [0, 5], "first_only", 0)).toEqual([0, 0, 0])
  })

  test("are in the same order for the same seed", () => {
    const order = (seed: number) => distributeCalls(8, [1, 1, 1, 1], "equal", seed)
    expect(order(42)).toEqual(order(42))
    expect(new Set([0, 1, 2, 3].map((seed) => order(seed).join())).size).toBeGreaterThan(1)
  })
})

test("a compacted text is the end that has room", () => {
  expect(lastTokens("abcdefghij", 1, 4)).toBe("ghij")
  expect(lastTokens("abcdefghij", 3, 4)).toBe("abcdefghij")
  // Two bytes each; three bytes would begin within a character.
  expect(lastTokens("äöü", 1, 3)).toBe("ü")
  // 1.5 tokens of 3 bytes are 4.5, and as many bytes as are begun.
  expect(lastTokens("abcdefghij", 1.5, 3)).toBe("fghij")
  const usage = (outputTokens: number) => ({ inputTokens: 1, outputTokens, cachedInputTokens: 0 })
  expect([
    bytesPerToken(["abcdef", "äö"], usage(5)),
    bytesPerToken(["abc"], undefined),
    bytesPerToken([""], usage(3)),
  ]).toEqual([2, 4, 4])
})

const models = ["a", "b", "c"].map((model) => ({ model, score: 1, card: undefined, pricing: undefined }))

async function runWith(answers: FakeCandidate, options: object) {
  const { run } = await looperOf(looper, { options: options as never }, models)
  const { call, asked, kept } = looperCall(answers)
  const answer = await run(call)
  return { answer, asked, kept, text: textOf(wholeReply(answer)) }
}

const textOf = ({ choices }: ChatReply) => (choices[0]?.blocks[0] as { readonly text: string } | undefined)?.text
const promptOf = ({ request }: Parameters<FakeCandidate>[0]) =>
  (request.turns.at(-1)?.blocks[0] as { readonly text: string } | undefined)?.text ?? ""

/** Each call answers with the number that it is. */
function counting(): FakeCandidate {
  let calls = 0
  return ({ candidate }) => modelReply(`reply ${++calls} of ${models[Number(candidate)]?.model}`)
}

test("each round reads the replies of the one before, and one model answers", async () => {
  const { text, asked, answer } = await runWith(counting(), {
    breadth_schedule: [3, 2],
    model_distribution: "round_robin",
    synthesis_model: "c",
    temperature: 0.6,
    max_completion_tokens: 100,
    max_responses_per_round: 2,
    include_intermediate_responses: true,
  })
  expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2, 0, 1, 2])
  expect(text).toBe("reply 6 of c")
  expect(
    asked.every(({ request: { generation } }) => generation.temperature === 0.6 && generation.maxOutputTokens === 100),
  ).toBe(true)
  expect(promptOf(asked[0]!)).toBe("How far is the moon?")
  for (const each of asked.slice(3, 5)) {
    expect(promptOf(each)).toContain("How far is the moon?")
    expect(promptOf(each).match(/reply [123] of/g)).toHaveLength(2)
  }
  expect(promptOf(asked[5]!).match(/reply [45] of/g)).toHaveLength(2)
  expect(answer).toMatchObject({ candidate: 2, reason: "2 rounds with 4 replies" })
  expect(answer.extensions?.fields["reasoning_mom_responses"]).toMatchObject([
    { round: 1, breadth: 2 },
    { round: 2, breadth: 2 },
  ])
})

test("a template of the document is filled in, with the reasoning where it is wanted", async () => {
  const template =
    "{{.OriginalContent}}{{range $i, $r := .ReferenceResponses}}|{{add $i 1}} {{$r.Model}} {{$r.Reasoning}} {{$r.Content}}{{end}}"
  const thinking: FakeCandidate = ({ candidate }) => ({
    ...modelReply("x"),
    choices: [
      {
        blocks: [
          { type: "reasoning", text: `thought ${candidate}` },
          { type: "text", text: "{{.OriginalContent}}" },
        ],
        stop: "stop",
      },
    ],
  })
  const options = { breadth_schedule: [1], model_distribution: "first_only", synthesis_template: template }
  const plain = await runWith(thinking, options)
  expect(promptOf(plain.asked[1]!)).toBe("How far is the moon?|1 a  {{.OriginalContent}}")
  const whole = await runWith(thinking, { ...options, include_reasoning: true })
  expect(promptOf(whole.asked[1]!)).toBe("How far is the moon?|1 a thought 0 {{.OriginalContent}}")
})

const down = new RtrError("upstream_unavailable", "down")

test("a call that fails is skipped, and a round that fails leaves the longest reply before it", async () => {
  const one: FakeCandidate = (each) => {
    if (each.candidate === 1) throw down
    return modelReply(each.candidate === 2 ? "a longer reply" : "short")
  }
  const options = { breadth_schedule: [3], model_distribution: "round_robin" }
  expect((await runWith(one, options)).answer.reason).toBe("1 rounds with 2 replies")
  const atTheEnd = await runWith(
    (each) => (promptOf(each).includes("Answers:") ? Promise.reject(down) : one(each)),
    options,
  )
  expect([atTheEnd.text, atTheEnd.answer.candidate]).toEqual(["a longer reply", 2])
  expect(atTheEnd.kept.at(-1)).toMatchObject({ candidate: 2 })
  await expect(runWith(one, { ...options, on_error: "fail" })).rejects.toBe(down)
})

test("a round waits for no more replies than it needs, and for none longer than it may", async () => {
  const slow: FakeCandidate = ({ candidate }) =>
    candidate === 2 ? new Promise(() => {}) : modelReply(`reply of ${candidate}`)
  const options = { breadth_schedule: [3], model_distribution: "round_robin" }
  expect((await runWith(slow, { ...options, min_successful_responses: 2 })).answer.reason).toBe(
    "1 rounds with 2 replies",
  )
  expect((await runWith(slow, { ...options, round_timeout_seconds: 1 })).answer.reason).toBe("1 rounds with 2 replies")
})

test("a reply without content is no reply", async () => {
  const { asked, text } = await runWith(
    ({ candidate, request }) => modelReply(candidate === 0 || request.turns.length > 1 ? " " : `reply of ${candidate}`),
    {
      breadth_schedule: [2],
      model_distribution: "round_robin",
      synthesis_model: "b",
    },
  )
  expect([asked.length, text]).toEqual([3, "reply of 1"])
  expect(promptOf(asked[2]!)).not.toContain("(a)")
})
