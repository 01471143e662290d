import { describe, expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { catalogueTable } from "../../../../ts/kernel/config/accepted/catalogue-models.ts"
import { reasoningFamilies } from "../../../../ts/kernel/config/sections/reasoning/families.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"
import { loadBuiltins } from "../../../../ts/kernel/runtime/node-modules.ts"
import { compileWith } from "../../../fakes/services.ts"

const load = async (model: object, cards: readonly object[] = []) =>
  loadDocument(
    { environment: () => ({ OPENAI_API_KEY: "key" }), loadRegistry: async () => registry },
    {
      text: "",
      source: "config.yaml",
      value: {
        version: "v0.3",
        providers: { defaults: { model: "m" }, models: [{ name: "m", ...model }] },
        routing: { modelCards: cards },
      },
    },
  )
const refusals = async (...options: Parameters<typeof load>): Promise<readonly string[]> => {
  try {
    await load(...options)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
  }
}
const at = "providers.models[0].catalog"

describe("a model of the catalogue", () => {
  test("has its card, its way of reasoning, and the id and the price of each provider", async () => {
    const backends = [{ provider: "together" }, { provider: "vllm", endpoint: "h:8000" }]
    const { document } = await load({ catalog: "minimax/minimax-m3", backend_refs: backends })
    expect(document.providers?.models).toEqual([
      {
        name: "m",
        reasoning: { family: "minimax-m3" },
        pricing: { prompt_per_1m: 0.3, completion_per_1m: 1.2, cached_input_per_1m: 0.06 },
        backend_refs: backends,
        external_model_ids: { together: "MiniMaxAI/MiniMax-M3", vllm: "MiniMaxAI/MiniMax-M3" },
      },
    ])
    expect(document.routing?.modelCards).toEqual([
      {
        name: "m",
        param_size: "428B",
        context_window_size: 1048576,
        released_at: "2026-06-01",
        modalities: { input: ["text", "image", "video"], output: ["text"] },
        capabilities: ["chat", "reasoning", "tools", "structured_output", "vision", "video", "long_context"],
        evaluations: [
          { benchmark: "vllm-sr/agentic@1.0.0", metrics: { score: 0.652 } },
          { benchmark: "vllm-sr/reasoning@1.0.0", metrics: { score: 0.66 } },
        ],
      },
    ])
    const { plan } = await compileWith(document, { environment: { TOGETHER_API_KEY: "key" } })
    expect(plan.models.get("m")?.card).toMatchObject({ quality_score: 0.656 })
  })

  test("keeps what the entry and a card of its own say", async () => {
    const own = { name: "openai/gpt-5.4", context_window_size: 1000, capabilities: ["chat"], description: "Mine" }
    const { document } = await load(
      {
        catalog: "openai/gpt-5.4",
        provider_model_id: "mine",
        pricing: { prompt_per_1m: 1 },
        backend_refs: [{ provider: "openai" }],
      },
      [own],
    )
    expect(document.providers?.models?.[0]).toMatchObject({ provider_model_id: "mine", pricing: { prompt_per_1m: 1 } })
    expect(document.providers?.models?.[0]).not.toHaveProperty("external_model_ids")
    expect(document.routing?.modelCards?.[0]).toEqual(own)
    expect(document.routing?.modelCards?.[1]).toMatchObject({ ...own, name: "m", max_output_tokens: 128000 })
  })

  test("without a backend is described by its card", async () => {
    const { document, warnings } = await load({ catalog: "vllm-sr/mom-v1-blend" })
    expect(document.routing?.modelCards?.[0]).toMatchObject({
      name: "m",
      capabilities: expect.arrayContaining(["tools"]),
    })
    expect(warnings.map(({ message }) => message)).toEqual([
      'is missing; write [{ endpoint: "HOST:PORT" }]; without a backend the model is listed, and calling it is an error',
    ])
  })
})

test("what contradicts the catalogue is refused", async () => {
  const openai = { backend_refs: [{ provider: "openai" }] }
  expect(await refusals({ catalog: "openai/gpt-5.5x", ...openai })).toEqual([
    `${at}: "openai/gpt-5.5x" is not in the catalogue (did you mean "openai/gpt-5.5"?)`,
  ])
  expect(await refusals({ catalog: "openai/gpt-5.4", reasoning: { family: "gpt" }, ...openai })).toEqual([
    `${at}: says how the model reasons, and so does "reasoning"; leave one of them out`,
  ])
  expect(await refusals({ catalog: "openai/gpt-5.4", ...openai }, [{ name: "m" }])).toEqual([
    `${at}: has a card; to change it, write one named "openai/gpt-5.4", and none named "m"`,
  ])
  const wider = { name: "openai/gpt-5.4", capabilities: ["chat", "audio"] }
  expect(await refusals({ catalog: "openai/gpt-5.4", ...openai }, [wider])).toEqual([
    `${at}: has a card without audio; a card of the same name cannot add capabilities`,
  ])
  const elsewhere = { backend_refs: [{ provider: "vllm", endpoint: "h" }] }
  expect(await refusals({ catalog: "openai/gpt-5.4", ...elsewhere })).toEqual([
    `${at}: has no id of this model at provider "vllm" of backend_refs[0]; write provider_model_id or external_model_ids`,
  ])
})

test("the table names providers and families of reasoning that there are", async () => {
  const providers = new Set((await loadBuiltins()).all("provider").map(({ id }) => id))
  const rows = catalogueTable
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const unknown = rows.flatMap(([id, , , , family = "", , , , , offers = ""]) => [
    ...(family === "" || Object.hasOwn(reasoningFamilies, family) ? [] : [`${id}: ${family}`]),
    ...offers
      .split(" ")
      .map((offer) => offer.split("=")[0] ?? "")
      .filter((provider) => provider !== "" && !providers.has(provider)),
  ])
  expect(rows).toHaveLength(105)
  expect(unknown).toEqual([])
})

test("a document without it has none of it", async () => {
  const { document } = await loadDocument(
    { environment: () => ({}), loadRegistry: async () => registry },
    { text: "", source: "config.yaml", value: documentWith({ "global.router": { clear_route_cache: true } }) },
  )
  expect(document.providers).toEqual(documentWith({})["providers"])
})
