import { backend, providerContract } from "rtr/testing"
import { expect, test } from "vitest"
import azureOpenai from "../../../ts/plugins/providers/azure-openai.ts"

for (const { name, run } of providerContract(azureOpenai)) test(name, run)

test("has the Responses API beside chat completions, with the same key and version", () => {
  const v1 = backend({ baseUrl: "https://x.openai.azure.com/openai/v1", apiKey: "secret", apiVersion: "preview" })
  const input = { body: { model: "m" }, stream: false, headers: {} }
  const requests = [azureOpenai.setup(v1), azureOpenai.formats?.["responses"]?.setup(v1)].map((each) =>
    each?.toRequest(input),
  )
  expect(requests.map((request) => [request?.url, request?.headers["api-key"]])).toEqual([
    ["https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview", "secret"],
    ["https://x.openai.azure.com/openai/v1/responses?api-version=preview", "secret"],
  ])
})
