// Every kind of question, asked of real models: in this process, and of a worker over HTTP.

import type { Decided, Inference, InferenceAnswer, InferenceTask } from "rtr"
import { createNativeInference, openEngine } from "rtr/node"
import { describe, expect, onTestFinished, test } from "vitest"
import { findBuiltinPackage } from "../../ts/models/packages/builtin.ts"
import { createRemoteInference } from "../../ts/kernel/runtime/remote.ts"
import { createNodeTransport } from "../../ts/kernel/runtime/node-transport.ts"
import { packageOf } from "./_workers.ts"

const models = { signals: "signals", decide: "decide", rerank: packageOf("classifiers/rerank") }

async function inThisProcess(): Promise<Inference> {
  const inference = await createNativeInference({ models, threads: 1 })
  onTestFinished(() => inference.close())
  return inference
}

async function overHttp(): Promise<Inference> {
  const engine = await openEngine({
    models: Object.entries(models).map(([name, artifact]) => ({
      name,
      path: findBuiltinPackage(artifact) ?? artifact,
    })),
    threads: 1,
    loadAttempts: 1,
  })
  onTestFinished(() => engine.close())
  await engine.ready()
  const { host, port } = await engine.serve({ host: "127.0.0.1", port: 0 })
  const transport = createNodeTransport()
  onTestFinished(() => transport.close())
  return createRemoteInference({
    deployments: Object.keys(models).map((name) => ({
      name,
      servedName: name,
      origin: `http://${host}:${port}`,
      overflow: "truncate",
    })),
    transport,
    status: () => [],
  })
}

const complaint = "I was charged twice for my order and I want my money back today."
const decide = (question: Extract<InferenceTask, { kind: "decide" }>["question"], text = complaint) =>
  ({ kind: "decide", deployment: "decide", text, question }) as const

const decidedOf = (answer: InferenceAnswer | undefined): Decided | undefined =>
  answer?.kind === "decide" ? answer.decided : undefined
const codeOf = (answer: InferenceAnswer | undefined): string | undefined =>
  answer?.kind === "error" ? answer.error.code : undefined

describe.each([
  ["in this process", inThisProcess],
  ["over HTTP", overHttp],
])("%s", (_, open) => {
  test("one bundle answers every kind", async () => {
    const inference = await open()
    const documents = ["the quick brown fox", "the lazy dog", "jumps over"]
    const tasks: readonly InferenceTask[] = [
      { kind: "embed", deployment: "signals", text: complaint },
      { kind: "classify", deployment: "signals", head: "domain", text: complaint },
      { kind: "spans", deployment: "signals", head: "pii", text: "My name is Ann Miller" },
      decide({ type: "choice", instructions: "What is it about?", choices: ["billing", "weather"] }),
      decide({ type: "noul", instructions: "Does the customer want money back?" }),
      decide({ type: "score", instructions: "How content is the customer?", levels: ["angry", "neutral", "happy"] }),
      { kind: "rerank", deployment: "rerank", text: "the dog", documents },
    ]
    const answers = await inference.bundle(tasks, { deadlineMs: 30_000 })
    expect(answers.map(({ kind }) => kind)).toEqual(tasks.map(({ kind }) => kind))
    const [choice, noul, score] = answers.slice(3, 6).map(decidedOf)
    expect(choice).toMatchObject({ type: "choice", choice: "billing" })
    expect(choice?.type === "choice" && Object.keys(choice.probabilities)).toEqual(["billing", "weather"])
    expect(noul?.type === "noul" && noul.noul > 0 && noul.noul < 1).toBe(true)
    expect(score?.type === "score" && score.score >= 0 && score.score <= 2).toBe(true)
    const ranking = answers.at(-1)
    const scores = ranking?.kind === "rerank" ? ranking.ranking.scores : []
    expect(scores.map((value) => value > 0 && value < 1)).toEqual(documents.map(() => true))
    expect(new Set(scores).size).toBe(documents.length)
  }, 60_000)

  test("a question that cannot be answered fails alone, with its code", async () => {
    const inference = await open()
    const long = "a long story ".repeat(20_000)
    const answers = await inference.bundle([
      decide({ type: "choice", choices: ["only one"] }),
      decide({ type: "noul", instructions: "Is it about money?" }),
      { ...decide({ type: "noul", instructions: "Is it about money?" }, long), whole: true },
      { kind: "decide", deployment: "rerank", text: "x", question: { type: "noul", instructions: "y" } },
      { kind: "rerank", deployment: "rerank", text: "x", documents: ["word ".repeat(2000)], whole: true },
      { kind: "rerank", deployment: "nobody", text: "x", documents: ["y"] },
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(["error", "decide", "error", "error", "error", "error"])
    expect([0, 2, 3, 4].map((index) => codeOf(answers[index]))).toEqual([
      "invalid_request",
      "scan_budget_exceeded",
      "unsupported_surface",
      "max_length_exceeded",
    ])
  }, 60_000)
})
