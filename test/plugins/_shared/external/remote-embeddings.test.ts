import { describe, expect, test } from "vitest"
import { problemsOf, documentWith, load } from "../../../fakes/document.ts"
import { failures, outsideKernel, type ServiceAnswer } from "../../../fakes/outside.ts"
import { jsonReply } from "../../../fakes/transport.ts"

const endpoint = { base_url: "https://helper.example/v1/", model: "embed-small", max_retries: 0 }
const semantic = {
  endpoint,
  embedding_config: { backend: "openai_compatible", model_type: "remote", target_dimension: 2 },
}
const changesOf = (semanticChanges: object = {}): Readonly<Record<string, unknown>> => ({
  "routing.signals": { embeddings: [{ name: "money", threshold: 0.9, candidates: ["refund", "invoice"] }] },
  "routing.decisions.0.rules": { type: "embedding", name: "money" },
  "global.model_catalog": {
    embeddings: { semantic: { ...semantic, ...semanticChanges } },
    signal_timeout_ms: 300,
  },
})

/** Texts about money point one way, the others another; not one of them has length 1. */
const vectorOf = (text: string): readonly number[] => (/refund|invoice|money/.test(text) ? [3, 0] : [0, 5])
const vectors = (texts: readonly string[]): ServiceAnswer =>
  jsonReply({ data: texts.map((text, index) => ({ index, embedding: vectorOf(text) })).toReversed() })

describe("an endpoint that makes vectors", () => {
  test("embeds examples once and each text, in the place of the built-in model", async () => {
    const kernel = await outsideKernel({
      changes: changesOf({ endpoint: { ...endpoint, api_key_env: "EMBED_KEY", dimensions: 2 } }),
      environment: { EMBED_KEY: "secret" },
      answer: ({ body }) => vectors(body.input),
    })
    expect([await kernel.route("My money"), await kernel.route("The weather")]).toEqual([
      ["rush", null],
      ["–", null],
    ])
    const call = {
      url: "https://helper.example/v1/embeddings",
      key: "Bearer secret",
      body: { model: "embed-small", encoding_format: "float", dimensions: 2 },
    }
    expect(kernel.asked.map(({ body: { input, ...body }, ...rest }) => [{ ...rest, body }, input])).toEqual([
      [call, ["refund", "invoice"]],
      [call, ["My money"]],
      [call, ["The weather"]],
    ])
  })

  test("answers for signals and selectors that compare texts, too", async () => {
    const kernel = await outsideKernel({
      changes: {
        ...changesOf(),
        "routing.signals": {
          complexity: [
            { name: "hard", threshold: 0.1, hard: { candidates: ["refund"] }, easy: { candidates: ["sun"] } },
          ],
        },
        "routing.decisions.0.rules": { type: "complexity", name: "hard:hard" },
        "routing.decisions.0.algorithm": { type: "router_dc" },
        "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
        "routing.modelCards": [
          { name: "small", description: "sunshine" },
          { name: "large", description: "invoice" },
        ],
      },
      answer: ({ body }) => vectors(body.input),
    })
    const { headers } = await kernel.ask("My money")
    expect(headers.get("x-selected-model")).toBe("large")
  })

  test("is asked again where it has too much to do", async () => {
    let refusals = 2
    const kernel = await outsideKernel({
      changes: changesOf({ endpoint: { ...endpoint, max_retries: 2 } }),
      answer: ({ body }) => ((refusals -= 1) >= 0 ? jsonReply({}, { status: 503 }) : vectors(body.input)),
    })
    expect(await kernel.route("My money")).toEqual(["rush", null])
  })

  for (const [what, [answer, reason]] of Object.entries(failures))
    test(`that ${what} leaves the signals unknown`, async () => {
      let started = false
      const kernel = await outsideKernel({
        changes: changesOf(),
        answer: ({ body }) => (started ? answer() : vectors(body.input)),
      })
      started = true
      const [decision, unknown] = await kernel.route("My money")
      expect([decision, unknown]).toEqual([
        "–",
        `embedding:money=${reason === "failed" && what === "answers without end" ? "failed" : reason}`,
      ])
    })

  test("gives vectors of the length that the document says, or none", async () => {
    let length = 2
    const kernel = await outsideKernel({
      changes: changesOf(),
      answer: ({ body }) => jsonReply({ data: body.input.map(() => ({ embedding: Array.from({ length }, () => 1) })) }),
    })
    length = 3
    expect(await kernel.route("My money")).toEqual(["–", "embedding:money=failed"])
  })

  test("that is away when the router starts keeps it from starting, and says where", async () => {
    const starting = outsideKernel({ changes: changesOf(), answer: () => jsonReply({}, { status: 503 }) })
    await expect(starting).rejects.toThrow(/embedding endpoint of model "embed-small" answered with status 503/)
    const keyless = outsideKernel({
      changes: changesOf({ endpoint: { ...endpoint, api_key_env: "NO_KEY" } }),
      answer: () => jsonReply({}),
    })
    await expect(keyless).rejects.toThrow(/environment variable NO_KEY is not set/)
  })
})

test("mistakes and keys without effect are told", async () => {
  const at = "global.model_catalog.embeddings.semantic"
  const { model_type: _, ...config } = semantic.embedding_config
  const wrong = (changes: object) => problemsOf(documentWith({ [at]: changes }))
  expect([
    ...wrong({ embedding_config: { backend: "openai_compatible" } }),
    ...wrong({ endpoint: { ...endpoint, dimensions: 3 }, embedding_config: config }),
    ...wrong({ endpoint: { ...endpoint, base_url: "helper.example" }, embedding_config: config }),
  ]).toEqual([
    `${at}.endpoint: is missing; backend openai_compatible needs its base_url and model`,
    `${at}.endpoint.dimensions: must be the target_dimension of embedding_config, 2, got 3`,
    `${at}.endpoint.base_url: must be an http or https URL without credentials, query and spaces`,
  ])
  const { warnings = [] } = await load(
    documentWith({ [at]: { endpoint, embedding_config: { backend: "candle", target_dimension: 768 } } }),
  )
  expect(warnings.map(({ path, message }) => `${path.slice(4).join(".")} ${message.split(":")[0]}`)).toEqual([
    "endpoint has no effect without embedding_config.backend",
    "embedding_config.backend has no effect",
    "embedding_config.target_dimension has no effect",
  ])
})
