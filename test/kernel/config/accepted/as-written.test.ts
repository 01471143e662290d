import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { type LoadedDocument, loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { registry } from "../../../fakes/registry.ts"

const resolve = (text: string): Promise<LoadedDocument> =>
  loadDocument({ environment: () => ({}), loadRegistry: async () => registry }, { text, source: "config.yaml" })

const withKeywords = (keywords: string): string => `
version: v0.3
providers:
  defaults: { default_model: m }
  models: [{ name: m, backend_refs: [{ endpoint: h, weight: 2 }] }]
routing:
  signals:
    keywords: [{ name: odd, operator: OR, keywords: ${keywords} }]
  decisions:
    - name: 0x1F
      rules: { operator: OR, conditions: [{ type: keyword, name: odd }] }
      modelRefs: [{ model: m }]
`

test("numbers, booleans and null are the text as it is written where a text is wanted, and nowhere else", async () => {
  const { document, unexpanded } = await resolve(withKeywords("[2e5, 1e-6, 1.50, on, true, Null, 2024-01-02, plain]"))
  const expected = ["2e5", "1e-6", "1.50", "on", "true", "Null", "2024-01-02", "plain"]
  for (const { routing, providers } of [document, unexpanded]) {
    expect(routing?.signals?.["keywords"]).toMatchObject([{ keywords: expected }])
    expect(routing?.decisions?.[0]?.name).toBe("0x1F")
    expect(providers?.models?.[0]?.backend_refs?.[0]?.weight).toBe(2)
  }
})

test("a value behind an alias is the text of its anchor", async () => {
  const { document } = await resolve(withKeywords("[&big 2e5, *big]"))
  expect(document.routing?.signals?.["keywords"]).toMatchObject([{ keywords: ["2e5", "2e5"] }])
})

test("a map, a list or an empty value is no text", async () => {
  const refused = await resolve(withKeywords("[{ a: 1 }, [b], ]").replace("name: 0x1F", "name:")).catch(
    (error: unknown) => error,
  )
  expect((refused as ConfigError).problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([
    "routing.signals.keywords[0].keywords[0]: must be a string, got a map",
    "routing.signals.keywords[0].keywords[1]: must be a string, got a list",
    "routing.decisions[0].name: is missing",
  ])
})
