import { type DeploymentStatus, type Inference, RtrError } from "rtr"
import { createFakeInference, type FakeInferenceOptions, routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import route from "../../../ts/plugins/routes/embeddings.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel, post } from "../../fakes/kernel.ts"
import { expectDescribed } from "../../fakes/openapi.ts"
import { createFakeTransport, type FakeReply, jsonReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const [operation] = route.operations
const dialects = new Map([["chat_completions", chatCompletions]])

const reply = {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [0.5, 0.25] }],
  model: "m",
  usage: { prompt_tokens: 4, total_tokens: 4 },
}

interface Given {
  readonly changes?: Readonly<Record<string, unknown>>
  readonly answer?: FakeReply
  readonly model?: FakeInferenceOptions
}

async function kernelOf({ changes = {}, answer = jsonReply(reply), model = {} }: Given = {}) {
  const deployment = (name: string, artifact: string): DeploymentStatus => ({
    name,
    artifact,
    process: "p",
    state: "ready",
    ready: true,
    restarts: 0,
  })
  const fake = createFakeInference({
    embed: () => [3, 4, 0],
    unknownTokens: () => 0,
    ...model,
  })
  const inference: Inference = {
    ...fake,
    status: () => [deployment("vectors", "static"), deployment("own", "/folders/own")],
  }
  const records: object[] = []
  const kernel = await createFakeKernel({
    config: documentWith(changes),
    inference,
    transport: createFakeTransport(answer),
    onRecord: ({ endpoint, status, path, model: chosen, usage, attempts }) =>
      records.push({ endpoint, status, path, model: chosen, tokens: usage?.inputTokens, attempts: attempts.length }),
  })
  const ask = async (body: object) => {
    const response = await kernel.fetch(post("/v1/embeddings", body))
    const [status, headers, text] = [response.status, Object.fromEntries(response.headers), await response.text()]
    if (operation !== undefined) await expectDescribed({ status, headers, text }, operation, dialects)
    return {
      status,
      headers,
      text,
      body: JSON.parse(text) as { error?: object; data?: readonly { embedding: unknown }[] },
    }
  }
  return { ask, records, calls: fake.calls, sent: () => kernel.transport.requests }
}

describe("a model", () => {
  test("is asked for embeddings at the host where it chats, and its reply passes as it came", async () => {
    const { ask, records, sent } = await kernelOf()
    const given = { input: ["a", "b"], encoding_format: "base64", dimensions: 2, user: "u", vendor: 1 }
    const { status, text, headers } = await ask({ model: "large", ...given })
    expect([status, text]).toEqual([200, JSON.stringify(reply)])
    expect(headers).toMatchObject({ "x-selected-model": "large", "x-rtr-response-path": "upstream" })
    expect(sent().map(({ url, headers: head, body }) => [url, head["authorization"], JSON.parse(body ?? "")])).toEqual([
      ["https://large.example/v1/embeddings", "Bearer key", { ...given, model: "large" }],
    ])
    expect(records).toEqual([
      { endpoint: "/v1/embeddings", status: 200, path: "upstream", model: "large", tokens: 4, attempts: 1 },
    ])
  })

  test("gets token ids", async () => {
    const { ask, sent } = await kernelOf()
    for (const input of [
      [1, 2],
      [[1], [2, 3]],
    ]) {
      expect(await ask({ model: "small", input })).toMatchObject({ status: 200 })
      expect(JSON.parse(sent().at(-1)?.body ?? "")).toEqual({ model: "small", input })
    }
  })

  test("takes turns with its backends", async () => {
    const refs = ["one", "two"].map((name) => ({ name, endpoint: `${name}.example:1` }))
    const { ask, sent } = await kernelOf({ changes: { "providers.models.0.backend_refs": refs } })
    for (let call = 0; call < 4; call++) await ask({ model: "small", input: "a" })
    const urls = sent().map(({ url }) => new URL(url).hostname)
    expect(urls.toSorted()).toEqual(["one.example", "one.example", "two.example", "two.example"])
  })

  test("whose backend fails tells of it", async () => {
    const answer = jsonReply({ error: { message: "bad dimensions", type: "invalid", code: "x" } }, { status: 400 })
    const { ask, records } = await kernelOf({ answer })
    expect(await ask({ model: "small", input: "a" })).toMatchObject({
      status: 400,
      body: { error: { message: "bad dimensions" } },
    })
    expect(records).toMatchObject([{ status: 400, model: "small", attempts: 1 }])
  })

  test("is asked, and no other, where models stand in for each other", async () => {
    const changes = { "routing.fallback": { enabled: true, models: ["large"] } }
    const { ask } = await kernelOf({ changes })
    expect(await ask({ model: "small", input: "a" })).toMatchObject({ status: 200 })
    const failing = await kernelOf({ changes, answer: jsonReply({ error: { message: "no" } }, { status: 503 }) })
    expect(await failing.ask({ model: "small", input: "a" })).toMatchObject({ status: 503 })
    expect(failing.records).toMatchObject([{ attempts: 1 }])
  })

  test("whose backend answers something else has failed", async () => {
    const { ask } = await kernelOf({ answer: jsonReply({ choices: [] }) })
    const { status, body } = await ask({ model: "small", input: "a" })
    expect([status, body.error]).toMatchObject([502, { message: expect.stringContaining('"data" of the reply') }])
  })

  test("of another API has none", async () => {
    const ref = { provider: "anthropic", base_url: "https://claude.example" }
    const { ask, sent } = await kernelOf({ changes: { "providers.models.0.backend_refs": [ref] } })
    const { status, body } = await ask({ model: "small", input: "a" })
    expect([status, body.error]).toMatchObject([
      422,
      { code: "unsupported_surface", message: expect.stringContaining("has no /embeddings") },
    ])
    expect(sent()).toEqual([])
  })
})

describe("a deployment", () => {
  test("makes the vectors of texts, in numbers or in base64", async () => {
    const { ask, records, calls } = await kernelOf()
    const item = (index: number, embedding: unknown) => ({ object: "embedding", index, embedding })
    const numbers = await ask({ model: "vectors", input: ["one text", "two"] })
    expect([numbers.status, numbers.body]).toEqual([
      200,
      {
        object: "list",
        data: [item(0, [0.600000024, 0.800000012, 0]), item(1, [0.600000024, 0.800000012, 0])],
        model: "vectors",
        usage: { prompt_tokens: 7, total_tokens: 7 },
      },
    ])
    expect(numbers.headers).toMatchObject({ "x-rtr-response-path": "worker", "x-selected-model": "vectors" })
    const packed = await ask({ model: "static", input: "two", encoding_format: "base64", dimensions: 3 })
    const bytes = Buffer.from(String(packed.body.data?.[0]?.embedding), "base64")
    expect([0, 4, 8].map((at) => bytes.readFloatLE(at))).toEqual([...Float32Array.of(0.6, 0.8, 0)])
    const task = { kind: "embed", deployment: "vectors", whole: true }
    expect(calls).toEqual([
      [
        { ...task, text: "one text" },
        { ...task, text: "two" },
      ],
      [{ ...task, text: "two", dimensions: 3 }],
    ])
    const record = { endpoint: "/v1/embeddings", status: 200, path: "worker", model: "vectors", attempts: 1 }
    expect(records).toEqual([
      { ...record, tokens: 7 },
      { ...record, tokens: 3 },
    ])
  })

  test("gets many texts in calls of a few", async () => {
    const { ask, calls } = await kernelOf()
    const { body } = await ask({ model: "own", input: Array.from({ length: 40 }, (_, index) => `text ${index}`) })
    expect(body.data).toHaveLength(40)
    expect(calls.map(({ length }) => length)).toEqual([16, 16, 8])
  })

  test("that does not count leaves the usage out", async () => {
    const { ask } = await kernelOf({ model: { unknownTokens: undefined as never } })
    expect((await ask({ model: "own", input: "a" })).body).not.toHaveProperty("usage")
  })

  test.each([
    [
      "a text that is too long",
      { failWith: new RtrError("max_length_exceeded", "x") },
      {},
      400,
      'input[0] is longer than "own"',
    ],
    [
      "a length that it lacks",
      { failWith: new RtrError("invalid_request", "x") },
      { dimensions: 7 },
      400,
      "no vectors of 7",
    ],
    ["a worker that is away", { failWith: new RtrError("unavailable", "is not ready") }, {}, 503, "is not ready"],
  ])("says what is wrong: %s", async (_, model, more, status, said) => {
    const { ask, records } = await kernelOf({ model })
    const answer = await ask({ model: "own", input: "a", ...more })
    expect([answer.status, answer.body.error]).toMatchObject([status, { message: expect.stringContaining(said) }])
    expect(records).toMatchObject([{ status, model: "own", attempts: 1 }])
  })

  test("refuses what is no text, and more than it should read", async () => {
    const { ask, calls } = await kernelOf()
    const cases: readonly (readonly [input: unknown, status: number, said: string])[] = [
      [[1, 2], 400, "token ids are for models of backends"],
      [[[1]], 400, "token ids are for models of backends"],
      ["", 400, '"input" must not be empty'],
      [["a", ""], 400, "input[1] must not be empty"],
      ["\ud800", 400, "lone surrogate"],
      ["a".repeat(1_000_001), 413, "1000000 characters"],
    ]
    for (const [input, status, said] of cases) {
      const answer = await ask({ model: "own", input })
      expect([answer.status, answer.body.error], said).toMatchObject([
        status,
        { message: expect.stringContaining(said) },
      ])
    }
    expect(calls).toEqual([])
  })

  test("by its folder is not known", async () => {
    const { ask } = await kernelOf()
    expect(await ask({ model: "/folders/own", input: "a" })).toMatchObject({ status: 404 })
  })
})

test("automatic names choose among chat models", async () => {
  const { ask, sent } = await kernelOf()
  const { status, body } = await ask({ model: "MoM", input: "a" })
  expect([status, body.error]).toMatchObject([
    400,
    { message: expect.stringContaining("name a model for /embeddings") },
  ])
  expect(sent()).toEqual([])
})

test("a listener's grants hold for models and deployments", async () => {
  const { ask } = await kernelOf({
    changes: {
      "listeners.0.models": ["large", "vectors"],
      "global.model_catalog.deployments": { vectors: { artifact: "signals" }, own: { artifact: "signals" } },
    },
  })
  const statusOf = async (model: string): Promise<number> => (await ask({ model, input: "a" })).status
  const asked = ["large", "small", "vectors", "static", "own", "nobody"]
  expect(await Promise.all(asked.map(statusOf))).toEqual([200, 403, 200, 200, 403, 404])
})

test("what is no request is refused", async () => {
  const { ask } = await kernelOf()
  for (const [changes, said] of [
    [{ input: undefined }, "body.input is missing"],
    [{ input: [] }, "body.input"],
    [{ input: Array.from({ length: 2049 }, () => "a") }, "body.input"],
    [{ encoding_format: "int8" }, "body.encoding_format"],
    [{ dimensions: 0 }, "body.dimensions"],
    [{ model: " " }, "body.model"],
  ] as const) {
    const { status, body } = await ask({ model: "small", input: "a", ...changes })
    expect([status, body.error], said).toMatchObject([400, { message: expect.stringContaining(said) }])
  }
})
