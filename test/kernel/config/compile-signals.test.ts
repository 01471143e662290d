import { Type } from "typebox"
import { createFakeInference, type FakeInference } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { compileSignals, usedConditionTypes } from "../../../ts/kernel/config/compile-signals.ts"
import type { ConfigDocument } from "../../../ts/kernel/config/schema/document.ts"
import { RtrError } from "../../../ts/kernel/error.ts"
import { createRegistry } from "../../../ts/kernel/modules/registry.ts"
import { canonical } from "../../fakes/document.ts"
import { registry as builtin } from "../../fakes/registry.ts"

const compile = (
  document: ConfigDocument,
  inference: FakeInference | undefined = createFakeInference(),
  registry = builtin,
) => compileSignals({ document, hash: "h", registry, environment: {}, inference })

const everyFamily = {
  "routing.signals": {
    keywords: [
      { name: "urgent", operator: "OR", keywords: ["urgent"] },
      { name: "calm", operator: "OR", keywords: ["calm"] },
    ],
    embeddings: [{ name: "similar", threshold: 0.5, candidates: ["one", "two"] }],
    domains: [{ name: "law" }, { name: "math" }, { name: "other" }],
    language: [{ name: "en" }],
  },
  "routing.decisions.0.rules": {
    operator: "OR",
    conditions: [
      { type: "keyword", name: "urgent" },
      { operator: "NOT", conditions: [{ type: "domain", name: "math" }] },
      { type: "embedding", name: "similar" },
    ],
  },
}

test("condition types are found at any depth of any decision", () => {
  expect([...usedConditionTypes(canonical(everyFamily))].toSorted()).toEqual(["domain", "embedding", "keyword"])
  expect([...usedConditionTypes({ version: "v0.3" })]).toEqual([])
})

test("families that decisions use have slots in the order of registration; the others are not set up", async () => {
  const { families, slotCount } = await compile(canonical(everyFamily))
  expect(families).toEqual([
    {
      type: "domain",
      rules: ["law", "math", "other"],
      firstSlot: 0,
      target: { deployment: "starter", head: "domain", whole: false },
      read: expect.any(Function),
    },
    {
      type: "embedding",
      rules: ["similar"],
      firstSlot: 3,
      target: { deployment: "starter", head: undefined, whole: false },
      read: expect.any(Function),
    },
    { type: "keyword", rules: ["urgent", "calm"], firstSlot: 4, target: undefined, read: expect.any(Function) },
  ])
  expect(slotCount).toBe(6)
})

describe("signals that ask a model", () => {
  test("are refused in a kernel without inference", async () => {
    await expect(
      compileSignals({
        document: canonical(everyFamily),
        hash: "h",
        registry: builtin,
        environment: {},
        inference: undefined,
      }),
    ).rejects.toMatchObject({
      code: "invalid_config",
      message:
        'Cannot use signal "domain": it asks a model, and this kernel has no inference; pass one to createKernel, or bind the signal under global.model_catalog.bindings',
      path: ["routing", "signals", "domains"],
    })
  })

  test("go where their binding says", async () => {
    const { families } = await compile(
      canonical({
        ...everyFamily,
        "global.model_catalog": {
          deployments: { mine: { artifact: "x" } },
          bindings: {
            domain_classifier: { deployment: "mine", head: "topic" },
            embedding: { deployment: "mine" },
          },
        },
      }),
    )
    expect(families.map(({ target }) => target)).toEqual([
      { deployment: "mine", head: "topic", whole: false },
      { deployment: "mine", head: undefined, whole: false },
      undefined,
    ])
  })

  test("need a binding when the product has none for them", async () => {
    const registry = await createRegistry(
      [],
      [
        {
          id: "mood",
          source: "test",
          module: {
            kind: "signal",
            about: "reads moods",
            needs: ["inference.classify"],
            rule: Type.Object({}),
            setup: () => ({}),
          },
        },
      ],
    )
    const document = { version: "v0.3", routing: { decisions: [{ rules: { type: "mood", name: "x" } }] } } as never
    await expect(compile(document, createFakeInference(), registry)).rejects.toMatchObject({
      message: 'Signal binding "mood" has no deployment; name one under global.model_catalog.bindings.mood',
      path: ["global", "model_catalog", "bindings", "mood"],
    })
  })

  const guarded = (rules: readonly object[]) =>
    canonical({
      "routing.signals": { jailbreak: rules },
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
      "global.model_catalog": {
        deployments: { guard: { artifact: "x" }, vectors: { artifact: "y" } },
        bindings: { prompt_guard: { deployment: "guard", head: "risk" }, embedding: { deployment: "vectors" } },
      },
    })
  const classified = { name: "attack" }
  const contrastive = {
    name: "likened",
    method: "contrastive",
    jailbreak_patterns: ["ignore your rules"],
    benign_patterns: ["hello"],
  }

  test("go where the rules that there are send them, and nowhere else", async () => {
    const targetFor = async (...rules: readonly object[]) => (await compile(guarded(rules))).families[0]?.target
    expect(await targetFor(classified)).toEqual({ deployment: "guard", head: "risk", whole: true })
    expect(await targetFor({ ...contrastive, name: "attack" })).toEqual({
      deployment: "vectors",
      head: undefined,
      whole: true,
    })
    expect(await targetFor(classified, contrastive)).toEqual({
      deployment: "guard",
      head: "risk",
      whole: true,
      vectors: "vectors",
    })
  })

  test("make vectors at the deployment of the embedding binding", async () => {
    const inference = createFakeInference()
    await compile(guarded([classified, contrastive]), inference)
    expect(inference.calls.flat()).toEqual([
      { kind: "embed", deployment: "vectors", text: "ignore your rules" },
      { kind: "embed", deployment: "vectors", text: "hello" },
    ])
  })

  test("ask nothing when their settings say so", async () => {
    const { families } = await compile(
      canonical({
        "routing.signals.modality": [{ name: "AR" }],
        "routing.decisions.0.rules": { type: "modality", name: "AR" },
        "global.model_catalog.modules.modality_detector": { method: "keyword", keywords: ["draw"] },
      }),
    )
    expect(families[0]?.target).toBeUndefined()
  })

  test("say what unknown facts mean only when their settings do", async () => {
    const policyWith = async (settings: object) => {
      const document = canonical({
        "routing.signals.jailbreak": [classified],
        "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
        "global.model_catalog.modules.prompt_guard": settings,
      })
      return (await compile(document)).families[0]?.onUnknown
    }
    expect([
      await policyWith({}),
      await policyWith({ on_error: "allow" }),
      await policyWith({ on_error: "block" }),
    ]).toEqual([undefined, undefined, "match"])
  })

  test("have texts read to their end when they say so", async () => {
    const { families } = await compile(
      canonical({
        "routing.signals": { pii: [{ name: "any" }] },
        "routing.decisions.0.rules": { type: "pii", name: "any" },
        "global.model_catalog": {
          deployments: { mine: { artifact: "x" } },
          bindings: { pii_classifier: { deployment: "mine" } },
        },
      }),
    )
    expect(families.map(({ target }) => target)).toEqual([{ deployment: "mine", head: undefined, whole: true }])
  })

  test("make the vectors of their fixed texts once, in small calls to their deployment", async () => {
    const inference = createFakeInference()
    const candidates = Array.from({ length: 70 }, (_, index) => `sentence ${index}`)
    await compile(
      canonical({ ...everyFamily, "routing.signals.embeddings": [{ name: "similar", threshold: 0.5, candidates }] }),
      inference,
    )
    expect(inference.calls.map((tasks) => tasks.length)).toEqual([32, 32, 6])
    expect(inference.calls.flat()).toEqual(candidates.map((text) => ({ kind: "embed", deployment: "starter", text })))
  })

  test("fail to compile when a vector cannot be made", async () => {
    const failWith = new RtrError("unavailable", "down")
    await expect(compile(canonical(everyFamily), createFakeInference({ failWith }))).rejects.toBe(failWith)
  })
})

test("a signal gets its rules and its section of global, and reads what it is given", async () => {
  const setups: unknown[] = []
  const registry = await createRegistry(
    [],
    [
      {
        id: "mood",
        source: "test",
        module: {
          kind: "signal",
          about: "reads moods",
          configKey: "moods",
          rule: Type.Object({}),
          settings: { path: ["extra", "mood"], schema: Type.Object({}) },
          setup: (rules: unknown, { settings }: { settings: unknown }) => {
            setups.push({ rules, settings })
            return { read: (input: unknown) => [input] }
          },
        },
      },
    ],
  )
  const moods = [{ name: "good" }, { name: "bad" }]
  const rules = { type: "mood", name: "good" }
  const document = { version: "v0.3", routing: { signals: { moods }, decisions: [{ rules }] } }
  const { families } = await compile(
    { ...document, global: { extra: { mood: { a: 1 } } } } as never,
    undefined,
    registry,
  )
  await compile(document as never, undefined, registry)
  expect(setups).toEqual([
    { rules: moods, settings: { a: 1 } },
    { rules: moods, settings: {} },
  ])
  const input = { text: "x", request: { model: "m", messages: [] } }
  expect(families[0]?.read(input, {} as never)).toEqual([input])
})
