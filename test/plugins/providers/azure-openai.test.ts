import { backend, providerContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import type { Backend } from "rtr"
import azureOpenai from "../../../ts/plugins/providers/azure-openai.ts"

const baseUrl = "https://x.openai.azure.com/openai/deployments/gpt"
const requestTo = (changes: Partial<Backend>) =>
  azureOpenai.setup(backend(changes)).toRequest({
    request: { model: "MoM", messages: [] },
    upstreamModel: "m",
    headers: {},
    reasoning: undefined,
  })

describe("contract", () => {
  for (const { name, run } of providerContract(azureOpenai)) test(name, run)
})

test("key and path are those of the family", () => {
  expect(requestTo({ baseUrl, apiKey: "secret" })).toEqual({
    method: "POST",
    url: "https://x.openai.azure.com/openai/deployments/gpt/chat/completions",
    headers: { "content-type": "application/json", accept: "application/json", "api-key": "secret" },
    body: '{"model":"m","messages":[]}',
  })
})

test("the API version goes into the query", () => {
  expect(requestTo({ baseUrl, apiVersion: "2024-10-21" }).url).toBe(
    `${baseUrl}/chat/completions?api-version=2024-10-21`,
  )
  expect(requestTo({ baseUrl, apiVersion: "a b&c" }).url).toBe(`${baseUrl}/chat/completions?api-version=a+b%26c`)
  expect(requestTo({ baseUrl, chatPath: "/chat?x=1", apiVersion: "v" }).url).toBe(
    "https://x.openai.azure.com/chat?x=1&api-version=v",
  )
})
