import type { ReasoningChoice } from "rtr"
import { backend, providerContract } from "rtr/testing"
import { expect, test } from "vitest"
import { responsesFormat } from "../../../ts/plugins/_shared/responses-format.ts"
import openai from "../../../ts/plugins/providers/openai.ts"

const format = responsesFormat({ authHeader: "authorization", authPrefix: "Bearer " }, "/responses")

for (const { name, run } of providerContract({ ...openai, ...format })) test(name, run)

test("posts to the path of the API, or to the backend's own", () => {
  const urlOf = (changes: object): string =>
    format.setup(backend(changes)).toRequest({ body: {}, stream: false, headers: {}, reasoning: undefined }).url
  expect(urlOf({})).toBe("https://host.example/base/responses")
  expect(urlOf({ chatPath: "/other" })).toBe("https://host.example/other")
})

test("tells the effort of a model that shall reason, beside what the client asked", () => {
  const family = { type: "reasoning_effort", parameter: "reasoning_effort" } as const
  const bodyFor = (reasoning: ReasoningChoice, body: object = {}): unknown =>
    JSON.parse(
      format.setup(backend()).toRequest({ body: { ...body }, stream: false, headers: {}, reasoning }).body ?? "",
    )
  expect(bodyFor({ enabled: true, effort: "high", family })).toEqual({ reasoning: { effort: "high" } })
  expect(bodyFor({ enabled: true, effort: "high", family }, { reasoning: { effort: "low", summary: "auto" } })).toEqual(
    {
      reasoning: { effort: "high", summary: "auto" },
    },
  )
  expect(bodyFor({ enabled: false, effort: "high", family }, { reasoning: { effort: "low" } })).toEqual({
    reasoning: { effort: "low" },
  })
})
