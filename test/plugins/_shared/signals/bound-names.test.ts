import { expect, test } from "vitest"
import { boundNames } from "../../../../ts/plugins/_shared/signals/bound-names.ts"
import { documentWith, load } from "../../../fakes/document.ts"

test("bindings of the routing and of the document are both bound", () => {
  expect(boundNames({})).toEqual(new Set())
  const own = { model_bindings: { "safety.policy": {} } }
  expect(boundNames({ routing: own, global: { model_catalog: { bindings: { embedding: {} } } } })).toEqual(
    new Set(["safety.policy", "embedding"]),
  )
})

test("a classifier, safety and images may have their models in the bindings of a routing", async () => {
  const bound = { deployment: "mine" }
  const document = (bindings: object) =>
    documentWith({
      "routing.signals.classifiers": [{ name: "risk", type: "local", labels: ["low", "high"] }],
      "routing.signals.safety": [{ name: "policy", threshold: 0.5 }],
      "routing.signals.embeddings": [{ name: "cat", threshold: 0.5, query_modality: "image", candidates: ["a cat"] }],
      "routing.decisions.0.rules": { type: "safety", name: "policy" },
      "routing.model_bindings": bindings,
      "global.model_catalog.deployments": { mine: { endpoint: "http://127.0.0.1:1" } },
    })
  const warned = async (bindings: object) =>
    (await load(document(bindings))).warnings.map(({ path }) => path.slice(0, 4).join(".")).toSorted()
  expect(await warned({ "classifier.risk": bound, "safety.policy": bound, embedding: bound })).toEqual([])
  expect(await warned({ classifier: bound })).toEqual(["routing.signals.embeddings.0", "routing.signals.safety.0"])
  await expect(load(document({}))).rejects.toThrow("classifiers[0]: needs a model")
})
