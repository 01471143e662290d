import { backend, providerContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import type { Backend } from "rtr"
import vertexAi from "../../../ts/plugins/providers/vertex-ai.ts"

const baseUrl = "https://aiplatform.googleapis.com/v1/projects/p/endpoints/openapi"
const requestTo = (changes: Partial<Backend>) =>
  vertexAi.setup(backend(changes)).toRequest({
    request: { model: "MoM", messages: [] },
    upstreamModel: "m",
    headers: {},
    reasoning: undefined,
  })

describe("contract", () => {
  for (const { name, run } of providerContract(vertexAi)) test(name, run)
})

test("key and path are those of the family", () => {
  expect(requestTo({ baseUrl, apiKey: "secret" })).toEqual({
    method: "POST",
    url: "https://aiplatform.googleapis.com/v1/projects/p/endpoints/openapi/chat/completions",
    headers: { "content-type": "application/json", accept: "application/json", authorization: "Bearer secret" },
    body: '{"model":"m","messages":[]}',
  })
})

test("an API version has no place", () => {
  expect(requestTo({ baseUrl, apiVersion: "2024-10-21" }).url).not.toContain("2024")
})
