import type { ReasoningChoice, ReasoningFamily, WireObject } from "rtr"
import { describe, expect, test } from "vitest"
import { chatReasoning, type ReasoningWay } from "../../../ts/plugins/_shared/reasoning.ts"

type Family = ReasoningFamily["type"]
const openai = "https://api.openai.com/v1/chat/completions"
const openrouter = "https://openrouter.ai/api/v1/chat/completions"
const deepseek = "https://api.deepseek.com/chat/completions"
const local = "http://10.0.0.1:8000/v1/chat/completions"

const plain: WireObject = { model: "m", messages: [] }

/** What becomes of the fields beside model and messages. */
function changed(type: Family, enabled: boolean, url: string, fields: object = {}, parameter = "p"): object {
  const request = { ...plain, ...fields }
  const before = structuredClone(request)
  const { model, messages, ...rest } = chatReasoning("template")(url).write(request, {
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

/** What a body of a client's effort, or of none, becomes at an address with a way. */
function written(way: ReasoningWay, choice: Partial<ReasoningChoice>, asked?: string): object {
  const body = { ...plain, ...(asked !== undefined && { reasoning_effort: asked }) }
  const full = { enabled: true, effort: "high", family: undefined, ...choice }
  const { model: _, messages: __, ...rest } = chatReasoning(way)("https://own.example/v1").write(body, full)
  return rest
}

describe("every type of family, at every kind of host, on and off, with and without the client's own effort", () => {
  const kwargs = (fields: object): object => ({ chat_template_kwargs: fields })
  type Row = readonly [way: ReasoningWay, type: Family, on: object, off: object, offAsked: object]
  test.each<Row>([
    ["template", "chat_template_kwargs", kwargs({ p: true }), kwargs({ p: false }), kwargs({ p: false })],
    ["template", "reasoning_effort", kwargs({ p: "high" }), kwargs({ p: "low" }), kwargs({ p: "medium" })],
    ["template", "top_level_reasoning_effort", { p: "high" }, {}, { reasoning_effort: "medium" }],
    ["template", "reasoning_mode", kwargs({ p: "enabled" }), kwargs({ p: "disabled" }), kwargs({ p: "disabled" })],
    ["effort", "chat_template_kwargs", kwargs({ p: true }), kwargs({ p: false }), kwargs({ p: false })],
    ["effort", "reasoning_effort", { p: "high" }, {}, { reasoning_effort: "medium" }],
    ["effort", "top_level_reasoning_effort", { p: "high" }, {}, { reasoning_effort: "medium" }],
    ["effort", "reasoning_mode", { p: "enabled" }, { p: "disabled" }, { p: "disabled" }],
    ["switch", "chat_template_kwargs", { p: true }, { p: false }, { p: false }],
    ["switch", "reasoning_effort", { p: "high" }, {}, { reasoning_effort: "medium" }],
    ["switch", "top_level_reasoning_effort", { p: "high" }, {}, { reasoning_effort: "medium" }],
    ...(["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort", "reasoning_mode"] as const).flatMap(
      (type): Row[] => {
        const off = { thinking: { type: "disabled" } }
        return [
          ["deepseek", type, { thinking: { type: "enabled" }, reasoning_effort: "high" }, off, off],
          ["thinking", type, { thinking: { type: "enabled" } }, off, off],
        ]
      },
    ),
  ])("%s, %s", (way, type, on, off, offAsked) => {
    const family = { type, parameter: "p" }
    expect(written(way, { family })).toEqual(on)
    expect(written(way, { family }, "medium")).toEqual(on)
    expect(written(way, { family, enabled: false })).toEqual(off)
    expect(written(way, { family, enabled: false }, "medium")).toEqual(offAsked)
  })

  test("without a family only a host with one way for all its models is told", () => {
    expect(written("template", {}, "low")).toEqual({ reasoning_effort: "low" })
    expect(written("effort", {}, "low")).toEqual({ reasoning_effort: "high" })
    expect(written("switch", {})).toEqual({ enable_thinking: true })
    expect(written("thinking", {})).toEqual({ thinking: { type: "enabled" } })
    expect(written("deepseek", {})).toEqual({ thinking: { type: "enabled" }, reasoning_effort: "high" })
    const needs = (["template", "effort", "switch", "thinking", "deepseek"] as const).map(
      (way) => chatReasoning(way)("https://own.example/v1").needsFamily,
    )
    expect(needs).toEqual([true, false, false, false, false])
    expect(chatReasoning("template")("https://api.openai.com/v1").needsFamily).toBe(false)
  })
})

describe("families that say more", () => {
  const family: ReasoningFamily = { type: "reasoning_effort", parameter: "reasoning_effort" }

  test("a word for no reasoning is said when it is off and the client asks for nothing", () => {
    const named = { ...family, disabled: "none" }
    expect(written("effort", { family: named, enabled: false })).toEqual({ reasoning_effort: "none" })
    expect(written("effort", { family: named, enabled: false }, "low")).toEqual({ reasoning_effort: "low" })
    expect(written("template", { family: named, enabled: false })).toEqual({
      chat_template_kwargs: { reasoning_effort: "none" },
    })
  })

  test("a switch beside the effort", () => {
    const activated = { ...family, activationParameter: "enable_thinking" }
    expect(written("template", { family: activated })).toEqual({
      chat_template_kwargs: { enable_thinking: true, reasoning_effort: "high" },
    })
    expect(written("template", { family: activated, enabled: false }, "low")).toEqual({
      chat_template_kwargs: { enable_thinking: false },
    })
    expect(written("switch", { family: activated })).toEqual({ enable_thinking: true, reasoning_effort: "high" })
    expect(written("switch", { family: activated, enabled: false })).toEqual({ enable_thinking: false })
  })

  test("a flag for each effort but one", () => {
    const flags = { ...family, activationParameter: "enable_thinking", effortFlags: { low: "low_effort" } }
    expect(written("template", { family: flags })).toEqual({ chat_template_kwargs: { enable_thinking: true } })
    expect(written("template", { family: flags, effort: "low" })).toEqual({
      chat_template_kwargs: { enable_thinking: true, low_effort: true },
    })
  })

  test("a mode", () => {
    const modes: ReasoningFamily = { type: "reasoning_mode", parameter: "thinking_mode" }
    expect(written("template", { family: modes, mode: "adaptive" })).toEqual({
      chat_template_kwargs: { thinking_mode: "adaptive" },
    })
    expect(written("thinking", { family: modes, mode: "adaptive" })).toEqual({ thinking: { type: "adaptive" } })
  })
})
