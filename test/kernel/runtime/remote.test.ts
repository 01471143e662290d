import { describe, expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { createRemoteInference, readServerTiming, type RemoteDeployment } from "../../../ts/kernel/runtime/remote.ts"
import type { InferenceAnswer, InferenceTask } from "../../../ts/kernel/types/inference.ts"
import type { TransportRequest } from "../../../ts/kernel/types/transport.ts"
import { createRecordedMetrics } from "../../fakes/metrics.ts"
import { createFakeTransport, type FakeReply, type FakeTransport } from "../../fakes/transport.ts"

const first: RemoteDeployment = {
  name: "first",
  servedName: "signals",
  origin: "http://worker-1:8100",
  overflow: "truncate",
}
const neighbour: RemoteDeployment = {
  ...first,
  name: "neighbour",
  servedName: "other",
  maxTokens: 128,
  overflow: "reject",
}
const elsewhere: RemoteDeployment = { ...first, name: "elsewhere", origin: "http://worker-2:8100" }
const socket: RemoteDeployment = { ...first, name: "socket", origin: "http://localhost", socketPath: "/run/w.sock" }
const limited: RemoteDeployment = { ...first, name: "limited", maxTokens: 64 }
const deployments = [first, neighbour, elsewhere, socket, limited]

const embed = (text: string, deployment = "first"): InferenceTask => ({ kind: "embed", deployment, text })
const classify = (text: string, deployment = "first", head?: string): InferenceTask => ({
  kind: "classify",
  deployment,
  text,
  ...(head !== undefined && { head }),
})

const mark = (text: string, given: Partial<Extract<InferenceTask, { kind: "spans" }>> = {}): InferenceTask => ({
  kind: "spans",
  deployment: "first",
  text,
  ...given,
})

const base64 = (...values: readonly number[]): string =>
  Buffer.from(Float32Array.from(values).buffer).toString("base64")

interface WireTask {
  readonly id: string
  readonly classify?: { readonly input: string }
  readonly embeddings?: { readonly input: readonly string[] }
}

/** A worker that gives each text the vector of its length, and each classification the same labels. */
function worker(request: TransportRequest): FakeReply {
  const { tasks } = JSON.parse(request.body ?? "") as { tasks: readonly WireTask[] }
  const results = tasks.map((task) => ({
    id: task.id,
    status: 200,
    ...(task.embeddings !== undefined && {
      embeddings: { data: [{ index: 0, embedding: base64(task.embeddings.input[0]?.length ?? 0) }] },
    }),
    ...(task.classify !== undefined && {
      classify: { labels: ["a", "b"], results: [{ probabilities: [0.25, 0.75] }] },
    }),
  }))
  return { body: JSON.stringify({ results }) }
}

async function ask(
  tasks: readonly InferenceTask[],
  answer: Parameters<typeof createFakeTransport>[0] = worker,
  callOptions = {},
) {
  const transport: FakeTransport = createFakeTransport(answer)
  const metrics = createRecordedMetrics()
  const inference = createRemoteInference({ deployments, transport, metrics, status: () => [] })
  const answers = await inference.bundle(tasks, callOptions)
  return { answers, metrics: metrics.values, requests: transport.requests }
}

const vector = (...values: readonly number[]): InferenceAnswer => ({ kind: "embed", vector: Float32Array.from(values) })
const failure = (code: string, message?: string) => ({
  kind: "error",
  error: expect.objectContaining(message === undefined ? { code } : { code, message }),
})

describe("a call", () => {
  test("carries all tasks of one worker in its own words", async () => {
    const { requests } = await ask(
      [classify("x", "first", "domain"), embed("yy"), classify("z", "neighbour")],
      worker,
      {
        deadlineMs: 1234.6,
      },
    )
    expect(requests).toHaveLength(1)
    expect({ ...requests[0], body: JSON.parse(requests[0]?.body ?? "") }).toEqual({
      method: "POST",
      url: "http://worker-1:8100/v1/bundle",
      headers: { "content-type": "application/json" },
      headersTimeoutMs: 1234.6,
      bodyTimeoutMs: 1234.6,
      body: {
        tasks: [
          { id: "0", classify: { model: "signals", head: "domain", input: "x", options: { overflow: "truncate" } } },
          {
            id: "1",
            embeddings: {
              model: "signals",
              input: ["yy"],
              encoding_format: "base64",
              options: { overflow: "truncate" },
            },
          },
          { id: "2", classify: { model: "other", input: "z", options: { overflow: "reject", max_tokens: 128 } } },
        ],
        options: { deadline_ms: 1235 },
      },
    })
  })

  test("has a text that is to be read whole refused where it makes one vector", async () => {
    const whole = (deployment: string): InferenceTask => ({ kind: "embed", deployment, text: "x", whole: true })
    const { requests } = await ask([whole("first"), whole("neighbour")])
    const { tasks } = JSON.parse(requests[0]?.body ?? "") as { tasks: { embeddings: { options: object } }[] }
    expect(tasks.map(({ embeddings }) => embeddings.options)).toEqual([
      { overflow: "reject" },
      { overflow: "reject", max_tokens: 128 },
    ])
  })

  test("asks for vectors of a length", async () => {
    const { requests } = await ask([{ kind: "embed", deployment: "first", text: "x", dimensions: 64 }])
    const { tasks } = JSON.parse(requests[0]?.body ?? "") as { tasks: readonly object[] }
    expect(tasks).toMatchObject([{ embeddings: { input: ["x"], dimensions: 64 } }])
  })

  test("asks for spans, and has texts read to their end that are to be read whole", async () => {
    const { requests } = await ask([
      mark("a"),
      mark("b", { head: "pii", threshold: 0.25, whole: true }),
      mark("c", { threshold: 0, whole: false }),
      { ...classify("d"), whole: true } as InferenceTask,
      mark("e", { deployment: "limited", whole: true }),
      mark("f", { deployment: "limited" }),
      mark("g", { deployment: "neighbour", whole: true }),
    ])
    const { tasks } = JSON.parse(requests[0]?.body ?? "") as { tasks: readonly { classify: unknown }[] }
    expect(tasks.map(({ classify: each }) => each)).toEqual([
      { model: "signals", input: "a", options: { overflow: "truncate" } },
      { model: "signals", head: "pii", input: "b", options: { overflow: "window", threshold: 0.25 } },
      { model: "signals", input: "c", options: { overflow: "truncate", threshold: 0 } },
      { model: "signals", input: "d", options: { overflow: "window" } },
      // The limit is for beginnings; who refuses long texts refuses these too.
      { model: "signals", input: "e", options: { overflow: "window" } },
      { model: "signals", input: "f", options: { overflow: "truncate", max_tokens: 64 } },
      { model: "other", input: "g", options: { overflow: "reject", max_tokens: 128 } },
    ])
  })

  test("asks typed questions and for rankings, in the same bundle", async () => {
    const { answers, requests } = await ask(
      [
        { kind: "decide", deployment: "first", text: "x", question: { type: "noul", instructions: "y" }, whole: true },
        { kind: "rerank", deployment: "neighbour", text: "x", documents: ["a", "b"] },
        { kind: "rerank", deployment: "first", text: "x", documents: ["a"] },
      ],
      {
        body: JSON.stringify({
          results: [
            { id: "0", status: 200, decisions: { answers: { q: { type: "noul", noul: 0.25 } } } },
            {
              id: "1",
              status: 200,
              rerank: { results: [1, 0].map((index) => ({ index, relevance_score: index / 2 })) },
            },
            { id: "2", status: 422, error: { code: "unsupported_surface" } },
          ],
        }),
      },
    )
    expect(requests).toHaveLength(1)
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      tasks: [
        {
          id: "0",
          decisions: {
            model: "signals",
            state: "x",
            questions: { q: { type: "noul", instructions: "y" } },
            options: { overflow: "window" },
          },
        },
        {
          id: "1",
          rerank: {
            model: "other",
            query: "x",
            documents: ["a", "b"],
            options: { overflow: "reject", max_tokens: 128 },
          },
        },
        { id: "2", rerank: { model: "signals", query: "x", documents: ["a"], options: { overflow: "truncate" } } },
      ],
    })
    expect(answers).toEqual([
      { kind: "decide", decided: { type: "noul", noul: 0.25 } },
      { kind: "rerank", ranking: { scores: [0, 0.5] } },
      failure("unsupported_surface"),
    ])
  })

  test("carries the signal and the socket", async () => {
    const { signal } = new AbortController()
    const { requests } = await ask([embed("x", "socket")], worker, { signal })
    expect(requests[0]).toMatchObject({ signal, socketPath: "/run/w.sock", url: "http://localhost/v1/bundle" })
  })

  test("waits a minute when nothing is said", async () => {
    const { requests } = await ask([embed("x")])
    expect(requests[0]).toMatchObject({ headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 })
    expect(requests[0]).not.toHaveProperty("signal")
  })

  test("goes to each worker once, and the answers keep their order", async () => {
    const tasks = [
      embed("1"),
      embed("22", "elsewhere"),
      embed("333", "neighbour"),
      embed("4444", "socket"),
      embed("55555", "elsewhere"),
    ]
    const { answers, requests } = await ask(tasks)
    expect(answers).toEqual([vector(1), vector(2), vector(3), vector(4), vector(5)])
    expect(requests.map(({ url, socketPath = "" }) => socketPath + url).toSorted()).toEqual([
      "/run/w.sockhttp://localhost/v1/bundle",
      "http://worker-1:8100/v1/bundle",
      "http://worker-2:8100/v1/bundle",
    ])
  })

  test("is not needed for no tasks, nor for a deployment that is not there", async () => {
    expect(await ask([])).toMatchObject({ answers: [], requests: [] })
    const { answers, requests } = await ask([embed("x", "nobody")])
    expect([answers, requests]).toEqual([[failure("unavailable", 'Deployment "nobody" does not exist')], []])
  })

  test("is not made to a worker that is known to be away", async () => {
    const transport = createFakeTransport(worker)
    const status = { artifact: "signals", process: "w", state: "starting", restarts: 0 } as const
    const inference = createRemoteInference({
      deployments,
      transport,
      status: () => [
        { ...status, name: "first", ready: false },
        { ...status, name: "elsewhere", ready: true },
      ],
    })
    const answers = await inference.bundle([embed("1"), embed("22", "elsewhere")])
    expect(answers).toEqual([failure("unavailable", 'Deployment "first" is not ready'), vector(2)])
  })

  test("to one worker that fails leaves the others' answers", async () => {
    const answer = (request: TransportRequest) =>
      request.url.includes("worker-1") ? new RtrError("upstream_timeout", "slow") : worker(request)
    const { answers } = await ask([embed("1"), embed("22", "elsewhere")], answer)
    expect(answers).toEqual([failure("upstream_timeout", "slow"), vector(2)])
  })
})

describe("an answer", () => {
  const only = (result: object, task = embed("x")) =>
    ask([task], { body: JSON.stringify({ results: [result] }) }).then(({ answers }) => answers)

  test("of probabilities", async () => {
    const { answers } = await ask([classify("x")])
    expect(answers).toEqual([
      { kind: "classify", classification: { labels: ["a", "b"], probabilities: Float32Array.from([0.25, 0.75]) } },
    ])
  })

  test.each<[string, object]>([
    ["probabilities", { probabilities: [0.25, 0.75] }],
    ["scores", { scores: [0.25, 0.75] }],
  ])("of a text in windows has the %s of each", async (_, second) => {
    const body = (windows: readonly object[]): FakeReply => ({
      body: JSON.stringify({
        results: [{ status: 200, classify: { labels: ["a", "b"], results: [{ probabilities: [0.5, 0.5], windows }] } }],
      }),
    })
    const { answers } = await ask([classify("x")], body([{ probabilities: [0.75, 0.25] }, second]))
    expect(answers).toEqual([
      {
        kind: "classify",
        classification: {
          labels: ["a", "b"],
          probabilities: Float32Array.from([0.5, 0.5]),
          windows: [Float32Array.from([0.75, 0.25]), Float32Array.from([0.25, 0.75])],
        },
      },
    ])
    for (const window of [{}, { probabilities: [1] }, { probabilities: [null, 1] }])
      expect((await ask([classify("x")], body([second, window]))).answers).toEqual([failure("invalid_model_output")])
  })

  test("of a text in windows tells where each stands, in code units, if the worker does", async () => {
    const placesOf = async (windows: readonly object[]) => {
      const classified = { labels: ["a"], results: [{ probabilities: [1], windows }] }
      const body = JSON.stringify({ results: [{ status: 200, classify: classified }] })
      const [answer] = (await ask([classify("\u{1F600}bcd")], { body })).answers
      return answer?.kind === "classify" ? answer.classification.places : answer
    }
    const at = (start: number, end: number) => ({ probabilities: [1], start, end })
    expect(await placesOf([at(0, 2), at(1, 4)])).toEqual([
      { start: 0, end: 3 },
      { start: 2, end: 5 },
    ])
    expect(await placesOf([at(0, 2), { probabilities: [1] }])).toBeUndefined()
    expect(await placesOf([at(0, 9)])).toEqual(failure("invalid_model_output"))
  })

  test("tells the tokens of the text and those that the model did not see, where the worker counts", async () => {
    const input = { tokens: 6, special_tokens: 2, unknown_tokens: 1, processed_tokens: 6, truncated: false }
    const results = [
      { status: 200, classify: { labels: ["a"], results: [{ probabilities: [1], input }] } },
      { status: 200, classify: { labels: ["a"], results: [{ spans: [], input }] } },
      { status: 200, embeddings: { data: [{ embedding: base64(1), input }] } },
      { status: 200, embeddings: { data: [{ embedding: base64(1), input: { tokens: 6 } }] } },
    ]
    const { answers } = await ask([classify("x"), mark("x"), embed("x"), embed("x")], {
      body: JSON.stringify({ results }),
    })
    const counts = { tokens: 6, specialTokens: 2, unknownTokens: 1 }
    expect(answers.map((answer) => (answer.kind === "error" ? answer : answer.counts))).toEqual([
      counts,
      counts,
      counts,
      undefined,
    ])
  })

  test("about a part of a text that was to be read whole is an error", async () => {
    const input = { tokens: 600, processed_tokens: 512, truncated: true }
    const results = [
      { status: 200, classify: { labels: ["a"], results: [{ probabilities: [1], input }] } },
      { status: 200, classify: { labels: ["a"], results: [{ spans: [], input }] } },
      { status: 200, embeddings: { data: [{ embedding: base64(1), input }] } },
    ]
    const tasks = (whole: boolean): readonly InferenceTask[] => [
      { ...classify("x"), whole } as InferenceTask,
      mark("x", { whole }),
      { ...embed("x"), whole } as InferenceTask,
    ]
    const body = JSON.stringify({ results })
    expect((await ask(tasks(true), { body })).answers).toEqual(results.map(() => failure("max_length_exceeded")))
    expect((await ask(tasks(false), { body })).answers.map(({ kind }) => kind)).toEqual(["classify", "spans", "embed"])
  })

  test("of spans, with places in the units of strings", async () => {
    const label = { label: "PERSON", probability: 0.75 }
    const spans = [
      { ...label, start: 2, end: 5, text: "Ann" },
      { ...label, start: 6, end: 7 },
    ]
    const { answers } = await ask([mark("👍 Ann 𝒜"), mark("nobody")], {
      body: JSON.stringify({
        results: [
          { status: 200, classify: { labels: ["PERSON"], results: [{ spans }] } },
          { status: 200, classify: { labels: ["PERSON"], results: [{ spans: [] }] } },
        ],
      }),
    })
    expect(answers).toEqual([
      {
        kind: "spans",
        spans: [
          { ...label, start: 3, end: 6 },
          { ...label, start: 7, end: 9 },
        ],
      },
      { kind: "spans", spans: [] },
    ])
  })

  test.each([
    [{ label: "PERSON", start: 0, end: 2, probability: 0.5 }],
    [{ label: "PERSON", start: 0, end: 1, probability: null }],
    [{ start: 0, end: 1, probability: 0.5 }],
    [null],
  ])("with the span %j, which is none of the text, is an error", async (span) => {
    expect(await only({ status: 200, classify: { labels: [], results: [{ spans: [span] }] } }, mark("x"))).toEqual([
      failure("invalid_model_output"),
    ])
  })

  test("that a text is longer than the scan budget keeps its code", async () => {
    expect(
      await only({ status: 200, classify: { labels: [], results: [{ error: { code: "scan_budget_exceeded" } }] } }),
    ).toEqual([failure("scan_budget_exceeded")])
  })

  test("of a vector in base64, little-endian", async () => {
    expect(await only({ status: 200, embeddings: { data: [{ embedding: "AACAPwAAAMAAAIA+" }] } })).toEqual([
      vector(1, -2, 0.25),
    ])
  })

  test.each<[string, object, string]>([
    [
      "an item",
      { status: 200, embeddings: { data: [{ error: { code: "max_length_exceeded", message: "secret" } }] } },
      "max_length_exceeded",
    ],
    [
      "a classified item",
      { status: 200, classify: { labels: [], results: [{ error: { code: "invalid_input" } }] } },
      "invalid_input",
    ],
    ["a task", { status: 404, error: { code: "model_not_found", message: "secret" } }, "model_not_found"],
    ["a task with a code of its own", { status: 500, error: { code: "no_such_code" } }, "unavailable"],
    ["a task with a code that every object has", { status: 500, error: { code: "constructor" } }, "unavailable"],
    ["a task without a code", { status: 500 }, "unavailable"],
  ])("that %s failed keeps its code and not its words", async (_, result, code) => {
    expect(await only(result)).toEqual([failure(code, `The model worker answered with ${code}`)])
  })

  test("with a number that is none is an error", async () => {
    expect(await only({ status: 200, embeddings: { data: [{ embedding: base64(1, Number.NaN) }] } })).toEqual([
      failure("invalid_model_output"),
    ])
    expect(await only({ status: 200, embeddings: { data: [{ embedding: base64(Infinity) }] } })).toEqual([
      failure("invalid_model_output"),
    ])
    expect(
      await only({ status: 200, classify: { labels: ["a"], results: [{ probabilities: [null] }] } }, classify("x")),
    ).toEqual([failure("invalid_model_output")])
  })

  test("with more labels than numbers is an error", async () => {
    expect(
      await only({ status: 200, classify: { labels: ["a", "b"], results: [{ probabilities: [1] }] } }, classify("x")),
    ).toEqual([failure("invalid_model_output")])
  })

  test("that is missing is an error", async () => {
    const { answers } = await ask([embed("1"), embed("2")], {
      body: JSON.stringify({ results: [{ status: 200, embeddings: { data: [{ embedding: base64(1) }] } }] }),
    })
    expect(answers).toEqual([vector(1), failure("invalid_model_output")])
  })
})

describe("a worker that refuses", () => {
  test.each([
    [429, { error: { code: "overloaded", message: "secret" } }, "overloaded"],
    [503, { error: { code: "not_ready" } }, "not_ready"],
    [504, { error: { code: "deadline_exceeded" } }, "deadline_exceeded"],
    [400, { error: { code: "invalid_request" } }, "invalid_request"],
    [500, {}, "unavailable"],
    [502, "<html>secret</html>", "unavailable"],
    [200, { error: { code: "overloaded" } }, "overloaded"],
  ])("with status %i and %j fails every task with %s", async (status, body, code) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const { answers } = await ask([embed("1"), classify("2")], { status, body: text })
    expect(answers).toEqual([failure(code), failure(code)])
    expect(JSON.stringify(answers)).not.toContain("secret")
  })

  test("with results beside an error status fails every task", async () => {
    const { answers } = await ask([embed("1")], { status: 500, body: JSON.stringify({ results: [{ status: 200 }] }) })
    expect(answers).toEqual([failure("unavailable")])
  })
})

describe("a worker that makes no sense", () => {
  test.each([
    "<html>secret</html>",
    "{}",
    "",
    "null",
    "[]",
    '"secret"',
    '{"results":5}',
    '{"results":[null]}',
    '{"results":[{"embeddings":5}]}',
    '{"results":[{"embeddings":{"data":[{"embedding":"!!!"}]}}]}',
    '{"results":[{"embeddings":{"data":[{"embedding":"AAA="}]}}]}',
    '{"results":[{"classify":{"labels":["a"],"results":[{"probabilities":"x"}]}}]}',
    `{"results":[{"id":"1","status":200,"embeddings":{"data":[{"embedding":"${base64(1)}"}]}}]}`,
  ])("%j is an error and nothing is thrown", async (body) => {
    const { answers } = await ask([embed("x")], { body })
    expect(answers).toEqual([failure("invalid_model_output")])
    expect(answers.map((answer) => answer.kind === "error" && answer.error.message).join()).not.toContain("secret")
  })

  test("about one task leaves the others' answers", async () => {
    const good = { status: 200, embeddings: { data: [{ embedding: base64(1) }] } }
    const bad = { status: 200, embeddings: { data: [{ embedding: "AAA=" }] } }
    const { answers } = await ask([embed("1"), embed("2"), embed("3")], {
      body: JSON.stringify({ results: [good, bad, null] }),
    })
    expect(answers).toEqual([vector(1), failure("invalid_model_output"), failure("invalid_model_output")])
  })

  test("with a probability that is none", async () => {
    for (const [low, high] of [
      [-0.5, 1],
      [0, 1.5],
      [null, 1],
    ]) {
      const probabilities = [low, high]
      const spans = [{ label: "PERSON", start: 0, end: 1, probability: low === 0 ? high : low }]
      const results = [{ probabilities }, { spans }].map((result) => ({
        status: 200,
        classify: { labels: ["a", "b"], results: [result] },
      }))
      const { answers } = await ask([classify("x"), mark("x")], { body: JSON.stringify({ results }) })
      expect(answers).toEqual(results.map(() => failure("invalid_model_output")))
    }
  })

  test("that sends its answer bit by bit is not listened to past the deadline", async () => {
    const { answers } = await ask([embed("x")], { body: ["{", "}"] }, { deadlineMs: -1 })
    expect(answers).toEqual([failure("deadline_exceeded")])
  })

  test("that cannot be reached has its own error", async () => {
    const lost = new RtrError("upstream_unavailable", "the connection was refused")
    expect((await ask([embed("x")], lost)).answers).toEqual([{ kind: "error", error: lost }])
    expect((await ask([embed("x")], new TypeError("secret"))).answers).toEqual([
      failure("unavailable", "The model worker cannot be reached"),
    ])
  })

  test("whose answer is huge is an error", async () => {
    const body = Array.from({ length: 5 }, () => new Uint8Array(16 * 1024 * 1024))
    expect((await ask([embed("x")], { body })).answers).toEqual([failure("upstream_error")])
  })
})

describe("metrics", () => {
  const timing = "parse;dur=1, tokenize;dur=2.5, queue;dur=0, forward;dur=10, warp;dur=3, total;dur=20"
  const timed = (request: TransportRequest): FakeReply => ({ ...worker(request), headers: { "server-timing": timing } })

  test("tell calls by outcome and time by phase", async () => {
    const { metrics } = await ask([embed("x")], timed)
    const labels = "deployment=first,surface=bundle"
    expect(metrics).toEqual({
      [`rtr_model_runtime_request_duration_seconds{${labels}}`]: [expect.any(Number)],
      [`rtr_model_runtime_transport_seconds{${labels}}`]: [expect.any(Number)],
      "rtr_model_runtime_requests_total{deployment=first,outcome=ok}": [1],
      [`rtr_model_runtime_server_seconds{${labels},phase=parse}`]: [0.001],
      [`rtr_model_runtime_server_seconds{${labels},phase=tokenize}`]: [0.0025],
      [`rtr_model_runtime_server_seconds{${labels},phase=queue}`]: [0],
      [`rtr_model_runtime_server_seconds{${labels},phase=forward}`]: [0.01],
      [`rtr_model_runtime_server_seconds{${labels},phase=other}`]: [0.003],
    })
  })

  test("never tell less than no time on the way", async () => {
    const { metrics } = await ask([embed("x")], (request) => ({
      ...worker(request),
      headers: { "server-timing": "total;dur=999999" },
    }))
    expect(metrics["rtr_model_runtime_transport_seconds{deployment=first,surface=bundle}"]).toEqual([0])
  })

  test("tell no phases that the worker did not", async () => {
    const { metrics } = await ask([embed("x")])
    expect(Object.keys(metrics).toSorted()).toEqual([
      "rtr_model_runtime_request_duration_seconds{deployment=first,surface=bundle}",
      "rtr_model_runtime_requests_total{deployment=first,outcome=ok}",
    ])
  })

  test("tell each question without an answer by its reason", async () => {
    const results = [
      { status: 200, embeddings: { data: [{ embedding: base64(1) }] } },
      { status: 200, embeddings: { data: [{ error: { code: "max_length_exceeded" } }] } },
      { status: 200, embeddings: { data: [{ error: { code: "max_length_exceeded" } }] } },
    ]
    const { metrics } = await ask([embed("1"), embed("2"), embed("3")], { body: JSON.stringify({ results }) })
    expect(metrics).toMatchObject({
      "rtr_model_runtime_requests_total{deployment=first,outcome=input_limit}": [1],
      "rtr_model_runtime_unknown_answers_total{deployment=first,reason=input_limit}": [1, 1],
    })
  })

  test("tell each deployment of a shared call apart", async () => {
    const results = [
      { status: 200, embeddings: { data: [{ embedding: base64(1) }] } },
      { status: 404, error: { code: "model_not_found" } },
    ]
    const { metrics } = await ask([embed("1"), embed("2", "neighbour")], { body: JSON.stringify({ results }) })
    expect(metrics).toMatchObject({
      "rtr_model_runtime_requests_total{deployment=first,outcome=ok}": [1],
      "rtr_model_runtime_requests_total{deployment=neighbour,outcome=rejected}": [1],
    })
  })
})

test.each<[string | undefined, Readonly<Record<string, number>>]>([
  [undefined, {}],
  ["", {}],
  ["total;dur=5", { total: 5 }],
  ["a;dur=1.25 , b-c;dur=2", { a: 1.25, "b-c": 2 }],
  ["a; dur=1", { a: 1 }],
  ["a ;dur=1", { a: 1 }],
  ['cache;desc="hit", total;dur=5', { total: 5 }],
  ["nonsense", {}],
])("Server-Timing %j reads %j", (header, phases) =>
  expect(Object.fromEntries(readServerTiming(header))).toEqual(phases),
)

test("status and close are those of the host", async () => {
  const closed: string[] = []
  const status = [{ name: "first", artifact: "a", process: "p", state: "ready", ready: true, restarts: 0 }] as const
  const inference = createRemoteInference({
    deployments,
    transport: createFakeTransport(worker),
    status: () => status,
    onClose: async () => void closed.push("closed"),
  })
  expect(inference.status()).toBe(status)
  await inference.close()
  expect(closed).toEqual(["closed"])
  await createRemoteInference({ deployments, transport: createFakeTransport(worker), status: () => [] }).close()
})
