import { type Candidate, type ChatReply, type ChatRequest, type ModelCaller } from "rtr"
import { chatRequest, selectorContract, selectorReaderOf, signalInput, textTurn } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/prompt.ts"
import { problemsOf } from "../../fakes/document.ts"
import { documentWith } from "../../fakes/document.ts"
import { askWithHelper, down, firstCandidate, later, never } from "../../fakes/failing-helper.ts"
import { completion, type FakeReply, jsonReply } from "../../fakes/transport.ts"

const options = { model: "helper", instructions: "Hard questions go to large." }

const saying = (text: string): ModelCaller => ({
  ask: async () =>
    ({
      id: "r",
      model: "helper",
      created: 0,
      choices: [{ blocks: [{ type: "text", text }], stop: "stop" }],
    }) as ChatReply,
})
const choosing = (model: string): string => JSON.stringify({ selected_model: model, rationale: "because" })

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, { options, host: { models: saying(choosing("medium")) } }))
    test(name, run)
})

test("the helper gets the instructions, the models and the text, and nothing else of the request", async () => {
  const asked: { model: string; request: ChatRequest; given: unknown }[] = []
  const models: ModelCaller = {
    async ask(model, request, given) {
      asked.push({ model, request, given })
      return saying(choosing("small")).ask(model, request)
    },
  }
  const candidates: readonly Candidate[] = [
    { model: "large", score: 1, pricing: undefined, card: { description: "Thinks long" } },
    { model: "small", score: 1, pricing: undefined, card: undefined },
  ]
  const reader = await selectorReaderOf(selector, { options, host: { models } }, candidates)
  const input = {
    ...signalInput("2 + 2?"),
    request: chatRequest([textTurn("system", "secret"), textTurn("user", "2 + 2?")]),
  }
  expect(await reader.select(input)).toEqual({
    candidate: 1,
    confidence: 1,
    reason: 'the helper model "helper" chose it',
  })
  expect(asked).toMatchObject([{ model: "helper", given: { about: input, timeoutMs: 5000 } }])
  const [{ request } = {}] = asked
  expect(request?.turns).toEqual([textTurn("system", expect.any(String)), textTurn("user", "2 + 2?")])
  const system = JSON.stringify(request?.turns[0])
  for (const part of ["Hard questions go to large.", "- large: Thinks long", "- small", "selected_model"])
    expect(system).toContain(part)
  expect(JSON.stringify(request)).not.toContain("secret")
})

test("anything but the exact JSON with a candidate is no choice", async () => {
  for (const text of [
    "",
    "small",
    "null",
    "[]",
    `Sure! ${choosing("small")}`,
    choosing("gpt-9"),
    JSON.stringify({ selected_model: "small" }),
    JSON.stringify({ selected_model: "small", rationale: 1 }),
    JSON.stringify({ selected_model: "small", rationale: "x", more: 1 }),
    JSON.stringify({ selected_model: 0, rationale: "x" }),
  ]) {
    const reader = await selectorReaderOf(selector, { options, host: { models: saying(text) } })
    await expect(Promise.resolve(reader.select(signalInput("x"))), text).rejects.toMatchObject({
      code: "upstream_error",
    })
  }
})

const algorithm = { type: "prompt", prompt: { model: "small", instructions: "Choose." } }
const said = (text: string) => (): FakeReply => jsonReply(completion(text))

test("a helper that answers chooses, in an attempt of the record", async () => {
  expect(await askWithHelper(algorithm, { helper: said(choosing("small")) })).toMatchObject({
    status: 200,
    model: "small",
    selection: { candidate: 1, algorithm: "prompt", confidence: 1 },
    attempts: 2,
  })
})

test.each<[string, () => FakeReply | Error | Promise<FakeReply>, string]>([
  ["refused", () => down, "unavailable"],
  ["hung", () => never, "timeout"],
  ["slow", () => later(jsonReply(completion(choosing("small")))), "timeout"],
  ["wrong: nonsense", said("secret"), "failed"],
  ["wrong: no candidate", said(choosing("secret")), "failed"],
  ["wrong: an error", () => jsonReply({ error: { message: "secret" } }, { status: 500 }), "failed"],
])("a helper that is %s leaves the first candidate, and the client gets its answer", async (_, helper, reason) => {
  expect(await askWithHelper(algorithm, { helper })).toMatchObject(
    firstCandidate("prompt", `the selector failed: ${reason}`),
  )
})

test("a document must name a helper that can choose, and something to choose", () => {
  const at = "routing.decisions[0].algorithm.prompt"
  const problems = (prompt: object, changes: Readonly<Record<string, unknown>> = {}): readonly string[] =>
    problemsOf(
      documentWith({
        "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }],
        "routing.decisions.0.algorithm": { type: "prompt", prompt: { model: "small", instructions: "x", ...prompt } },
        ...changes,
      }),
    )
  expect(problems({})).toEqual([])
  expect(problems({ model: "MoM" })).toEqual([
    `${at}.model: "MoM" is not in providers.models; name a configured model, not an automatic name`,
  ])
  expect(problems({}, { "providers.models.0.api_format": "anthropic" })).toContain(
    `${at}.model: "small" has api_format anthropic; the helper must have openai`,
  )
  expect(problems({}, { "routing.modelCards": [{ name: "small", modality: "diffusion" }, { name: "large" }] })).toEqual(
    [`${at}.model: "small" has modality diffusion; the helper must write text`],
  )
  expect(problems({}, { "routing.decisions.0.modelRefs": [{ model: "small" }] })).toEqual([
    `${at}: needs two modelRefs or more to choose between`,
  ])
  expect(problems({}, { "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "small" }] })).toEqual([
    `${at}: has candidate "small" twice; the helper could not tell them apart`,
  ])
  expect(problems({ instructions: " " })).toHaveLength(1)
})
