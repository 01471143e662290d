import type { ReasoningChoice, WireObject } from "rtr"
import { describe, expect, test } from "vitest"
import { reasoningWriter } from "../../../ts/plugins/_shared/reasoning.ts"

type Family = ReasoningChoice["family"]["type"]
const openai = "https://api.openai.com/v1/chat/completions"
const openrouter = "https://openrouter.ai/api/v1/chat/completions"
const deepseek = "https://api.deepseek.com/chat/completions"
const local = "http://10.0.0.1:8000/v1/chat/completions"

const plain: WireObject = { model: "m", messages: [] }

/** What becomes of the fields beside model and messages. */
function changed(type: Family, enabled: boolean, url: string, fields: object = {}, parameter = "p"): object {
  const request = { ...plain, ...fields }
  const before = structuredClone(request)
  const { model, messages, ...rest } = reasoningWriter(url)(request, {
    enabled,
    effort: "high",
    family: { type, parameter },
  })
  expect([request, model, messages]).toEqual([before, "m", []])
  return rest
}

describe("a switch in the template", () => {
  const type = "chat_template_kwargs"

  test.each([local, openai, openrouter])("is said aloud, on and off, at %s", (url) => {
    expect(changed(type, true, url)).toEqual({ chat_template_kwargs: { p: true } })
    expect(changed(type, false, url)).toEqual({ chat_template_kwargs: { p: false } })
  })

  test("keeps the client's other arguments and replaces its own", () => {
    expect(changed(type, false, local, { chat_template_kwargs: { p: true, other: 1 } })).toEqual({
      chat_template_kwargs: { p: false, other: 1 },
    })
  })

  test("lifts the client's effort out", () => {
    expect(changed(type, true, local, { reasoning_effort: "low" })).toEqual({ chat_template_kwargs: { p: true } })
  })

  test("replaces arguments that are no map", () => {
    expect(changed(type, true, local, { chat_template_kwargs: "x" })).toEqual({ chat_template_kwargs: { p: true } })
    expect(changed(type, true, local, { chat_template_kwargs: null })).toEqual({ chat_template_kwargs: { p: true } })
  })
})

describe("an effort", () => {
  const type = "reasoning_effort"

  test.each([openai, openrouter])("stands at the top at %s", (url) => {
    expect(changed(type, true, url)).toEqual({ p: "high" })
    expect(changed(type, true, url, { reasoning_effort: "low" })).toEqual({ p: "high" })
    expect(changed(type, true, url, { reasoning_effort: "low" }, "reasoning_effort")).toEqual({
      reasoning_effort: "high",
    })
    expect(changed(type, true, url, { chat_template_kwargs: { a: 1 } })).toEqual({
      p: "high",
      chat_template_kwargs: { a: 1 },
    })
  })

  test.each([openai, openrouter])("is the client's own when it is off at %s", (url) => {
    expect(changed(type, false, url)).toEqual({})
    expect(changed(type, false, url, { reasoning_effort: "low" })).toEqual({ reasoning_effort: "low" })
    expect(changed(type, false, url, { chat_template_kwargs: { a: 1 } })).toEqual({ chat_template_kwargs: { a: 1 } })
  })

  test("stands in the template elsewhere", () => {
    expect(changed(type, true, local)).toEqual({ chat_template_kwargs: { p: "high" } })
    expect(changed(type, true, local, { reasoning_effort: "low" })).toEqual({ chat_template_kwargs: { p: "high" } })
    expect(changed(type, true, local, { chat_template_kwargs: { a: 1 } })).toEqual({
      chat_template_kwargs: { a: 1, p: "high" },
    })
  })

  test("is the client's own, or low, in the template when it is off", () => {
    expect(changed(type, false, local)).toEqual({ chat_template_kwargs: { p: "low" } })
    expect(changed(type, false, local, { reasoning_effort: "medium" })).toEqual({
      chat_template_kwargs: { p: "medium" },
    })
  })
})

describe("an effort that always stands at the top", () => {
  const type = "top_level_reasoning_effort"
  const parameter = "reasoning_effort"

  test.each([local, openai])("is set at %s, and its copy in the template removed", (url) => {
    expect(changed(type, true, url, {}, parameter)).toEqual({ reasoning_effort: "high" })
    expect(changed(type, true, url, { chat_template_kwargs: { reasoning_effort: "low", a: 1 } }, parameter)).toEqual({
      reasoning_effort: "high",
      chat_template_kwargs: { a: 1 },
    })
  })

  test("is the client's own when it is off, and nothing is made up", () => {
    expect(changed(type, false, local, {}, parameter)).toEqual({})
    expect(changed(type, false, local, { reasoning_effort: "low", chat_template_kwargs: { a: 1 } }, parameter)).toEqual(
      {
        reasoning_effort: "low",
        chat_template_kwargs: { a: 1 },
      },
    )
  })
})

describe("DeepSeek's own service", () => {
  test.each<Family>(["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort"])(
    "has its own words for %s",
    (type) => {
      const fields = { reasoning_effort: "low", chat_template_kwargs: { a: 1 }, temperature: 1 }
      expect(changed(type, true, deepseek, fields)).toEqual({
        temperature: 1,
        thinking: { type: "enabled" },
        reasoning_effort: "high",
      })
      expect(changed(type, false, deepseek, fields)).toEqual({ temperature: 1, thinking: { type: "disabled" } })
    },
  )
})

test("a host that only looks like one of these is a host like any other", () => {
  for (const url of [
    "https://api.openai.com.evil.example/v1",
    "https://evil.example/api.openai.com",
    "https://notopenrouter.ai/x",
  ])
    expect(changed("reasoning_effort", true, url)).toEqual({ chat_template_kwargs: { p: "high" } })
})
