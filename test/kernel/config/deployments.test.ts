import { expect, test } from "vitest"
import { neededDeployments } from "../../../ts/kernel/config/deployments.ts"
import { canonical } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"

const needed = (changes: Readonly<Record<string, unknown>>) => neededDeployments(canonical(changes), registry)
const starter = { name: "starter", provider: "model_runtime", artifact: "minilm", input: { overflow: "truncate" } }
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
