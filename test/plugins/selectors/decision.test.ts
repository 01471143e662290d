import { type Decided, RtrError } from "rtr"
import {
  createFakeInference,
  type FakeInferenceOptions,
  selectorContract,
  selectorReaderOf,
  signalInput,
} from "rtr/testing"
import { describe, expect, test } from "vitest"
import { neededDeployments } from "../../../ts/kernel/config/bindings.ts"
import selector from "../../../ts/plugins/selectors/decision.ts"
import { canonical, documentWith, problemsOf } from "../../fakes/document.ts"
import { askWithHelper, firstCandidate, later, never } from "../../fakes/failing-helper.ts"
import { registry } from "../../fakes/registry.ts"

const chosen = (choice: string, confidence = 0.6): Decided => ({
  type: "choice",
  choice,
  probabilities: {},
  confidence,
})

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, {
    options: { instructions: "Who?", candidates: { small: "short answers" }, timeout_ms: 1000 },
    invalidOptions: [{ candidates: { other: "x" } }, { deployment: "nowhere" }],
  }))
    test(name, run)
})

test("the question offers every model with what it is for, and the answer is the choice", async () => {
  const questions: unknown[] = []
  const decide: FakeInferenceOptions["decide"] = (text, question) => {
    questions.push([text, question])
    return chosen("large")
  }
  const options = { instructions: "Who should answer?", candidates: { medium: "Everything else" } }
  const reader = await selectorReaderOf(selector, { options, inference: { decide } })
  expect(await reader.select(signalInput("hello"))).toEqual({
    candidate: 2,
    confidence: 0.6,
    reason: "the decision model chose it",
  })
  expect(questions).toEqual([
    [
      "hello",
      {
        type: "choice",
        instructions: "Who should answer?",
        choices: [
          { key: "small", description: "Quick answers" },
          { key: "medium", description: "Everything else" },
          { key: "large", description: "large" },
        ],
      },
    ],
  ])
})

const algorithm = { type: "decision", decision: { instructions: "Who?" } }
const answering = (decide: FakeInferenceOptions["decide"]) => createFakeInference({ ...(decide && { decide }) })
const hanging = (bundle: () => Promise<never>) => ({ ...createFakeInference(), bundle })

test("the model's answer chooses", async () => {
  expect(await askWithHelper(algorithm, { inference: answering(() => chosen("small")) })).toMatchObject({
    status: 200,
    model: "small",
    selection: { candidate: 1, algorithm: "decision", confidence: 0.6 },
  })
})

test.each([
  ["refuses", createFakeInference({ failWith: new RtrError("unavailable", "secret") }), "unavailable"],
  ["is overloaded", createFakeInference({ failWith: new RtrError("overloaded", "secret") }), "overloaded"],
  ["hangs", hanging(() => never), "timeout"],
  ["is slow", hanging(() => later(undefined as never)), "timeout"],
  ["is wrong: no candidate", answering(() => chosen("secret")), "failed"],
  ["is wrong: another answer", answering(() => ({ type: "noul", noul: 1 })), "failed"],
])("a model that %s leaves the first candidate, and the client gets its answer", async (_, inference, reason) => {
  expect(await askWithHelper(algorithm, { inference })).toMatchObject(
    firstCandidate("decision", `the selector failed: ${reason}`),
  )
})

test("a shorter time-out of its own counts", async () => {
  const reader = await selectorReaderOf(selector, { options: { timeout_ms: 5 }, inference: { delayMs: 60_000 } })
  await expect(Promise.resolve(reader.select(signalInput("x")))).rejects.toMatchObject({ code: "deadline_exceeded" })
})

test("the built-in decision model is started for it, another where the block names one", () => {
  const two = { "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }] }
  const names = (changes: Readonly<Record<string, unknown>>) =>
    neededDeployments(canonical({ ...two, ...changes }), registry).map(({ name, artifact }) => [name, artifact])
  expect(names({})).toEqual([])
  expect(names({ "routing.decisions.0.algorithm": { type: "decision" } })).toEqual([["decisions", "decide"]])
  expect(
    names({
      "routing.decisions.0.algorithm": { type: "decision", decision: { deployment: "judge" } },
      "global.model_catalog.deployments": { judge: { artifact: "decide" } },
    }),
  ).toEqual([["judge", "decide"]])
  expect(names({ "routing.decisions.0.algorithm": { type: "router_dc" } })).toEqual([["default", "signals"]])
  expect(
    names({
      "routing.decisions.0.algorithm": { type: "router_dc" },
      "routing.decisions.0.modelRefs": [{ model: "small" }],
    }),
  ).toEqual([])
})

test("a document needs different models to choose between", () => {
  expect(
    problemsOf(
      documentWith({
        "routing.decisions.0.modelRefs": [{ model: "large" }],
        "routing.decisions.0.algorithm": { type: "decision" },
      }),
    ),
  ).toEqual(["routing.decisions[0].algorithm.decision: needs 2 to 255 different models in modelRefs, and there are 1"])
})
