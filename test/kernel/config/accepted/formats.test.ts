import { expect, test } from "vitest"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { loadBuiltins } from "../../../../ts/kernel/runtime/node-modules.ts"
import { documentWith } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

test("backends without a provider speak the format of their model", async () => {
  const registry = await loadBuiltins()
  const { document } = await loadDocument(
    { environment: () => ({}), loadRegistry: async () => registry },
    {
      text: "",
      source: "config.yaml",
      value: documentWith({
        "providers.models.0.api_format": "anthropic",
        "providers.models.0.backend_refs": [
          { name: "own", endpoint: "h:8000", api_key: "k" },
          { name: "vendor", api_key: "k" },
          { name: "named", provider: "anthropic", api_key: "k" },
        ],
      }),
    },
  )
  const refs = document.providers?.models?.[0]?.backend_refs?.map(({ provider }) => provider)
  expect(refs).toEqual(["anthropic-compatible", "anthropic", "anthropic"])
  const { plan } = await compileWith(document)
  expect(plan.models.get("small")?.backends.map(({ dialectId }) => dialectId)).toEqual([
    "messages",
    "messages",
    "messages",
  ])
})
