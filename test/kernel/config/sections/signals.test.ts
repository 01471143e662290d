import { Type } from "typebox"
import { defineSignal } from "rtr"
import { signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import type { ConfigDocument } from "../../../../ts/kernel/config/document-schema.ts"
import { createRegistry, type Registry } from "../../../../ts/kernel/modules/registry.ts"
import type { Services } from "../../../../ts/kernel/modules/capabilities.ts"
import { checkSignals } from "../../../../ts/kernel/config/sections/signals.ts"
import { canonical, documentWith, resolve } from "../../../fakes/document.ts"
import { registry as builtin } from "../../../fakes/registry.ts"
import { compileWith } from "../../../fakes/services.ts"

/** Chooses where no decision does; a registry of its own needs one. */
const first = {
  id: "first",
  source: "test",
  module: { kind: "selector", about: "x", isDefault: true, setup: () => ({}) },
}

const compile = async (document: ConfigDocument, services: Partial<Services> = {}, registry: Registry = builtin) =>
  (await compileWith(document, { services, registry })).plan

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

test("signals that decisions use have slots in the order of registration; the others are not set up", async () => {
  const { signals, slotCount } = await compile(canonical(everyFamily))
  expect(signals).toEqual([
    {
      type: "domain",
      configKey: "domains",
      level: 0,
      guard: undefined,
      rules: ["law", "math", "other"],
      thresholds: [0.5, 0.5, 0.5],
      debugHeader: { name: "selected-category", tells: "match" },
      firstSlot: 0,
      target: { deployment: "default", head: "domain", whole: false },
      read: expect.any(Function),
    },
    {
      type: "embedding",
      configKey: "embeddings",
      level: 0,
      guard: undefined,
      rules: ["similar"],
      thresholds: [0.5],
      firstSlot: 3,
      target: { deployment: "default", head: undefined, whole: false },
      read: expect.any(Function),
    },
    {
      type: "keyword",
      configKey: "keywords",
      level: 0,
      guard: undefined,
      rules: ["urgent", "calm"],
      firstSlot: 4,
      target: undefined,
      read: expect.any(Function),
    },
  ])
  expect(slotCount).toBe(6)
})

describe("signals that ask a model", () => {
  test("are refused in a kernel without inference", async () => {
    await expect(compile(canonical(everyFamily), { inference: undefined })).rejects.toMatchObject({
      code: "invalid_config",
      message:
        'Cannot use signal "domain": it asks a model, and this kernel has no inference; pass one to createKernel, or bind the signal under global.model_catalog.bindings',
      path: ["routing", "signals", "domains"],
    })
  })

  test("go where their binding says", async () => {
    const { signals } = await compile(
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
    expect(signals.map(({ target }) => target)).toEqual([
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
    await expect(compile(document, {}, registry)).rejects.toMatchObject({
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
    const targetFor = async (...rules: readonly object[]) => (await compile(guarded(rules))).signals[0]?.target
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
    const asked: unknown[] = []
    const embedAll: Services["embedAll"] = async (deployment, texts) => {
      asked.push([deployment, texts])
      return texts.map(() => Float32Array.of(1))
    }
    await compile(guarded([classified, contrastive]), { embedAll })
    expect(new Set(asked.map((each) => (each as [string])[0]))).toEqual(new Set(["vectors"]))
    expect(asked.flatMap((each) => (each as [string, string[]])[1])).toEqual(["ignore your rules", "hello"])
  })

  test("ask nothing when their settings say so", async () => {
    const { signals } = await compile(
      canonical({
        "routing.signals.modality": [{ name: "AR" }],
        "routing.decisions.0.rules": { type: "modality", name: "AR" },
        "global.model_catalog.modules.modality_detector": { method: "keyword", keywords: ["draw"] },
      }),
    )
    expect(signals[0]?.target).toBeUndefined()
  })

  test("say what unknown facts mean only when their settings do", async () => {
    const policyWith = async (settings: object) => {
      const document = canonical({
        "routing.signals.jailbreak": [classified],
        "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
        "global.model_catalog.modules.prompt_guard": settings,
      })
      return (await compile(document)).signals[0]?.onUnknown
    }
    expect([
      await policyWith({}),
      await policyWith({ on_error: "allow" }),
      await policyWith({ on_error: "block" }),
    ]).toEqual([undefined, undefined, "match"])
  })

  test("have texts read to their end when they say so", async () => {
    const { signals } = await compile(
      canonical({
        "routing.signals": { pii: [{ name: "any" }] },
        "routing.decisions.0.rules": { type: "pii", name: "any" },
        "global.model_catalog": {
          deployments: { mine: { artifact: "x" } },
          bindings: { pii_classifier: { deployment: "mine" } },
        },
      }),
    )
    expect(signals.map(({ target }) => target)).toEqual([{ deployment: "mine", head: undefined, whole: true }])
  })

  test("fail to compile when a vector cannot be made", async () => {
    const failure = new Error("down")
    const embedAll = () => Promise.reject(failure)
    await expect(compile(canonical(everyFamily), { embedAll })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot set up signal "embedding" from builtin: Error: down/) as unknown,
      cause: failure,
    })
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
      first,
    ],
  )
  const moods = [{ name: "good" }, { name: "bad" }]
  const rules = { type: "mood", name: "good" }
  const document = { version: "v0.3", routing: { signals: { moods }, decisions: [{ rules }] } }
  const { signals } = await compile({ ...document, global: { extra: { mood: { a: 1 } } } } as never, {}, registry)
  await compile(document as never, {}, registry)
  expect(setups).toEqual([
    { rules: moods, settings: { a: 1 } },
    { rules: moods, settings: {} },
  ])
  const input = signalInput("x")
  expect(signals[0]?.read(input, {} as never)).toEqual([input])
})

describe("signals that read the facts of others", () => {
  const signal = (changes: object = {}) =>
    defineSignal({ about: "reads", rule: Type.Object({}), setup: () => ({ read: () => [] }), ...changes })
  const compileOwn = async (modules: Readonly<Record<string, object>>, used: readonly string[]) => {
    const registry = await createRegistry(
      [],
      [...Object.entries(modules).map(([id, module]) => ({ id, module, source: "test" })), first],
    )
    const conditions = used.map((type) => ({ type, name: "r" }))
    const document = {
      version: "v0.3",
      routing: {
        signals: Object.fromEntries(Object.keys(modules).map((id) => [id, [{ name: "r" }]])),
        decisions: [{ name: "d", rules: { operator: "AND", conditions } }],
      },
    }
    return compile(document as never, {}, registry)
  }

  test("come on a higher level, and those that they read are set up too", async () => {
    const { signals } = await compileOwn(
      {
        top: signal({ after: ["middle", "base"] }),
        middle: signal({ after: ["base"] }),
        base: signal(),
        idle: signal(),
      },
      ["top"],
    )
    expect(signals.map(({ type, level }) => [type, level])).toEqual([
      ["top", 2],
      ["middle", 1],
      ["base", 0],
    ])
  })

  test("must not wait for each other", async () => {
    const waiting = { a: signal({ after: ["b"] }), b: signal({ after: ["c"] }), c: signal({ after: ["b"] }) }
    await expect(compileOwn(waiting, ["a"])).rejects.toMatchObject({
      code: "invalid_config",
      message: "Cannot order signals: each comes after the next: b → c → b",
    })
  })
})

test("a signal gets the questions that it needs and no others", async () => {
  const seen: string[][] = []
  const mood = defineSignal({
    about: "reads moods",
    needs: ["inference.classify", "clock"],
    defaultHead: "mood",
    rule: Type.Object({}),
    setup: (_, host) => {
      seen.push(Object.keys(host))
      return {
        read: (_input, questions) => {
          seen.push(Object.keys(questions))
          return []
        },
      }
    },
  })
  const registry = await createRegistry([], [{ id: "mood", module: mood, source: "test" }, first])
  const document = {
    version: "v0.3",
    routing: {
      signals: { mood: [{ name: "good" }] },
      decisions: [{ name: "d", rules: { type: "mood", name: "good" } }],
    },
  }
  const { signals } = await compile(document as never, {}, registry)
  const questions = { classify: () => {}, spans: () => {}, embed: () => {}, decide: () => {}, rerank: () => {} }
  await signals[0]?.read(signalInput("x"), questions as never)
  expect(seen).toEqual([["settings", "document", "signals", "readFile", "clock"], ["classify"]])
  expect(signals[0]?.target).toEqual({ deployment: "default", head: "mood", whole: false })
})

test("scores of models that nothing can choose are told of", () => {
  const scores = [
    { model: "small", score: 1 },
    { model: "larg", score: 1 },
  ]
  const document = documentWith({ "routing.signals.domains": [{ name: "law", model_scores: scores }] })
  expect(resolve(document).warnings).toEqual([
    {
      path: ["routing", "signals", "domains", 0, "model_scores"],
      message: 'has no effect for "larg", which is not in providers.models (did you mean "large"?)',
      code: "invalid",
      severity: "warning",
    },
  ])
})

test("decisions are asked what their rules promise", () => {
  // The signal of modality is the one that does; a document past its check resolves.
  const both = { type: "modality", name: "BOTH" }
  const omni = [{ name: "large", modality: "omni" }]
  const changes = { "routing.signals.modality": [{ name: "BOTH" }], "routing.decisions.0.rules": both }
  expect(() => resolve(documentWith(changes))).toThrow("of a decision for modality BOTH")
  expect(() => resolve(documentWith({ ...changes, "routing.modelCards": omni }))).not.toThrow()
})

test("a rule in use whose question nobody answers is told of, with the names to bind", async () => {
  const rules = [
    { name: "any", threshold: 0.5 },
    { name: "private", threshold: 0.5, hazard: { categories: ["privacy"], threshold: 0.6 } },
  ]
  const toldOf = (bindings: object, used = true): readonly string[] =>
    resolve(
      documentWith({
        "routing.signals.safety": rules,
        ...(used && { "routing.decisions.0.rules": { type: "safety", name: "any" } }),
        "global.model_catalog": { deployments: { own: { provider: "model_runtime", artifact: "./own" } }, bindings },
      }),
    )
      .warnings.filter(({ message }) => message.includes("has no model"))
      .map(({ path, message }) => `${path.join(".")} ${message.slice(0, message.indexOf(";"))}`)
  const bound = { deployment: "own" }
  const until = "has no model: rtr serve refuses this until global.model_catalog.bindings names one as"
  expect(toldOf({ safety: bound, hazard: bound })).toEqual([])
  expect(toldOf({ "safety.any": bound, "safety.private": bound, "hazard.private": bound })).toEqual([])
  expect(toldOf({}, false)).toEqual([])
  expect(toldOf({ "safety.private": bound })).toEqual([
    `routing.signals.safety.0 ${until} "safety.any" or "safety"`,
    `routing.signals.safety.1 ${until} "hazard.private" or "hazard"`,
  ])
})

test("a signal of one's own without a default head is told of once, and not when it asks nothing", async () => {
  const mood = (changes: object) =>
    createRegistry(
      [],
      [
        first,
        {
          id: "mood",
          source: "test",
          module: defineSignal({
            about: "x",
            needs: ["inference.classify"],
            rule: Type.Object({}),
            setup: () => ({ read: () => [] }),
            ...changes,
          }),
        },
      ],
    )
  const document = {
    routing: {
      signals: { mood: [{ name: "good" }, { name: "bad" }] },
      decisions: [{ name: "d", rules: { type: "mood", name: "bad" } }],
    },
  } as never
  const told = async (changes: object) => checkSignals(document, await mood(changes), new Map(), [])
  expect(await told({})).toMatchObject([
    {
      path: ["routing", "signals", "mood", 0],
      message: expect.stringContaining('names one as "mood"; '),
      severity: "warning",
    },
  ])
  expect(await told({ defaultHead: "mood" })).toEqual([])
  expect(await told({ asks: () => [] })).toEqual([])
})
