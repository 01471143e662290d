import { type Candidate, type ChatReply, type Generation, RtrError } from "rtr"
import { type FakeCandidate, looperCall, looperContract, looperOf, modelReply, wholeReply } from "rtr/testing"
import { describe, expect, test } from "vitest"
import looper from "../../../ts/plugins/loopers/confidence.ts"
import { canonical, documentWith, problemsOf } from "../../fakes/document.ts"
import { compileWith } from "../../fakes/services.ts"

const verifier = { confidence_method: "automix_entailment", verifier_server_url: "http://verifier.example" }

describe("contract", () => {
  for (const options of [{}, { confidence_method: "margin" }, { confidence_method: "hybrid", threshold: 0.9 }])
    for (const { name, run } of looperContract(looper, {
      options,
      invalidOptions: [{ confidence_method: "automix_entailment" }, { hybrid_weights: {} }],
    }))
      test(`${name} (${JSON.stringify(options)})`, run)
})

const candidate = (model: string, card?: Candidate["card"], promptPer1m?: number): Candidate => ({
  model,
  score: 1,
  card,
  pricing:
    promptPer1m === undefined
      ? undefined
      : { currency: "USD", promptPer1m, completionPer1m: promptPer1m, cachedInputPer1m: promptPer1m },
})
const two = [candidate("small", { param_size: "7B" }), candidate("large", { param_size: "70B" })]

interface RunOptions {
  readonly options?: object
  readonly answers: FakeCandidate
  readonly candidates?: readonly Candidate[]
  readonly generation?: Generation
  readonly http?: object
}

async function runWith({ options = {}, answers, candidates = two, generation = {}, http }: RunOptions) {
  const host = http === undefined ? {} : { http }
  const { run } = await looperOf(looper, { options: options as never, host }, candidates)
  const { call, asked } = looperCall(answers)
  const request = { ...call.request, generation }
  const answer = await run({ ...call, request })
  return { ...answer, asked, models: asked.map((each) => each.candidate) }
}

/** The confidence of a first reply, by a threshold that accepts it. */
async function confidenceOf(options: object, reply: ChatReply): Promise<number | undefined> {
  return (await runWith({ options: { threshold: 1e-9, ...options }, answers: () => reply })).confidence
}

describe("the confidence of a reply", () => {
  // Each worked out by hand: the mean log-probability m as (m + 3) / 3, the mean margin m as 1 - e^(-m/3).
  test.each<[string, object, readonly (readonly [number, number?])[], number]>([
    ["a mean of -0.6", {}, [[-0.2], [-1.0]], 0.8],
    ["a mean of -1.5", {}, [[-1.5]], 0.5],
    ["certainty", {}, [[0], [0]], 1],
    ["a mean above 0, which no model should report", {}, [[0.5]], 1],
    ["a mean of -2.7", {}, [[-2.7]], 0.1],
    ["tokens of probability 0 aside", {}, [[-0.6], [-Infinity]], 0.8],
    ["a margin of 3", { confidence_method: "margin" }, [[-0.1, -3.1]], 0.632_120_558_8],
    [
      "a mean margin of 1.5",
      { confidence_method: "margin" },
      [
        [-0.5, -1.5],
        [-1, -3],
      ],
      0.393_469_340_3,
    ],
    ["positions with one likely token aside", { confidence_method: "margin" }, [[-0.1, -3.1], [-9]], 0.632_120_558_8],
    // 0.5 · (-0.6 + 3)/3 + 0.5 · (1 - e^-1)
    ["both halves", { confidence_method: "hybrid" }, [[-0.6, -3.6]], 0.716_060_279_4],
    // 0.25 · 0.8 + 0.75 · (1 - e^-1)
    [
      "shares of 0.25 and 0.75",
      { confidence_method: "hybrid", hybrid_weights: { logprob_weight: 0.25, margin_weight: 0.75 } },
      [[-0.6, -3.6]],
      0.674_090_419_1,
    ],
  ])("by %s", async (_, options, tokens, expected) => {
    expect(await confidenceOf(options, modelReply("x", tokens))).toBeCloseTo(expected, 9)
  })

  test("counts only tokens of tool-call arguments when told to", async () => {
    const token = (text: string, logprob: number) => ({ token: text, logprob, top: [] })
    const reply = (
      blocks: ChatReply["choices"][0] extends infer Choice
        ? Choice extends { blocks: infer Blocks }
          ? Blocks
          : never
        : never,
    ): ChatReply => ({
      ...modelReply("x"),
      choices: [
        {
          blocks,
          stop: "tool_calls",
          // Only the middle three spell the arguments; their mean is -0.6.
          logprobs: [token("call ", -9), token('{"a"', -0.3), token(":1", -0.6), token("}", -0.9), token(" end", -9)],
        },
      ],
    })
    const options = { token_filter: "tool_call_args" }
    const called = { type: "tool_call", id: "1", name: "f", arguments: '{"a":1}' } as const
    expect(await confidenceOf(options, reply([called]))).toBeCloseTo(0.8, 9)
    // Without a call all five count: (-9 - 0.3 - 0.6 - 0.9 - 9) / 5 = -3.96, which is 0.
    const { confidence, models } = await runWith({ options: { ...options, threshold: 0.1 }, answers: () => reply([]) })
    expect([confidence, models]).toEqual([undefined, [0, 1]])
  })
})

describe("a reply is accepted", () => {
  const unsure = modelReply("unsure", [[-2.7, -2.8]])
  const sure = modelReply("sure", [[-0.06, -6]])

  test("when it reaches the threshold, and otherwise the next model is asked", async () => {
    const options = { threshold: 0.72 }
    const first = await runWith({ options, answers: () => sure })
    expect(first).toMatchObject({ candidate: 0, reason: "avg_logprob 0.98 reaches 0.72", models: [0] })
    const second = await runWith({ options, answers: ({ candidate: index }) => (index === 0 ? unsure : sure) })
    expect(second).toMatchObject({ candidate: 1, reason: "the last of 2 models", models: [0, 1] })
  })

  test("at the threshold exactly", async () => {
    const { models } = await runWith({ options: { threshold: 0.5 }, answers: () => modelReply("x", [[-1.5]]) })
    expect(models).toEqual([0])
  })

  // 0 and nothing are the method's own threshold.
  test.each<[object, readonly (readonly [number, number?])[], boolean]>([
    [{}, [[-9]], true],
    [{ threshold: 0 }, [[-9]], true],
    [{ confidence_method: "margin" }, [[-0.1, -2.19]], true], // 1 - e^-0.6967 = 0.502
    [{ confidence_method: "margin" }, [[-0.1, -2.17]], false], // 1 - e^-0.69 = 0.498
    [{ confidence_method: "hybrid", threshold: 0 }, [[-1.4, -3.6]], true], // (0.5333 + 0.5197) / 2
    [{ confidence_method: "hybrid" }, [[-1.6, -3.6]], false], // (0.4667 + 0.4866) / 2
  ])("by the default of %j: %j is %s", async (options, tokens, accepted) => {
    const { candidate: index } = await runWith({ options, answers: () => modelReply("x", tokens) })
    expect(index).toBe(accepted ? 0 : 1)
  })

  test("of the last model, whatever it is and without asking how sure it is", async () => {
    const {
      candidate: index,
      confidence,
      asked,
    } = await runWith({
      options: { threshold: 1, on_error: "fail" },
      answers: ({ candidate: each }) => (each === 0 ? unsure : modelReply("no log-probabilities")),
    })
    expect([index, confidence]).toEqual([1, undefined])
    expect(asked.map(({ request }) => request.generation)).toEqual([{ logprobs: true }, {}])
  })

  test("by a looper with one model", async () => {
    const { models, reason } = await runWith({ answers: () => modelReply("x"), candidates: two.slice(0, 1) })
    expect([models, reason]).toEqual([[0], "the last of 1 models"])
  })
})

describe("log-probabilities", () => {
  const tokens = [[-0.06, -6]] as const

  test.each<[object, Generation, Generation]>([
    [{}, { temperature: 1 }, { temperature: 1, logprobs: true }],
    [{ confidence_method: "margin" }, {}, { logprobs: true, topLogprobs: 2 }],
    [{ confidence_method: "hybrid" }, { topLogprobs: 5 }, { logprobs: true, topLogprobs: 5 }],
  ])("%j asks for them beside %j", async (options, generation, asks) => {
    const { asked } = await runWith({ options, generation, answers: () => modelReply("x", tokens) })
    expect(asked[0]?.request.generation).toEqual(asks)
  })

  test("that the client did not ask for are taken out, and nothing else", async () => {
    const { reply } = await runWith({ answers: () => modelReply("x", tokens) })
    expect(reply).toEqual(modelReply("x"))
  })

  test("that the client asked for stay, with as many likely tokens as it wanted", async () => {
    const given = modelReply("x", tokens)
    const options = { confidence_method: "margin" }
    const whole = await runWith({ options, answers: () => given, generation: { logprobs: true, topLogprobs: 2 } })
    // The same object: what nobody changed goes out as it came in.
    expect(whole.reply).toBe(given)
    const cut = await runWith({ options, answers: () => given, generation: { logprobs: true } })
    expect(wholeReply(cut).choices[0]?.logprobs).toEqual([{ token: "t0", logprob: -0.06, top: [] }])
  })

  test("a reply without any is the object that the model gave", async () => {
    const given = modelReply("x")
    expect((await runWith({ answers: () => given, candidates: two.slice(0, 1) })).reply).toBe(given)
  })
})

describe("a failure", () => {
  const down = new RtrError("upstream_unavailable", "down")
  const failing =
    (...failed: readonly number[]): FakeCandidate =>
    ({ candidate: index }) => {
      if (failed.includes(Number(index))) throw down
      return modelReply(`answer of ${index}`, [[-2.7]])
    }

  test("of a model is skipped, unless the document says fail", async () => {
    expect(await runWith({ answers: failing(0) })).toMatchObject({ candidate: 1, models: [0, 1] })
    await expect(runWith({ answers: failing(0), options: { on_error: "fail" } })).rejects.toBe(down)
  })

  test("of every model is the last one's", async () => {
    await expect(runWith({ answers: failing(0, 1) })).rejects.toBe(down)
  })

  test("of the last model leaves the last reply there is", async () => {
    const { candidate: index, reason, confidence } = await runWith({ answers: failing(1), options: { threshold: 0.9 } })
    expect([index, reason]).toEqual([0, "no later model answered"])
    expect(confidence).toBeCloseTo(0.1, 9)
  })

  test.each([
    [{}, modelReply("none"), "has no log-probabilities"],
    [{ confidence_method: "margin" }, modelReply("one each", [[-0.1]]), "has no two top log-probabilities"],
  ])("to tell the confidence by %j is one too", async (options, reply, message) => {
    expect(await runWith({ options, answers: () => reply })).toMatchObject({ candidate: 1, models: [0, 1] })
    await expect(runWith({ options: { ...options, on_error: "fail" }, answers: () => reply })).rejects.toThrow(message)
  })
})

describe("self_verify", () => {
  const options = { confidence_method: "self_verify" }
  const judging =
    (judgement: string): FakeCandidate =>
    ({ request }) =>
      modelReply(request.turns.length > 1 ? judgement : "384,400 km")

  test("asks the same model about its own reply, whole and without the client's settings", async () => {
    const {
      asked,
      candidate: index,
      confidence,
    } = await runWith({
      options,
      generation: { temperature: 1, maxOutputTokens: 5, stop: ["x"] },
      answers: judging('{"confidence": 0.7, "reason": "known"}'),
    })
    expect([index, confidence]).toEqual([0, 0.7])
    expect(asked.map(({ candidate: each }) => each)).toEqual([0, 0])
    const { turns, generation, stream } = asked[1]?.request ?? {}
    expect([generation, stream, turns?.length]).toEqual([{ temperature: 0, maxOutputTokens: 256 }, false, 2])
    expect(JSON.stringify(turns?.at(-1))).toContain("384,400 km")
    expect(asked[0]?.request.generation.logprobs).toBeUndefined()
  })

  test.each<[string, readonly number[]]>([
    ['Sure: ```json\n{"confidence": 0.9, "reason": "x"}\n```', [0, 0]],
    ['{"confidence": 0.69}', [0, 0, 1]],
    ['{"confidence": 7}', [0, 0, 1]],
    ['{"confidence": "high"}', [0, 0, 1]],
    ["I am sure", [0, 0, 1]],
    ["} {", [0, 0, 1]],
  ])("%j", async (judgement, asked) => {
    expect((await runWith({ options, answers: judging(judgement) })).models).toEqual(asked)
  })
})

describe("automix_entailment", () => {
  const posting = (answer: unknown) => {
    const calls: unknown[] = []
    const http = {
      json: async (url: string, { method, body, timeoutMs }: Readonly<Record<string, unknown>>) => {
        calls.push({ url, method, body, timeoutMs })
        if (answer instanceof Error) throw answer
        return answer
      },
    }
    return { calls, http }
  }

  test("posts question and reply to the verifier", async () => {
    const { calls, http } = posting({ confidence: 0.85, should_escalate: false })
    const options = { ...verifier, verifier_server_url: "http://verifier.example/v/", verifier_timeout_seconds: 5 }
    const { confidence, models } = await runWith({ options, http, answers: () => modelReply("384,400 km") })
    expect([confidence, models]).toEqual([0.85, [0]])
    expect(calls).toEqual([
      {
        url: "http://verifier.example/v/verify",
        method: "POST",
        body: { question: "How far is the moon?", answer: "384,400 km", threshold: 0.7 },
        timeoutMs: 5000,
      },
    ])
  })

  test.each([[{ confidence: 0.69 }], [{ score: 1 }], [null], [new RtrError("upstream_timeout", "slow")]])(
    "goes on after %j",
    async (answer) => {
      const { http } = posting(answer)
      expect((await runWith({ options: verifier, http, answers: () => modelReply("x") })).models).toEqual([0, 1])
    },
  )

  test("waits 60 seconds when the document does not say", async () => {
    const { calls, http } = posting({ confidence: 1 })
    await runWith({ options: verifier, http, answers: () => modelReply("x") })
    expect(calls).toMatchObject([{ timeoutMs: 60_000 }])
  })
})

describe("the order of the models", () => {
  const all = [
    candidate("unknown"),
    candidate("70B", { param_size: "70B" }, 2),
    candidate("7 billion", { param_size: "7" }, 0.1),
    candidate("500M", { param_size: "500m" }, 0.3),
    candidate("scored", { param_size: "8B", quality_score: 0.95 }, 1),
  ]
  const unsure = () => modelReply("x", [[-9]])

  // automix by hand, t = 0.3 and the highest price 2: unknown .7·.5 + .3·1 = .65; 70B .7·1 + .3·1 = 1;
  // 7B .7·(.3 + .7·.1) + .3·.05 = .274; 500M .7·(.3 + .7/140) + .3·.15 = .2585; scored .7·.95 + .3·.5 = .815
  test.each<[object, readonly number[]]>([
    [{}, [3, 2, 4, 1, 0]],
    [{ escalation_order: "small_to_large" }, [3, 2, 4, 1, 0]],
    [{ escalation_order: "declared" }, [0, 1, 2, 3, 4]],
    [{ escalation_order: "cost" }, [2, 3, 4, 1, 0]],
    [{ escalation_order: "automix" }, [3, 2, 0, 4, 1]],
    // t = 1 is the price alone, and a price that is not known counts as the highest.
    [{ escalation_order: "automix", cost_quality_tradeoff: 1 }, [2, 3, 4, 0, 1]],
    // t = 0 is the quality alone: .5, 1, .37, .3035, .95
    [{ escalation_order: "automix", cost_quality_tradeoff: 0 }, [3, 2, 0, 4, 1]],
  ])("%j", async (options, order) => {
    const { models } = await runWith({ options: { ...options, threshold: 1 }, candidates: all, answers: unsure })
    expect(models).toEqual(order)
  })

  test("is as declared where nothing is known", async () => {
    const none = ["a", "b", "c"].map((model) => candidate(model))
    for (const escalation_order of ["size", "cost", "automix"])
      expect(
        (await runWith({ options: { escalation_order, threshold: 1 }, candidates: none, answers: unsure })).models,
      ).toEqual([0, 1, 2])
  })
})

describe("options", () => {
  const at = "routing.decisions[0].algorithm.confidence"
  const weights = (logprob: number, margin: number) => ({
    confidence_method: "hybrid",
    hybrid_weights: { logprob_weight: logprob, margin_weight: margin },
  })
  const plainUrl = "must be an http or https URL without user, query, fragment and spaces"

  test.each<[object, readonly string[]]>([
    [{}, []],
    [weights(0.3, 0.7), []],
    [weights(0, 0.5), []],
    [weights(0.1, 0.2), [`${at}.hybrid_weights: must sum to 1, where 0 or nothing counts as 0.5; got 0.1 and 0.2`]],
    [weights(0, 0.7), [`${at}.hybrid_weights: must sum to 1, where 0 or nothing counts as 0.5; got 0.5 and 0.7`]],
    [{ hybrid_weights: {} }, [`${at}.hybrid_weights: belongs to confidence_method hybrid, not to avg_logprob`]],
    [{ threshold: 1.1 }, [`${at}.threshold: must be <= 1, got 1.1`]],
    [
      { confidence_method: "automix_entailment" },
      [`${at}.verifier_server_url: is missing; confidence_method automix_entailment asks it`],
    ],
    [verifier, []],
    [
      { verifier_server_url: "http://v", verifier_timeout_seconds: 1 },
      ["verifier_server_url", "verifier_timeout_seconds"].map(
        (key) => `${at}.${key}: belongs to confidence_method automix_entailment, not to avg_logprob`,
      ),
    ],
    ...["ftp://v", "/v", "http://u:p@v", "http://v?x", "http://v/?", "http://v#x", "http://v v", " http://v"].map(
      (url): [object, readonly string[]] => [
        { ...verifier, verifier_server_url: url },
        [`${at}.verifier_server_url: ${plainUrl}`],
      ],
    ),
  ])("%j", (options, problems) =>
    expect(
      problemsOf(documentWith({ "routing.decisions.0.algorithm": { type: "confidence", confidence: options } })),
    ).toEqual(problems),
  )
})

test("a document's decision runs it", async () => {
  const document = canonical({
    "routing.modelCards": [
      { name: "small", param_size: "7B" },
      { name: "large", param_size: "70B" },
    ],
    "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }],
    "routing.decisions.0.algorithm": { type: "confidence" },
  })
  const [decision] = (await compileWith(document)).plan.decisions
  const { call, asked } = looperCall(() => modelReply("x", [[-0.1]]))
  expect(await decision?.looper?.run(call)).toMatchObject({ candidate: 1 })
  expect(asked.length).toBe(1)
})

describe("stages", () => {
  const three = ["a", "b", "c"].map((model) => candidate(model))
  const stage = (model: string, more: object = {}) => ({ model, ...more })
  /** Each model is as sure as its list says, in the order of the candidates. */
  const sure =
    (...logprobs: readonly number[]): FakeCandidate =>
    ({ candidate: index }) =>
      modelReply(`answer of ${index}`, [[logprobs[Number(index)] ?? 0, -9]])
  const run = async (stages: readonly object[], answers: FakeCandidate, options: object = {}) => {
    const {
      models,
      candidate: index,
      confidence,
      reason,
    } = await runWith({
      options: { stages, ...options },
      answers,
      candidates: three,
    })
    return [models, index, confidence === undefined ? undefined : Math.round(confidence * 1000) / 1000, reason]
  }

  test("are asked in their order, each held to its own bar", async () => {
    // (-0.6 + 3) / 3 = 0.8 and (-1.5 + 3) / 3 = 0.5
    const stages = [stage("c", { threshold: 0.9 }), stage("a", { threshold: 0.4 }), stage("b")]
    expect(await run(stages, sure(-1.5, 0, -0.6))).toEqual([[2, 0], 0, 0.5, "avg_logprob 0.5 reaches 0.4"])
    expect(await run(stages, sure(-2.7, 0, -0.6))).toEqual([[2, 0, 1], 1, undefined, "the last of 3 models"])
    expect(await run(stages, sure(0, 0, -0.15))).toEqual([[2], 2, 0.95, "avg_logprob 0.95 reaches 0.9"])
  })

  test("have the bar and the method of the cascade where they say none", async () => {
    const stages = [stage("a"), stage("b", { confidence_method: "margin", threshold: 0.9 }), stage("c")]
    // The margin of b is 9 - 0.3 = 8.7: 1 - e^(-8.7 / 3) = 0.945.
    expect(await run(stages, sure(-0.6, -0.3, 0), { threshold: 0.85 })).toEqual([
      [0, 1],
      1,
      0.945,
      "margin 0.945 reaches 0.9",
    ])
    expect(await run(stages, sure(-0.6, -0.3, 0), { threshold: 0.75 })).toEqual([
      [0],
      0,
      0.8,
      "avg_logprob 0.8 reaches 0.75",
    ])
    // Without any bar every reply of avg_logprob is accepted.
    expect((await run(stages, sure(-3, 0, 0)))[0]).toEqual([0])
  })

  test("that take longer than their time are passed over, also while they judge themselves", async () => {
    const never = new Promise<never>(() => {})
    const stages = [stage("a", { timeout_seconds: 0.001 }), stage("b")]
    const hanging: FakeCandidate = ({ candidate: index }) => (index === 0 ? never : modelReply("late", []))
    expect((await run(stages, hanging)).slice(0, 2)).toEqual([[0, 1], 1])
    const judging: FakeCandidate = ({ candidate: index, request }) =>
      index === 0 && request.turns.length > 1 ? never : modelReply("x", [])
    expect((await run(stages, judging, { confidence_method: "self_verify" })).slice(0, 2)).toEqual([[0, 0, 1], 1])
  })

  test("name models of the decision, and order them", () => {
    const problems = (confidence: object) =>
      problemsOf(
        documentWith({
          "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
          "routing.decisions.0.algorithm": { type: "confidence", confidence },
        }),
      ).map((problem) => problem.replace(/^.*algorithm\.confidence\./, ""))
    expect(problems({ stages: [stage("small", { threshold: 0.8 }), stage("large")] })).toEqual([])
    expect(problems({ stages: [stage("smal")], escalation_order: "cost", cost_quality_tradeoff: 0.2 })).toEqual([
      "escalation_order: belongs to a cascade without stages, which are in order already",
      "cost_quality_tradeoff: belongs to escalation_order automix",
      'stages[0].model: "smal" is not one of the decision\'s modelRefs, which are small, large',
    ])
    expect(problems({ stages: [] })).toEqual([expect.stringContaining("stages: must not have fewer than 1")])
    expect(problems({ stages: [stage("small", { confidence_method: "automix_entailment" }), stage("large")] })).toEqual(
      ["verifier_server_url: is missing; confidence_method automix_entailment asks it"],
    )
    expect(problems({ stages: [stage("small", { timeout_seconds: 0 }), stage("large")] })).toEqual([
      expect.stringContaining("timeout_seconds: must be > 0"),
    ])
  })
})
