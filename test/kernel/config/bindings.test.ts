import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  bindingsOf,
  boundHeads,
  compileTarget,
  defaultDeployment,
  neededDeployments,
  readingBinding,
} from "../../../ts/kernel/config/bindings.ts"
import { canonical, documentWith, problemsOf } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"

const withHeads = (changes: Readonly<Record<string, unknown>>) => neededDeployments(canonical(changes), registry)
const needed = (changes: Readonly<Record<string, unknown>>) =>
  withHeads(changes).map((deployment) =>
    Object.fromEntries(Object.entries(deployment).filter(([key]) => key !== "heads")),
  )
const standard = { name: "default", provider: "model_runtime", artifact: "signals", input: { overflow: "truncate" } }
const secondOne = { ...standard, name: "prompt_guard_second", artifact: "guard" }
const asksDomain = { "routing.decisions.0.rules": { type: "domain", name: "law" } }
const mine = { artifact: "/models/mine" }

test("a document whose decisions ask no model needs none", () => {
  expect(needed({})).toEqual([])
  expect(needed({ "routing.signals.domains": [{ name: "law" }] })).toEqual([])
})

test("a decision that asks a model needs the default deployment", () => expect(needed(asksDomain)).toEqual([standard]))

test("a plugin that has replies read needs the deployments of its guards, whether there are rules or not", () => {
  const plugins = [{ type: "response_jailbreak", configuration: { enabled: true } }]
  expect(needed({ "routing.decisions.0.plugins": plugins })).toEqual([standard, secondOne])
  expect(withHeads({ "routing.decisions.0.plugins": plugins })[0]?.heads).toEqual([
    { binding: "prompt_guard", deployment: "default", head: "jailbreak", answers: "classes" },
  ])
  const off = [{ type: "response_jailbreak", configuration: { enabled: false } }]
  expect(needed({ "routing.decisions.0.plugins": off })).toEqual([])
})

test("declared deployments come first, used or not", () => {
  expect(needed({ ...asksDomain, "global.model_catalog.deployments": { mine } })).toEqual([
    { name: "mine", ...mine },
    standard,
  ])
})

test("the default deployment is not needed when every question goes elsewhere", () => {
  expect(
    needed({
      ...asksDomain,
      "global.model_catalog": { deployments: { mine }, bindings: { domain_classifier: { deployment: "mine" } } },
    }),
  ).toEqual([{ name: "mine", ...mine }])
})

test("a declared default replaces the one of the product", () => {
  expect(needed({ ...asksDomain, "global.model_catalog.deployments": { default: mine } })).toEqual([
    { name: "default", ...mine },
  ])
})

test("a rule that asks another model needs the default deployment beside the guard's own deployment", () => {
  const guardedBy = (rule: object) =>
    needed({
      "routing.signals.jailbreak": [{ name: "attack", ...rule }],
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
      "global.model_catalog": { deployments: { mine }, bindings: { prompt_guard: { deployment: "mine" } } },
    })
  const patterns = { jailbreak_patterns: ["ignore your rules"], benign_patterns: ["hello"] }
  expect(guardedBy({})).toEqual([{ name: "mine", ...mine }])
  expect(guardedBy({ method: "contrastive", ...patterns })).toEqual([{ name: "mine", ...mine }, standard])
})

test("a signal that asks no model by its settings needs none", () => {
  expect(
    needed({
      "routing.signals.modality": [{ name: "AR" }],
      "routing.decisions.0.rules": { type: "modality", name: "AR" },
      "global.model_catalog.modules.modality_detector": { method: "keyword", keywords: ["draw"] },
    }),
  ).toEqual([])
})

test("a deployment has the heads that bindings ask of it", () => {
  const head = { binding: "domain_classifier", deployment: "default", head: "domain", answers: "classes" }
  expect(withHeads({ ...asksDomain, "global.model_catalog.deployments": { mine } })).toEqual([
    { name: "mine", ...mine },
    { ...standard, heads: [head] },
  ])
})

test("signals that ask a model are answered without a word in the document, but for one", () => {
  const silent = canonical({})
  const unanswered = registry
    .all("signal")
    .filter((signal) => bindingsOf(signal).reading.some((name) => readingBinding(signal, silent, name) === undefined))
  expect(unanswered.map(({ id }) => id)).toEqual(["safety"])
})

describe("rules with models of their own", () => {
  const hazard = { categories: ["privacy"], threshold: 0.6 }
  const asking = (bindings: object, rules: readonly object[] = [{ name: "any", threshold: 0.5 }]) =>
    canonical({
      "routing.signals.safety": [...rules, { name: "private", threshold: 0.5, hazard }],
      "routing.decisions.0.rules": { type: "safety", name: "any" },
      "global.model_catalog.deployments": { mine, other: mine },
      "global.model_catalog.bindings": bindings,
    })
  const safety = registry.find("signal", "safety") as never

  test("ask through the binding of the rule, or else that of its kind", () => {
    const target = compileTarget(
      safety,
      asking({
        safety: { deployment: "mine", head: "risk" },
        "safety.private": { deployment: "other" },
        hazard: { deployment: "mine", head: "kinds" },
      }),
    )
    expect(target).toEqual({
      deployment: "mine",
      head: "risk",
      whole: true,
      bound: new Map([
        ["safety.any", { deployment: "mine", head: "risk" }],
        ["safety.private", { deployment: "other" }],
        ["hazard.private", { deployment: "mine", head: "kinds" }],
      ]),
    })
  })

  test("are refused without one", () => {
    expect(() => compileTarget(safety, asking({ safety: { deployment: "mine" } }))).toThrow(
      'Signal binding "hazard.private" has no deployment; name one under global.model_catalog.bindings.hazard.private',
    )
  })

  test("have their heads checked", () => {
    const bindings = { safety: { deployment: "mine", head: "risk" }, "hazard.private": { deployment: "other" } }
    const needs = (rule: string, label: string): object => [{ rule, labels: [label] }]
    expect(boundHeads(asking(bindings), registry)).toEqual([
      { binding: "safety.any", deployment: "mine", head: "risk", answers: "classes", expects: needs("any", "unsafe") },
      {
        binding: "safety.private",
        deployment: "mine",
        head: "risk",
        answers: "classes",
        expects: needs("private", "unsafe"),
      },
      {
        binding: "hazard.private",
        deployment: "other",
        head: undefined,
        answers: "classes",
        expects: needs("private", "privacy"),
      },
      { binding: "safety", deployment: "mine", head: "risk", answers: "classes" },
    ])
  })
})

describe("a second model", () => {
  const guard = registry.find("signal", "jailbreak") as never
  /** As a document is where the product has a package for the second guard, or binds one. */
  const asking = (catalogue: object = {}, rule: object = {}) => {
    const document = canonical({
      "routing.signals.jailbreak": [{ name: "attack", ...rule }],
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
      "global.model_catalog": catalogue,
    })
    const modules = { prompt_guard: { second: {} } }
    return { ...document, global: { model_catalog: { ...document.global?.model_catalog, modules } } } as typeof document
  }

  test("has a deployment that need not be declared, with the head that it is asked for", () => {
    const document = asking()
    expect(neededDeployments(document, registry).map(({ name, artifact }) => [name, artifact])).toEqual([
      ["default", "signals"],
      ["prompt_guard_second", "guard"],
    ])
    expect(compileTarget(guard, document)).toEqual({
      deployment: "default",
      head: "jailbreak",
      whole: true,
      bound: new Map([
        ["prompt_guard", { deployment: "default", head: "jailbreak" }],
        ["prompt_guard_second", { deployment: "prompt_guard_second", head: "jailbreak" }],
      ]),
    })
  })

  test("is the one that the document binds, without the head of the first", () => {
    const document = asking({ deployments: { mine }, bindings: { prompt_guard_second: { deployment: "mine" } } })
    expect(neededDeployments(document, registry).map(({ name }) => name)).toEqual(["mine", "default"])
    const second = compileTarget(guard, document)?.bound?.get("prompt_guard_second")
    expect(second).toStrictEqual({ deployment: "mine", head: undefined })
  })

  test("is not needed by rules that ask no classifier", () => {
    const patterns = { method: "contrastive", jailbreak_patterns: ["a"], benign_patterns: ["b"] }
    const document = asking({}, patterns)
    expect(neededDeployments(document, registry).map(({ name }) => name)).toEqual(["default"])
  })
})

test("the default deployment's package is embedded, and has the default heads", () => {
  const folder = join(import.meta.dirname, "../../../models", defaultDeployment.artifact)
  expect(existsSync(folder)).toBe(true)
})

describe("the heads that a document binds", () => {
  const bindings = (changes: Readonly<Record<string, unknown>>) => boundHeads(canonical(changes), registry)

  test("are those that it names, used or not, and the product's own that signals in use ask", () => {
    expect(bindings({})).toEqual([])
    expect(
      bindings({ "global.model_catalog.bindings": { pii_classifier: { deployment: "default", head: "pii" } } }),
    ).toEqual([{ binding: "pii_classifier", deployment: "default", head: "pii", answers: "spans" }])
    expect(bindings({ "routing.decisions.0.rules": { type: "domain", name: "law" } })).toEqual([
      { binding: "domain_classifier", deployment: "default", head: "domain", answers: "classes" },
    ])
  })

  test("are those of the routing where it has some", () => {
    const own = { "routing.model_bindings": { prompt_guard: { deployment: "default", head: "jailbreak" } } }
    const all = { "global.model_catalog.bindings": { prompt_guard: { deployment: "default", head: "pii" } } }
    expect(bindings({ ...own, ...all })).toEqual([
      { binding: "prompt_guard", deployment: "default", head: "jailbreak", answers: "classes", ofRouting: true },
    ])
  })

  test("are no vectors", () => {
    expect(bindings({ "global.model_catalog.bindings": { embedding: { deployment: "default" } } })).toEqual([])
  })
})

describe("bindings of a routing", () => {
  const bound = (own: object, all: object = {}) => ({
    ...asksDomain,
    "global.model_catalog": {
      deployments: { mine, other: { artifact: "/models/other" } },
      bindings: { domain_classifier: { deployment: "other" }, ...all },
    },
    "routing.model_bindings": own,
  })

  test("take the place of those of the document, one by one", () => {
    const targetOf = (own: object) => {
      const document = canonical(bound(own))
      const domain = registry.all("signal").find(({ id }) => id === "domain")
      return domain && compileTarget(domain, document)?.deployment
    }
    expect(targetOf({})).toBe("other")
    expect(targetOf({ pii_classifier: { deployment: "mine" } })).toBe("other")
    expect(targetOf({ domain_classifier: { deployment: "mine" } })).toBe("mine")
  })

  test("are refused where a signal cannot ask them", () => {
    expect(problemsOf(documentWith(bound({ domain: { deployment: "mine" } })))).toEqual([
      expect.stringMatching(/^routing\.model_bindings\.domain: no signal uses this binding/),
    ])
    expect(
      problemsOf(documentWith(bound({ domain_classifier: { deployment: "min", contract: "token_spans.v1" } }))),
    ).toEqual([
      expect.stringMatching(/^routing\.model_bindings\.domain_classifier\.contract: must be "label_distribution\.v1"/),
      expect.stringMatching(/^routing\.model_bindings\.domain_classifier\.deployment: "min" is not in .*"mine"/),
    ])
  })
})
