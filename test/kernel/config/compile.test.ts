import { definePlugin, defineSelector, defineSignal } from "rtr"
import { signalInput } from "rtr/testing"
import { Type } from "typebox"
import { describe, expect, test } from "vitest"
import type { ConfigDocument } from "../../../ts/kernel/config/document-schema.ts"
import { createRegistry } from "../../../ts/kernel/modules/registry.ts"
import type { Plan } from "../../../ts/kernel/types/plan.ts"
import { canonical, documentWith, load } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"
import { compileWith } from "../../fakes/services.ts"

const compile = async (document: ConfigDocument): Promise<Plan> => (await compileWith(document)).plan
const planWith = async (changes: Readonly<Record<string, unknown>>): Promise<Plan> =>
  compile((await load(documentWith(changes))).document)

describe("the whole plan", () => {
  test("of a small document", async () => {
    const plan = await planWith({})
    expect({ ...plan, models: [...plan.models.keys()] }).toEqual({
      hash: "h",
      listeners: [
        {
          name: "main",
          address: "127.0.0.1",
          port: 8801,
          timeoutMs: 300_000,
          apiKeys: [],
          models: undefined,
          origins: new Set(),
        },
      ],
      management: {
        address: "127.0.0.1",
        port: 8080,
        previewTimeoutMs: 120_000,
        previewConcurrency: 16,
        tokens: undefined,
      },
      metricsEnabled: true,
      signals: [
        {
          type: "keyword",
          configKey: "keywords",
          rules: ["urgent"],
          firstSlot: 0,
          level: 0,
          target: undefined,
          guard: undefined,
          read: expect.any(Function),
        },
      ],
      factTypes: expect.any(Map),
      slotCount: 1,
      signalTimeoutMs: 45_000,
      strategy: "priority",
      decisions: [
        {
          name: "rush",
          priority: 0,
          tier: 0,
          rules: {
            kind: "OR",
            children: [
              { kind: "leaf", type: "keyword", name: "urgent", slot: 0, predicate: undefined, onError: undefined },
            ],
          },
          onUnknown: "no_match",
          algorithm: "static",
          candidates: [
            {
              model: "large",
              target: plan.models.get("large"),
              score: 1,
              pricing: undefined,
              card: undefined,
            },
          ],
          selector: undefined,
          looper: undefined,
          plugins: [],
        },
      ],
      defaultModel: plan.models.get("small"),
      models: ["small", "large"],
      autoNames: ["MoM", "auto", "rtr/auto"],
      listConfiguredModels: true,
      dialects: new Map(registry.all("dialect").map(({ id, module }) => [id, module])),
    })
    expect(Object.isFrozen(plan)).toBe(true)
  })

  test("of a document with every setting", async () => {
    const plan = await planWith({
      "listeners.0.timeout": "5s",
      "listeners.0.api_keys": ["k1", "k2"],
      "listeners.0.models": ["magic", "small"],
      "routing.strategy": "confidence",
      global: {
        router: {
          strategy: "priority",
          auto_model_name: "magic",
          auto_model_names: ["any"],
          include_config_models_in_list: false,
        },
        services: {
          api: { routing_preview: { request_timeout_seconds: 3, max_concurrency: 1 } },
          management_api: { bind_address: "::1", port: 9000 },
          observability: { metrics: { enabled: false } },
        },
        model_catalog: { signal_timeout_ms: 1234 },
      },
    })
    expect(plan).toMatchObject({
      listeners: [
        {
          timeoutMs: 5000,
          apiKeys: [
            { key: "k1", name: "key-1" },
            { key: "k2", name: "key-2" },
          ],
          models: new Set(["magic", "small"]),
        },
      ],
      management: { address: "::1", port: 9000, previewTimeoutMs: 3000, previewConcurrency: 1 },
      metricsEnabled: false,
      signalTimeoutMs: 1234,
      strategy: "confidence",
      autoNames: ["magic", "any"],
      listConfiguredModels: false,
    })
  })

  test("of a document with routing only", async () => {
    const plan = await compile({ version: "v0.3", routing: {} })
    expect(plan).toMatchObject({
      listeners: [{ name: "http-8801", address: "127.0.0.1", port: 8801, apiKeys: [] }],
      decisions: [],
      defaultModel: undefined,
      factTypes: expect.any(Map),
      slotCount: 0,
    })
    expect(plan.models.size).toBe(0)
  })

  test("of a document with routing only can choose models that nothing can call", async () => {
    const decisions = [{ name: "any", modelRefs: [{ model: "named" }] }]
    const { decisions: [any] = [] } = await compile({ version: "v0.3", routing: { decisions } })
    const [candidate] = any?.candidates ?? []
    expect(candidate?.model).toBe("named")
    expect(() => candidate?.target.backends[0]?.provider.toRequest({ body: {}, stream: false, headers: {} })).toThrow(
      'Cannot call model "named": it is only described, without backend_refs',
    )
  })

  test("of a document with cards and no providers has them as models", async () => {
    const card = { name: "described", description: "Writes code", loras: [{ name: "tuned" }] }
    const plan = await compile({
      version: "v0.3",
      routing: {
        modelCards: [card],
        decisions: [{ name: "any", modelRefs: [{ model: "described", lora_name: "tuned" }] }],
      },
    })
    expect([...plan.models.keys()]).toEqual(["described", "tuned"])
    expect(plan.models.get("described")?.card).toEqual(card)
    expect(plan.decisions[0]?.candidates[0]?.target).toBe(plan.models.get("tuned"))
  })
})

test("the strategy of the router holds where routing has none", async () => {
  expect((await planWith({ "global.router.strategy": "confidence" })).strategy).toBe("confidence")
})

test("an empty list of automatic names leaves the main one", async () => {
  expect((await planWith({ "global.router.auto_model_names": [] })).autoNames).toEqual(["MoM"])
})

test("each automatic name stands once", async () => {
  expect((await planWith({ "global.router.auto_model_name": "auto" })).autoNames).toEqual(["auto", "rtr/auto"])
})

test("rules become a tree that knows its facts by slot", async () => {
  const { decisions, slotCount } = await planWith({
    "routing.signals.context": [
      { name: "short", max_tokens: 10 },
      { name: "long", min_tokens: "8K" },
    ],
    "routing.decisions.0.rules": {
      operator: "and",
      on_unknown: "fail_request",
      conditions: [
        { operator: "NOT", conditions: [{ type: "context", name: "long", predicate: { gt: 5 } }] },
        { operator: "OR", conditions: [{ type: "keyword", name: "urgent", on_error: "match" }] },
      ],
    },
  })
  const leaf = { kind: "leaf", predicate: undefined, onError: undefined }
  expect(slotCount).toBe(3)
  expect(decisions[0]).toMatchObject({
    onUnknown: "fail_request",
    rules: {
      kind: "AND",
      children: [
        { kind: "NOT", children: [{ ...leaf, type: "context", name: "long", slot: 1, predicate: { gt: 5 } }] },
        { kind: "OR", children: [{ ...leaf, type: "keyword", name: "urgent", slot: 2, onError: "match" }] },
      ],
    },
  })
})

test("conditions on a guard whose errors block match unknown facts, unless they say otherwise", async () => {
  const policiesWith = async (settings: object) => {
    const guard = { type: "jailbreak", name: "attack" }
    const { decisions } = await planWith({
      "routing.signals.jailbreak": [{ name: "attack", on_unscanned: "allow" }],
      "routing.decisions.0.rules": { operator: "OR", conditions: [guard, { ...guard, on_error: "no_match" }] },
      "global.model_catalog.modules.prompt_guard": settings,
    })
    const rules = decisions[0]?.rules
    return rules?.kind === "OR" ? rules.children.map((leaf) => leaf.kind === "leaf" && leaf.onError) : []
  }
  expect(await policiesWith({ on_error: "block" })).toEqual(["match", "no_match"])
  expect(await policiesWith({ on_error: "allow" })).toEqual([undefined, "no_match"])
})

describe("candidates", () => {
  const two = { "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large", use_reasoning: true }] }

  test("are the default model where a decision names none, unless a plugin of it answers", async () => {
    const none = { "routing.decisions.0.modelRefs": undefined }
    const answers = [{ type: "fast_response", configuration: { message: "no" } }]
    const candidatesOf = async (changes: object) =>
      (await planWith({ ...none, ...changes })).decisions[0]?.candidates.map(({ model }) => model)
    expect(await candidatesOf({})).toEqual(["small"])
    expect(await candidatesOf({ "routing.decisions.0.plugins": answers })).toEqual([])
    expect(
      await candidatesOf({ "providers.defaults.model": undefined, "routing.decisions.0.plugins": answers }),
    ).toEqual([])
  })

  test("one candidate needs no selector, two have one", async () => {
    expect((await planWith({})).decisions[0]?.selector).toBeUndefined()
    const selector = (await planWith(two)).decisions[0]?.selector
    expect(await selector?.select(signalInput("x"), {} as never)).toEqual({
      candidate: 0,
      confidence: 1,
      reason: "the first candidate",
    })
  })

  test("scores come from the domain with the decision's name", async () => {
    const plan = await planWith({
      ...two,
      "routing.signals.domains": [
        { name: "law", model_scores: [{ model: "small", score: 9 }] },
        { name: "rush", model_scores: [{ model: "large", score: 0.7 }] },
      ],
    })
    expect(plan.decisions[0]?.candidates.map(({ model, score }) => [model, score])).toEqual([
      ["small", 1],
      ["large", 0.7],
    ])
  })

  test("a LoRA is called instead of its base model and scored as the base model", async () => {
    const plan = await planWith({
      "routing.modelCards": [{ name: "large", loras: [{ name: "law-lora" }] }],
      "routing.decisions.0.modelRefs": [{ model: "large", lora_name: "law-lora" }],
      "routing.signals.domains": [{ name: "rush", model_scores: [{ model: "large", score: 0.7 }] }],
    })
    expect(plan.decisions[0]?.candidates[0]).toMatchObject({
      model: "law-lora",
      score: 0.7,
      target: { name: "law-lora", backends: [{ upstreamModel: "law-lora" }] },
    })
  })
})

describe("what only a document past its checks can hold", () => {
  const unchecked = (decision: object): ConfigDocument =>
    ({ ...canonical({}), routing: { ...canonical({}).routing, decisions: [{ name: "d", ...decision }] } }) as never

  test.each([
    [{ algorithm: { type: "dice" } }, 'There is no selector or looper "dice"'],
    [{ plugins: [{ type: "tea", configuration: {} }] }, 'There is no plugin "tea" (routing.decisions[0].plugins[0])'],
    [{ rules: { type: "keyword", name: "nope" } }, 'There is no keyword rule "nope"'],
    [{ rules: { type: "smell", name: "x" } }, 'There is no smell rule "x"'],
  ])("%j is refused", async (decision, message) => {
    await expect(compile(unchecked(decision))).rejects.toMatchObject({ code: "invalid_config", message })
  })
})

describe("module instances", () => {
  const closed: string[] = []
  const reader = (name: string) => ({ close: () => void closed.push(name) })
  const modules = [
    defineSignal({
      about: "reads moods",
      rule: Type.Object({}),
      setup: () => ({ ...reader("signal"), read: () => [] }),
    }),
    definePlugin({
      about: "notes",
      options: Type.Object({}),
      hooks: ["end"],
      setup: () => ({ ...reader("plugin"), open: () => ({ end: () => {} }) }),
    }),
    defineSelector({
      about: "picks",
      isDefault: true,
      setup: (): never => {
        throw new Error("no")
      },
    }),
  ]
  const document = (refs: readonly object[]) =>
    ({
      ...canonical({}),
      routing: {
        signals: { mood: [{ name: "good" }] },
        decisions: [
          {
            name: "d",
            rules: { type: "mood", name: "good" },
            modelRefs: [],
            algorithm: { type: "picks" },
            plugins: [{ type: "notes", configuration: {} }],
          },
          { name: "e", rules: {}, modelRefs: refs, algorithm: { type: "picks" }, plugins: [] },
        ],
      },
    }) as never
  const own = createRegistry(
    [],
    [
      ...["mood", "notes", "picks"].map((id, index) => ({ id, source: "test", module: modules[index] })),
      ...registry.all("provider").map(({ id, module }) => ({ id, source: "test", module })),
      ...registry.all("dialect").map(({ id, module }) => ({ id, source: "test", module })),
    ],
  )

  test("are closed with the plan, the last one first and each once", async () => {
    closed.length = 0
    const { close } = await compileWith(document([]), { registry: await own })
    expect(closed).toEqual([])
    await close()
    await close()
    expect(closed).toEqual(["plugin", "signal"])
  })

  test("are closed when a later one cannot be set up", async () => {
    closed.length = 0
    const broken = document([{ model: "small" }, { model: "large" }])
    await expect(compileWith(broken, { registry: await own })).rejects.toThrow("no")
    expect(closed).toEqual(["plugin", "signal"])
  })
})
