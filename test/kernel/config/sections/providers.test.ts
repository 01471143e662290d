import { describe, expect, test } from "vitest"
import type { Environment } from "../../../../ts/kernel/config/environment.ts"
import type { ModelTarget } from "../../../../ts/kernel/types/plan.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { canonical, documentWith, problemsOf, resolve } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const compile = async (
  changes: Readonly<Record<string, unknown>>,
  environment: Environment = {},
): Promise<ReadonlyMap<string, ModelTarget>> =>
  (await compileWith(canonical(changes, environment), { environment })).plan.models

/** What the first backend of model "small" would send. */
async function requestOf(backendRef: object, environment: Environment = {}, model: object = {}) {
  const models = await compile(
    { "providers.models.0": { name: "small", ...model, backend_refs: [backendRef] } },
    environment,
  )
  return models.get("small")?.backends[0]?.provider.toRequest({
    body: { messages: [] },
    stream: false,
    headers: {},
  })
}

describe("addresses", () => {
  test.each([
    [{ endpoint: "host:8000" }, "http://host:8000/v1/chat/completions"],
    [{ endpoint: "host", protocol: "https" }, "https://host/v1/chat/completions"],
    [{ endpoint: "[::1]:80" }, "http://[::1]/v1/chat/completions"],
    [{ endpoint: "https://host:9/v1/" }, "https://host:9/v1/chat/completions"],
    [{ endpoint: "https://host", protocol: "http" }, "https://host/v1/chat/completions"],
    [{ endpoint: "host/openai", protocol: "https" }, "https://host/openai/chat/completions"],
    [{ endpoint: "host/v1", provider: "anthropic" }, "http://host/v1/messages"],
    [{ base_url: "https://host/base" }, "https://host/base/chat/completions"],
    [{ base_url: "https://host/base//" }, "https://host/base/chat/completions"],
    [{ base_url: "https://host", provider: "minimax" }, "https://host/v1/chat/completions"],
    [{ base_url: "https://host/base", chat_path: "/other" }, "https://host/other"],
    [{ endpoint: "host", chat_path: "/other?x=1" }, "http://host/other?x=1"],
    [
      { base_url: "https://host/openai", provider: "azure-openai", api_version: "2024-06-01" },
      "https://host/openai/chat/completions?api-version=2024-06-01",
    ],
  ])("%j is called at %s", async (ref, url) => expect((await requestOf(ref))?.url).toBe(url))
})

describe("providers with an address of their own", () => {
  const groq = "https://api.groq.com/openai/v1/chat/completions"
  const sent = async (model: object, environment: Environment = {}) => {
    const models = await compile({ "providers.models.0": { name: "small", ...model } }, environment)
    return models.get("small")?.backends.map(({ provider }) => {
      const { url, headers } = provider.toRequest({ body: {}, stream: false, headers: {} })
      return [url, headers["authorization"]]
    })
  }

  test.each<[object, Environment, readonly unknown[]]>([
    [{ provider: "groq" }, { GROQ_API_KEY: "k" }, [[groq, "Bearer k"]]],
    [{ backend_refs: [{ provider: "groq", api_key_env: "X" }] }, { X: "x" }, [[groq, "Bearer x"]]],
    [{ backend_refs: [{ provider: "groq", api_key: "y" }] }, {}, [[groq, "Bearer y"]]],
    [{ backend_refs: [{ provider: "groq", extra_headers: { Authorization: "Basic z" } }] }, {}, [[groq, "Basic z"]]],
    // The key of a provider's own address goes nowhere else.
    [
      { provider: "groq", backend_refs: [{ endpoint: "other" }, { provider: "openai" }] },
      { GROQ_API_KEY: "k", OPENAI_API_KEY: "o" },
      [
        ["http://other/v1/chat/completions", undefined],
        ["https://api.openai.com/v1/chat/completions", "Bearer o"],
      ],
    ],
  ])("%j with %j", async (model, environment, requests) => expect(await sent(model, environment)).toEqual(requests))

  test("need their variable", async () => {
    await expect(compile({ "providers.models.0": { name: "small", provider: "groq" } })).rejects.toThrow(
      'Cannot serve model "small": environment variable GROQ_API_KEY, which provider "groq" names, is not set',
    )
  })

  test("others need an endpoint", () => {
    const at = "providers.models[0].backend_refs[0]"
    expect(problemsOf(documentWith({ "providers.models.0.backend_refs": [{ provider: "ollama" }] }))).toEqual([
      `${at}: must have an endpoint or a base_url; provider "ollama" has no address of its own`,
    ])
    expect(problemsOf(documentWith({ "providers.models.0.backend_refs": [{}] }))).toEqual([
      `${at}: must have an endpoint or a base_url; provider "vllm" has no address of its own`,
    ])
  })
})

test("older documents name no provider with chat", async () => {
  const changes = { "providers.models.0.backend_refs": [{ endpoint: "h", provider: "chat" }] }
  expect(resolve(documentWith(changes)).warnings).toEqual([
    expect.objectContaining({ message: 'is no provider; write "vllm"' }),
  ])
  expect((await compile(changes)).get("small")?.backends[0]?.dialectId).toBe("chat_completions")
})

describe("a model without backends", () => {
  const model = { name: "small", pricing: { prompt_per_1m: 1 } }

  test("is listed and priced, and says so when it is called", async () => {
    const small = (await compile({ "providers.models.0": model })).get("small")
    expect(small?.pricing?.promptPer1m).toBe(1)
    expect(() => small?.backends[0]?.provider.toRequest({ body: {}, stream: false, headers: {} })).toThrow(
      'Cannot call model "small": it is only described, without backend_refs',
    )
  })

  test("is told of, and refused where nothing else is said of it", () => {
    const told =
      'providers.models[0].backend_refs: is missing; write [{ endpoint: "HOST:PORT" }]; without a backend the model is listed, and calling it is an error'
    const { warnings } = resolve(documentWith({ "providers.models.0": model }))
    expect(warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([told])
    expect(problemsOf(documentWith({ "providers.models.0": { name: "small", pricing: {} } }))).toEqual([told])
    expect(problemsOf(documentWith({ "providers.models.0": { name: "small", backend_refs: [] } }))).toEqual([
      told.replace("is missing", "is empty"),
    ])
  })
})

describe("keys", () => {
  test.each<[object, Environment, Readonly<Record<string, string>>]>([
    [{ endpoint: "h" }, {}, {}],
    [{ endpoint: "h", api_key: "k" }, {}, { authorization: "Bearer k" }],
    [{ endpoint: "h", api_key: "${KEY}" }, { KEY: "k" }, { authorization: "Bearer k" }],
    [{ endpoint: "h", api_key: "" }, {}, {}],
    [{ endpoint: "h", api_key_env: "KEY" }, { KEY: "k" }, { authorization: "Bearer k" }],
    [{ endpoint: "h", api_key: "k", provider: "azure-openai" }, {}, { "api-key": "k" }],
    [{ endpoint: "h", api_key: "k", auth_header: "X-Key", auth_prefix: "Token" }, {}, { "x-key": "Token k" }],
    [
      { endpoint: "h", api_key: "k", extra_headers: { "X-Org": "o", Authorization: "Basic x" } },
      {},
      { authorization: "Bearer k", "x-org": "o" },
    ],
  ])("%j with %j sends %j", async (ref, environment, headers) => {
    const { "content-type": _, accept: __, ...sent } = (await requestOf(ref, environment))?.headers ?? {}
    expect(sent).toEqual(headers)
  })

  test.each([{}, { KEY: "" }])("a named variable that is not set is refused by its name (%j)", async (environment) => {
    await expect(
      compile(
        { "providers.models.0.backend_refs": [{ endpoint: "a" }, { endpoint: "b", api_key_env: "KEY" }] },
        environment,
      ),
    ).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message:
          'Cannot serve model "small": environment variable KEY, which api_key_env of backend "backend-2" names, is not set',
        path: ["providers", "models", 0, "backend_refs", 1, "api_key_env"],
      }),
    )
  })

  test("a name that every object has is not set", async () => {
    await expect(
      compile({ "providers.models.0.backend_refs": [{ endpoint: "a", api_key_env: "constructor" }] }),
    ).rejects.toThrow(/the environment variable that it names .* is not set/)
  })
})

describe("names and weights", () => {
  test("a single backend is primary, several are numbered, given names stay", async () => {
    const names = async (refs: readonly object[]) =>
      (await compile({ "providers.models.0.backend_refs": refs })).get("small")?.backends.map(({ name }) => name)
    expect(await names([{ endpoint: "a" }])).toEqual(["primary"])
    expect(await names([{ endpoint: "a" }, { endpoint: "b", name: "spare" }, { endpoint: "c" }])).toEqual([
      "backend-1",
      "spare",
      "backend-3",
    ])
  })

  test("a weight of nothing or 0 is 1", async () => {
    const refs = [{ endpoint: "a" }, { endpoint: "b", weight: 0 }, { endpoint: "c", weight: 5 }]
    const target = (await compile({ "providers.models.0.backend_refs": refs })).get("small")
    expect(target?.backends.map(({ weight }) => weight)).toEqual([1, 1, 5])
  })

  test.each([
    [{}, "small"],
    [{ provider_model_id: "id" }, "id"],
    [{ provider_model_id: "id", external_model_ids: { openai: "gpt" } }, "gpt"],
    [{ provider_model_id: "id", external_model_ids: { vllm: "other" } }, "id"],
  ])("a model with %j is asked for as %s at an openai backend", async (model, id) => {
    const models = await compile({
      "providers.models.0": { name: "small", ...model, backend_refs: [{ endpoint: "h", provider: "openai" }] },
    })
    expect(models.get("small")?.backends[0]?.upstreamModel).toBe(id)
  })

  test("a backend without a provider is of the default one", async () => {
    const models = await compile({ "providers.models.0.external_model_ids": { vllm: "v" } })
    expect(models.get("small")?.backends[0]).toMatchObject({ upstreamModel: "v", dialectId: "chat_completions" })
  })
})

describe("targets", () => {
  test("carry the model's card and pricing", async () => {
    const card = { name: "small", description: "quick" }
    const models = await compile({ "routing.modelCards": [card], "providers.models.0.pricing": { prompt_per_1m: 2 } })
    const target = models.get("small")
    expect({ ...target, backends: target?.backends.length }).toEqual({
      name: "small",
      backends: 1,
      card,
      pricing: { currency: "USD", promptPer1m: 2, completionPer1m: 0, cachedInputPer1m: 2 },
    })
  })

  test.each([
    [{}, { currency: "USD", promptPer1m: 0, completionPer1m: 0, cachedInputPer1m: 0 }],
    [
      { currency: "EUR", prompt_per_1m: 1, completion_per_1m: 2, cached_input_per_1m: 0.5 },
      { currency: "EUR", promptPer1m: 1, completionPer1m: 2, cachedInputPer1m: 0.5 },
    ],
    [
      { prompt_per_1m: 1, cached_input_per_1m: 0 },
      { currency: "USD", promptPer1m: 1, completionPer1m: 0, cachedInputPer1m: 0 },
    ],
  ])("pricing %j", async (pricing, compiled) =>
    expect((await compile({ "providers.models.0.pricing": pricing })).get("small")?.pricing).toEqual(compiled),
  )

  test("LoRAs are models of their own on the base model's backends", async () => {
    const targets = await compile({
      "routing.modelCards": [{ name: "large", loras: [{ name: "a" }, { name: "b" }] }],
      "providers.models.1.pricing": { prompt_per_1m: 1 },
    })
    const large = targets.get("large")
    expect([...targets.keys()]).toEqual(["small", "large", "a", "b"])
    expect(targets.get("a")).toEqual({
      name: "a",
      backends: [{ ...large?.backends[0], upstreamModel: "a" }],
      pricing: large?.pricing,
      card: large?.card,
    })
  })

  test.each([[{ name: "m", backend_refs: [{ provider: "x" }] }, 'Cannot serve model "m": there is no provider "x"']])(
    "%j is refused",
    async (model, message) => {
      const document = { version: "v0.3", providers: { models: [model] } } as never
      await expect(compileWith(document)).rejects.toMatchObject({ code: "invalid_config", message })
    },
  )
})

describe("api_format", () => {
  const host = { base_url: "https://host/base" }

  test("picks the protocol that the backends are asked in", async () => {
    const urlOf = async (format: object, provider?: string) =>
      (await requestOf({ ...host, ...(provider !== undefined && { provider }) }, {}, format))?.url
    expect(await urlOf({ api_format: "responses" }, "openai")).toBe("https://host/base/responses")
    expect(await urlOf({ api_format: "openai" }, "openai")).toBe("https://host/base/chat/completions")
    expect(await urlOf({}, "openai")).toBe("https://host/base/chat/completions")
    const models = await compile({
      "providers.models.0": { name: "small", api_format: "responses", backend_refs: [{ ...host, provider: "openai" }] },
    })
    expect(models.get("small")?.backends[0]?.dialectId).toBe("responses")
  })

  test("is refused for a provider that has it not, and where it is unknown", () => {
    const problemsWith = (format: string, refs: readonly object[]): readonly string[] =>
      problemsOf(documentWith({ "providers.models.0": { name: "small", api_format: format, backend_refs: refs } }))
    const refs = ["openai", "gemini"].map((provider) => ({ ...host, provider }))
    expect(problemsWith("responses", [...refs, host])).toEqual([
      expect.stringMatching(
        /: provider "gemini" has no api_format "responses"; providers with it: azure-openai, openai, /,
      ),
    ])
    expect(problemsWith("respones", [host])).toEqual([expect.stringContaining('(did you mean "responses"?)')])
  })
})
