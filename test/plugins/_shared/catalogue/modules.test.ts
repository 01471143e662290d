import { backend, providerContract } from "rtr/testing"
import { expect, test } from "vitest"
import { catalogueModules } from "../../../../ts/plugins/_shared/catalogue/modules.ts"
import { catalogue } from "../../../../ts/plugins/_shared/catalogue/providers.ts"

test("every entry keeps the contract of providers, in each of its protocols", () => {
  for (const [id, module] of Object.entries(catalogueModules))
    for (const format of [module, ...Object.values(module.formats ?? {})])
      for (const { name, run } of providerContract({ ...module, ...format })) {
        try {
          run()
        } catch (cause) {
          throw new Error(`${id}: ${name}`, { cause })
        }
      }
})

test("entries have names of their own, safe addresses and variables that an environment can have", () => {
  const names = catalogue.flatMap(({ id, aliases = [] }) => [id, ...aliases])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(catalogue.length).toBeGreaterThan(60)
  for (const { id, url = "https://a.example", key = "A", source } of catalogue) {
    expect(url, id).toMatch(/^https:\/\/[a-z0-9.-]+(\/[\w./-]*\w)?$/)
    expect(key, id).toMatch(/^[A-Z][A-Z0-9_]*$/)
    expect(source, id).toMatch(/^https:\/\//)
  }
})

test("facts of an entry become its requests", () => {
  const sent = (id: string, format?: string) => {
    const module = catalogueModules[id]
    const provider = format === undefined ? module : module?.formats?.[format]
    const request = provider
      ?.setup(backend({ baseUrl: module?.baseUrl ?? "https://own.example/v1", apiKey: "k" }))
      .toRequest({ body: {}, stream: false, headers: {} })
    const key = Object.entries(request?.headers ?? {}).find(([, value]) => /^(Bearer )?k$/.test(value))
    return [request?.url, key?.join(": ")]
  }
  expect(sent("groq")).toEqual(["https://api.groq.com/openai/v1/chat/completions", "authorization: Bearer k"])
  expect(sent("groq", "responses")).toEqual(["https://api.groq.com/openai/v1/responses", "authorization: Bearer k"])
  expect(sent("writer")).toEqual(["https://api.writer.com/v1/chat", "authorization: Bearer k"])
  expect(sent("xiaomi")).toEqual(["https://api.xiaomimimo.com/v1/chat/completions", "api-key: k"])
  expect(sent("litellm", "anthropic")).toEqual(["https://own.example/v1/messages", "authorization: Bearer k"])
  expect(sent("anthropic-compatible")).toEqual(["https://own.example/v1/messages", "x-api-key: k"])
  expect(catalogueModules["kimi"]).toMatchObject({ aliasOf: "moonshot", baseUrl: "https://api.moonshot.ai/v1" })
})
