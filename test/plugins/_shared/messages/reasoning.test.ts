import type { ReasoningFamily } from "rtr"
import { expect, test } from "vitest"
import { messagesReasoning } from "../../../../ts/plugins/_shared/messages/reasoning.ts"

const { needsFamily, write } = messagesReasoning()
const unsampled = { model: "m", max_tokens: 4096, messages: [{ role: "user", content: "hi" }] }
const body = { ...unsampled, temperature: 0.5 }
const efforts: ReasoningFamily = { type: "reasoning_effort", parameter: "effort", modes: ["adaptive", "disabled"] }

test("a model without a family gets a budget, unless the client has one", () => {
  expect(needsFamily).toBe(false)
  const on = { enabled: true, effort: "low", family: undefined }
  const off = { ...on, enabled: false }
  expect(write(body, on)).toEqual({ ...unsampled, thinking: { type: "enabled", budget_tokens: 2048 } })
  expect(write(body, off)).toEqual(body)
  const own = { ...body, thinking: { type: "disabled" } }
  expect(write(own, on)).toEqual(own)
  expect(write({ ...body, max_tokens: 1000 }, on)).toEqual({ ...body, max_tokens: 1000 })
})

test("a model that chooses itself how long to think gets an effort", () => {
  const on = { enabled: true, effort: "high", mode: "adaptive", family: efforts }
  expect(write({ ...body, output_config: { format: "f" } }, on)).toEqual({
    ...unsampled,
    thinking: { type: "adaptive" },
    output_config: { format: "f", effort: "high" },
  })
  expect(write(body, { ...on, enabled: false })).toEqual({ ...body, thinking: { type: "disabled" } })
  const forced = { ...body, tool_choice: { type: "tool", name: "f" } }
  expect(write(forced, on)).toEqual(forced)
})
