import { backend, providerContract } from "rtr/testing"
import { expect, test } from "vitest"
import { responsesFormat } from "../../../ts/plugins/_shared/responses-format.ts"
import openai from "../../../ts/plugins/providers/openai.ts"

const format = responsesFormat({ authHeader: "authorization", authPrefix: "Bearer " }, "/responses")

for (const { name, run } of providerContract({ ...openai, ...format })) test(name, run)

test("posts to the path of the API, or to the backend's own", () => {
  const urlOf = (changes: object): string =>
    format.setup(backend(changes)).toRequest({ body: {}, stream: false, headers: {} }).url
  expect(urlOf({})).toBe("https://host.example/base/responses")
  expect(urlOf({ chatPath: "/other" })).toBe("https://host.example/other")
})

test("loads how its models are told to reason", async () => {
  const host = (await format.reasoning?.())?.("https://host.example")
  expect(host?.write({}, { enabled: true, effort: "high", family: undefined })).toEqual({
    reasoning: { effort: "high" },
  })
})
