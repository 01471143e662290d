import { backend, providerContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import type { Backend } from "rtr"
import vllm from "../../../ts/plugins/providers/vllm.ts"

const baseUrl = "http://127.0.0.1:8000/v1"
const requestTo = (changes: Partial<Backend>) =>
  vllm.setup(backend(changes)).toRequest({
    request: { model: "MoM", messages: [] },
    upstreamModel: "m",
    headers: {},
    reasoning: undefined,
  })

describe("contract", () => {
  for (const { name, run } of providerContract(vllm)) test(name, run)
})

test("key and path are those of the family", () => {
  expect(requestTo({ baseUrl, apiKey: "secret" })).toEqual({
    method: "POST",
    url: "http://127.0.0.1:8000/v1/chat/completions",
    headers: { "content-type": "application/json", accept: "application/json", authorization: "Bearer secret" },
    body: '{"model":"m","messages":[]}',
  })
})

test("an API version has no place", () => {
  expect(requestTo({ baseUrl, apiVersion: "2024-10-21" }).url).not.toContain("2024")
})
