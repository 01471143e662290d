// Clients as their authors publish them, unchanged, against the worker.

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { createTypeSafeAi } from "@ai-sdk/typesafe-ai"
import { choice, noul, score, TypeSafeClient } from "@typesafe-ai/sdk"
import OpenAI, { BadRequestError, NotFoundError } from "openai"
import { expect, test } from "vitest"
import { startCommand, temporaryFolder, waitFor } from "./_processes.ts"

const fixture = (name: string): string =>
  join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures", ...name.split("/"))

/** Origin of a worker that serves fixture packages, or the path of its socket. */
async function startWorker(names: readonly string[], ...listen: readonly string[]): Promise<string> {
  const worker = startCommand("rtrun", ["serve", ...names.map(fixture), "--log-level", "warning", ...listen])
  const address = (): string | undefined => /rtrun listens on (\S+)/.exec(worker.stdout())?.[1]
  await waitFor(() => address() !== undefined || worker.child.exitCode !== null, 30_000)
  const found = address()
  if (found === undefined) throw new Error(`The worker did not start:\n${worker.stderr()}`)
  if (found.startsWith("http"))
    await waitFor(async () => (await fetch(`${found}/health`).catch(() => undefined))?.status === 200, 30_000)
  return found
}

const state = { ticket: { subject: "Charged twice", body: "I was charged twice. Please fix this today." } }

test("the TypeSafe SDK asks typed questions and lists models", async () => {
  const url = await startWorker(["decisions/marker"], "--port", "0")
  const client = new TypeSafeClient({ apiKey: "unused", baseURL: url })
  const response = await client.systemOne({
    model: "marker",
    state,
    questions: {
      category: choice("What is this ticket about?", { billing: null, technical: "Something is broken", other: null }),
      urgent: noul("Is it urgent?"),
      tone: score("How angry is the customer?", ["calm", "annoyed", "furious"]),
    },
  })
  const { category, urgent, tone } = response.answers
  expect(["billing", "technical", "other"]).toContain(category.choice)
  expect(Object.values(category.probabilities).reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 4)
  expect(urgent.noul).toBeGreaterThan(0)
  expect(urgent.noul).toBeLessThan(1)
  expect(tone.legend).toEqual({ "0": "calm", "1": "annoyed", "2": "furious" })
  expect(response.usage.input_tokens).toBeGreaterThan(10)
  const models = await client.models.list()
  expect(models.map(({ name }) => name)).toEqual(["marker"])
})

test("the AI SDK's TypeSafe provider evaluates choice, score and boolean questions", async () => {
  const url = await startWorker(["decisions/marker"], "--port", "0", "--served-model-name", "jev-latest")
  const model = createTypeSafeAi({ apiKey: "unused", baseURL: `${url}/v1` }).evaluationModel("jev-latest")
  const { answers } = await model.doEvaluate({
    state,
    questions: {
      department: {
        type: "choice",
        instructions: "Which team?",
        criteria: { billing: "Charges and refunds", support: "Other requests" },
      },
      refund: { type: "boolean", instructions: "Does the customer ask for money back?" },
      anger: { type: "score", instructions: "How angry?", criteria: ["calm", "angry"] },
    },
  })
  expect(Object.keys(answers)).toEqual(["department", "refund", "anger"])
  expect(answers["department"]).toMatchObject({ type: "choice" })
  expect(answers["refund"]).toMatchObject({ type: "boolean" })
})

test("the openai client embeds, whole and in base64, and gets errors of its own classes", async () => {
  const url = await startWorker(["embeddings", "static"], "--port", "0")
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 })
  // The client asks for base64 by itself and decodes it.
  const { data, usage } = await client.embeddings.create({ model: "embeddings", input: ["hello", "world"] })
  const whole = await client.embeddings.create({ model: "embeddings", input: "hello", encoding_format: "float" })
  expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64])
  expect(data[0]?.embedding[0]).toBeCloseTo(whole.data[0]?.embedding[0] ?? Number.NaN, 6)
  expect(usage.prompt_tokens).toBeGreaterThan(2)
  const { data: models } = await client.models.list()
  expect(models.map(({ id }) => id)).toEqual(["embeddings", "static"])
  await expect(client.embeddings.create({ model: "none", input: "a" })).rejects.toBeInstanceOf(NotFoundError)
  await expect(
    client.embeddings.create({ model: "static", input: [[1, 2, 3]] as unknown as string[] }),
  ).rejects.toBeInstanceOf(BadRequestError)
})

// `.ci/run` installs the library; a machine without it cannot say anything about the worker.
const hasRequests = spawnSync("python3", ["-c", "import requests"]).status === 0

test.skipIf(!hasRequests)("a script of Python's requests library classifies and ranks", async () => {
  const url = await startWorker(["heads-int8", "classifiers/rerank"], "--port", "0")
  const script = [
    "import sys, requests",
    "url = sys.argv[1]",
    "reply = requests.post(url + '/v1/classify', json={'model': 'heads-int8', 'head': 'domain', 'input': ['hello']})",
    "assert reply.status_code == 200, reply.text",
    "assert 'forward;dur=' in reply.headers['Server-Timing']",
    "print(reply.json()['results'][0]['label'])",
    "reply = requests.post(url + '/v1/rerank', json={'model': 'rerank', 'query': 'a', 'documents': ['b', 'c']})",
    "assert reply.status_code == 200, reply.text",
    "print(len(reply.json()['results']))",
  ]
  const python = spawnSync("python3", ["-c", script.join("\n"), url], { encoding: "utf8" })
  expect(python.stderr).toBe("")
  expect(python.stdout.trim().split("\n")).toHaveLength(2)
})

test("curl reaches the worker over a Unix socket", async () => {
  const socket = join(temporaryFolder(), "worker.sock")
  await startWorker(["static"], "--uds", socket)
  const curl = (...args: readonly string[]): string =>
    spawnSync("curl", ["--silent", "--show-error", "--unix-socket", socket, ...args], { encoding: "utf8" }).stdout
  await waitFor(() => curl("http://worker/health").includes('"ready"'))
  const body = JSON.stringify({ input: "hello" })
  expect(JSON.parse(curl("http://worker/v1/embeddings", "--data", body))).toMatchObject({ model: "static" })
  expect(curl("http://worker/openapi.yaml")).toContain("openapi: 3.1")
})
