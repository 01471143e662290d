import { RtrError } from "rtr"
import { type FakeCandidate, looperCall, looperContract, looperOf, modelReply, wholeReply } from "rtr/testing"
import { describe, expect, test } from "vitest"
import looper from "../../../ts/plugins/loopers/ratings.ts"

describe("contract", () => {
  for (const options of [{}, { max_concurrent: 1 }])
    for (const { name, run } of looperContract(looper, { options })) test(`${name} (${JSON.stringify(options)})`, run)
})

const candidates = ["a", "b", "c"].map((model) => ({ model, score: 1, card: undefined, pricing: undefined }))

async function runWith(answers: FakeCandidate, options: object = {}) {
  const { run } = await looperOf(looper, { options: options as never }, candidates)
  const { call, asked } = looperCall(answers)
  return { answer: await run(call), asked }
}

const texts = (answer: Parameters<typeof wholeReply>[0]) =>
  wholeReply(answer).choices.map(({ blocks }) => (blocks[0] as { readonly text: string }).text)

test("the reply has a choice of each model, in the order of the decision", async () => {
  const { answer, asked } = await runWith(({ candidate }) => modelReply(`answer ${candidate}`))
  expect(texts(answer)).toEqual(["answer 0", "answer 1", "answer 2"])
  expect(wholeReply(answer).model).toBe("a,b,c")
  expect(answer.extensions?.fields).toEqual({ ratings: { models: ["a", "b", "c"] } })
  expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2])
})

test("a model that fails is left out, and its names stay beside the right choices", async () => {
  const down = new RtrError("upstream_unavailable", "down")
  const answers: FakeCandidate = ({ candidate }) => {
    if (candidate === 1) throw down
    return modelReply(`answer ${candidate}`)
  }
  const { answer } = await runWith(answers)
  expect([texts(answer), answer.extensions?.fields, answer.reason]).toEqual([
    ["answer 0", "answer 2"],
    { ratings: { models: ["a", "c"] } },
    "2 of 3 models answered",
  ])
  await expect(runWith(answers, { on_error: "fail" })).rejects.toBe(down)
})

test("no more models are asked at a time than max_concurrent says", async () => {
  let now = 0
  let most = 0
  await runWith(
    async () => {
      most = Math.max(most, ++now)
      await Promise.resolve()
      now -= 1
      return modelReply("x")
    },
    { max_concurrent: 2 },
  )
  expect(most).toBe(2)
})

test("what has answered is kept for a budget that ends", async () => {
  const { run } = await looperOf(looper, {}, candidates)
  const { call, kept } = looperCall(({ candidate }) => modelReply(`answer ${candidate}`))
  await run(call)
  expect(kept.map(({ reason }) => reason)).toEqual([1, 2, 3].map((count) => `${count} of 3 models answered`))
})
