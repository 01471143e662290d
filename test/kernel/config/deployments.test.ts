import { expect, test } from "vitest"
import { neededDeployments } from "../../../ts/kernel/config/deployments.ts"
import { canonical } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"

const withHeads = (changes: Readonly<Record<string, unknown>>) => neededDeployments(canonical(changes), registry)
const needed = (changes: Readonly<Record<string, unknown>>) =>
  withHeads(changes).map((deployment) =>
    Object.fromEntries(Object.entries(deployment).filter(([key]) => key !== "heads")),
  )
const starter = { name: "starter", provider: "model_runtime", artifact: "signals", input: { overflow: "truncate" } }
const asksDomain = { "routing.decisions.0.rules": { type: "domain", name: "law" } }
const mine = { artifact: "/models/mine" }

test("a document whose decisions ask no model needs none", () => {
  expect(needed({})).toEqual([])
  expect(needed({ "routing.signals.domains": [{ name: "law" }] })).toEqual([])
})

test("a decision that asks a model needs the starter", () => expect(needed(asksDomain)).toEqual([starter]))

test("declared deployments come first, used or not", () => {
  expect(needed({ ...asksDomain, "global.model_catalog.deployments": { mine } })).toEqual([
    { name: "mine", ...mine },
    starter,
  ])
})

test("the starter is not needed when every question goes elsewhere", () => {
  expect(
    needed({
      ...asksDomain,
      "global.model_catalog": { deployments: { mine }, bindings: { domain_classifier: { deployment: "mine" } } },
    }),
  ).toEqual([{ name: "mine", ...mine }])
})

test("a declared starter replaces the one of the product", () => {
  expect(needed({ ...asksDomain, "global.model_catalog.deployments": { starter: mine } })).toEqual([
    { name: "starter", ...mine },
  ])
})

test("a rule that asks another model needs the starter beside the guard's own deployment", () => {
  const guardedBy = (rule: object) =>
    needed({
      "routing.signals.jailbreak": [{ name: "attack", ...rule }],
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
      "global.model_catalog": { deployments: { mine }, bindings: { prompt_guard: { deployment: "mine" } } },
    })
  const patterns = { jailbreak_patterns: ["ignore your rules"], benign_patterns: ["hello"] }
  expect(guardedBy({})).toEqual([{ name: "mine", ...mine }])
  expect(guardedBy({ method: "contrastive", ...patterns })).toEqual([{ name: "mine", ...mine }, starter])
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
  const head = { binding: "domain_classifier", deployment: "starter", head: "domain", answers: "classes" }
  expect(withHeads({ ...asksDomain, "global.model_catalog.deployments": { mine } })).toEqual([
    { name: "mine", ...mine },
    { ...starter, heads: [head] },
  ])
})
