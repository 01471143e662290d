import { createFakeInference, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/classifiers.ts"
import { bindServices } from "../../../ts/kernel/generations/outside.ts"
import { neededDeployments } from "../../../ts/kernel/config/bindings.ts"
import { canonical, documentWith, load, problemsOf } from "../../fakes/document.ts"
import { failures, outsideKernel, type ServiceAnswer, type ServiceRequest } from "../../fakes/outside.ts"
import { registry } from "../../fakes/registry.ts"
import { completion, jsonReply } from "../../fakes/transport.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

const llm: Rule = { name: "risk", type: "llm", model: "judge", labels: ["SAFE", "RISKY"], instructions: "Is it risky?" }
const sequence: Rule = { name: "tone", type: "sequence_classifier", model: "tones", labels: ["calm", "angry"] }
const local: Rule = { name: "topic", type: "local", labels: ["billing", "weather"] }

const endpoint = { address: "helper.example", port: 9000 }
const external = [
  {
    name: "judge",
    model_role: "classification",
    llm_endpoint: endpoint,
    llm_model_name: "judge-7b",
    access_key: "secret-key",
  },
  { name: "tones", model_role: "classification", llm_endpoint: { ...endpoint, port: 9001 } },
]
const condition = (rule: Rule, label: string, more: object = {}): object => ({
  type: "classifier",
  name: rule.name,
  label,
  ...more,
})
const changesOf = (rules: readonly Rule[], ...conditions: readonly object[]): Readonly<Record<string, unknown>> => ({
  "routing.signals": { classifiers: rules },
  "routing.decisions.0.rules": { operator: "OR", conditions },
  "global.model_catalog": {
    external: external.filter(({ name }) => rules.some(({ model }) => model === name)),
    signal_timeout_ms: 300,
  },
})

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [local],
    invalidRules: [
      { name: "a", type: "llm", labels: ["x"] },
      { name: "b", type: "local", labels: ["x"], instructions: "Judge", model_path: "m" },
      { name: "d:e", type: "local", labels: ["x"], model_path: "m" },
      { name: "f", type: "sequence_classifier", labels: ["x"] },
    ],
  }))
    test(name, run)
})

const says = (label: string): ServiceAnswer => jsonReply(completion(JSON.stringify({ label })))
const scores = (angry: number): ServiceAnswer =>
  jsonReply([
    { label: "angry", score: angry },
    { label: "calm", score: 1 - angry },
  ])

describe("a chat model", () => {
  test("names a label, which a condition with a predicate or without one asks for", async () => {
    const kernel = await outsideKernel({
      changes: changesOf([llm], condition(llm, "RISKY", { predicate: { gte: 0.5 } })),
      answer: ({ body }) => says(body.messages[1].content.includes("bank") ? "risky" : "SAFE"),
    })
    expect(await kernel.route("Rob a bank")).toEqual(["rush", null])
    expect(await kernel.route("Good morning")).toEqual(["–", null])
    const [first] = kernel.asked as readonly [ServiceRequest]
    expect(first.url).toBe("http://helper.example:9000/v1/chat/completions")
    expect(first.key).toBe("Bearer secret-key")
    expect(first.body).toMatchObject({ model: "judge-7b", max_tokens: 128, temperature: 0, stream: false })
    expect(first.body.messages[0].content).toContain("Is it risky?")
    expect(first.body.messages[0].content).toContain('- "SAFE"\n- "RISKY"')
    expect(first.body.messages[1]).toEqual({ role: "user", content: "Rob a bank" })
  })

  test("may think and write words around its answer, and must name one of its labels", async () => {
    const said = ['<think>{"label":"SAFE"}</think>\n```json\n{"label":"RISKY"}\n```', '{"label":"LATER"}', "RISKY"]
    const kernel = await outsideKernel({
      changes: changesOf([llm], condition(llm, "RISKY")),
      answer: ({ body }) => jsonReply(completion(said[Number(body.messages[1].content)] ?? "")),
    })
    expect([await kernel.route("0"), await kernel.route("1"), await kernel.route("2")]).toEqual([
      ["rush", null],
      ["–", "classifier:risk:SAFE=failed,classifier:risk:RISKY=failed"],
      ["–", "classifier:risk:SAFE=failed,classifier:risk:RISKY=failed"],
    ])
  })

  for (const [what, [answer, reason]] of Object.entries(failures))
    test(`that ${what} leaves its labels unknown, and on_error of the condition decides`, async () => {
      for (const [policy, decision] of [
        ["match", "rush"],
        ["no_match", "–"],
      ] as const) {
        const kernel = await outsideKernel({
          changes: changesOf([llm], condition(llm, "RISKY", { predicate: { gte: 0.5 }, on_error: policy })),
          answer,
        })
        expect(await kernel.route("Hello")).toEqual([
          decision,
          `classifier:risk:SAFE=${reason},classifier:risk:RISKY=${reason}`,
        ])
      }
    })
})

describe("a classifier over HTTP", () => {
  test("gives a probability to each label", async () => {
    const kernel = await outsideKernel({
      changes: changesOf([sequence], condition(sequence, "angry", { predicate: { gte: 0.8 } })),
      answer: ({ body }) => scores(Number(body.inputs)),
    })
    expect([await kernel.route("0.79"), await kernel.route("0.8")]).toEqual([
      ["–", null],
      ["rush", null],
    ])
    expect(kernel.asked[0]).toEqual({
      url: "http://helper.example:9001/classify",
      key: undefined,
      body: { inputs: "0.79" },
    })
  })

  test("has exactly the labels of its rule, or its answer is none", async () => {
    const label = { label: "angry", score: 1 }
    for (const answer of [[label], [label, label], [label, { label: "glad", score: 0 }], [{ ...label, score: 2 }]]) {
      const kernel = await outsideKernel({
        changes: changesOf([sequence], condition(sequence, "angry")),
        answer: () => jsonReply(answer),
      })
      expect(await kernel.route("Hello")).toEqual(["–", "classifier:tone:calm=failed,classifier:tone:angry=failed"])
    }
  })

  test("that is away says nothing about another classifier", async () => {
    const kernel = await outsideKernel({
      changes: changesOf([llm, sequence], condition(llm, "RISKY"), condition(sequence, "angry")),
      answer: ({ url }) => (url.endsWith("/classify") ? jsonReply({}, { status: 503 }) : says("RISKY")),
    })
    expect(await kernel.route("Hello")).toEqual([
      "rush",
      "classifier:tone:calm=unavailable,classifier:tone:angry=unavailable",
    ])
  })
})

describe("a model on this machine", () => {
  test("is the deployment that its binding names", async () => {
    const inference = createFakeInference({
      labels: ["billing", "weather"],
      classify: (text) => (text.includes("rain") ? [0.1, 0.9] : [0.9, 0.1]),
    })
    const kernel = await outsideKernel({
      changes: {
        ...changesOf([local], condition(local, "weather", { predicate: { gte: 0.5 } })),
        "global.model_catalog.deployments": { topics: { artifact: "/models/topics" } },
        "global.model_catalog.bindings": { "classifier.topic": { deployment: "topics", head: "subject" } },
      },
      inference,
      answer: () => jsonReply({}),
    })
    expect([await kernel.route("Will it rain?"), await kernel.route("My invoice")]).toEqual([
      ["rush", null],
      ["–", null],
    ])
    const task = { kind: "classify", deployment: "topics", head: "subject" }
    expect(inference.calls).toEqual([[{ ...task, text: "Will it rain?" }], [{ ...task, text: "My invoice" }]])
  })

  test("is a deployment of its own where the rule has its path, and only where a decision uses the rule", () => {
    const deploymentsOf = (rule: Rule, ...conditions: readonly object[]): unknown => {
      const changes = {
        ...changesOf([rule], ...conditions),
        ...(conditions.length === 0 && { "routing.decisions": [] }),
      }
      const { document } = bindServices(canonical(changes), registry)
      return neededDeployments(document, registry).map(({ name, artifact, device }) => [name, artifact, device])
    }
    const own: Rule = { ...local, model_path: "/models/topics", use_cpu: true }
    expect(deploymentsOf(own, condition(own, "weather"))).toEqual([["classifier.topic", "/models/topics", "cpu"]])
    expect(deploymentsOf(own)).toEqual([])
  })

  test("has to have the labels of its rule and no others, also where only its worker can tell them", () => {
    const own: Rule = { ...local, model_path: "/models/topics" }
    const { document } = bindServices(canonical(changesOf([own], condition(own, "weather"))), registry)
    expect(neededDeployments(document, registry)).toMatchObject([
      {
        name: "classifier.topic",
        heads: [
          {
            binding: "classifier.topic",
            expects: [{ rule: "topic", labels: ["billing", "weather"], noOthers: true }],
          },
        ],
      },
    ])
  })

  test("says where a rule names it, also in a recipe", () => {
    const routing = (rule: Rule): object => ({
      signals: { classifiers: [local, rule] },
      decisions: [{ name: "d", rules: condition(rule, "weather"), modelRefs: [{ model: "small" }] }],
    })
    const [own, other] = ["a", "b"].map((name): Rule => ({ ...local, name, model_path: `./${name}` })) as [Rule, Rule]
    const document = { routing: routing(own), recipes: [{ name: "r", routing: routing(other) }] }
    expect(signal.services?.(document)).toMatchObject([
      { deployment: { artifact: "./a", writtenAt: ["routing", "signals", "classifiers", 1, "model_path"] } },
      {
        deployment: {
          artifact: "./b",
          writtenAt: ["recipes", 0, "routing", "signals", "classifiers", 1, "model_path"],
        },
      },
    ])
  })
})

test("mistakes are told at their place", () => {
  expect(
    problemsOf(
      documentWith({
        "routing.decisions.0.rules": undefined,
        "routing.signals": {
          classifiers: [
            { ...llm, model: "jugde" },
            { ...sequence, name: "Risk" },
            { ...local, name: "topic" },
          ],
        },
        "global.model_catalog.external": [...external, { ...external[0], llm_endpoint: { address: "http://h/x" } }],
      }),
    ),
  ).toEqual([
    'global.model_catalog.external[2].name: "judge" is the name of two models; each needs its own',
    "global.model_catalog.external[2].llm_endpoint.address: must be a host name or an IP address, without scheme, path and credentials",
    'routing.signals.classifiers[0].model: "jugde" is not in global.model_catalog.external (did you mean "judge"?)',
    'routing.signals.classifiers[1].name: "Risk" is the name of another classifier, but for capitals',
    'routing.signals.classifiers[2]: needs a model: model_path, or a deployment under global.model_catalog.bindings["classifier.topic"]',
  ])
})

test("a model that nothing asks is warned of", async () => {
  const { warnings = [] } = await load(documentWith({ "global.model_catalog.external": external.slice(0, 1) }))
  expect(warnings.map(({ path, message, severity }) => [path.join("."), message, severity])).toEqual([
    [
      "global.model_catalog.external.0",
      'has no effect: nothing asks the external model "judge" of role classification',
      "warning",
    ],
  ])
})
