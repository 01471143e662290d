import type { ReasoningFamily } from "rtr"
import { expect, test } from "vitest"
import { responsesReasoning } from "../../../../ts/plugins/_shared/responses/reasoning.ts"

const { needsFamily, write } = responsesReasoning()
const family: ReasoningFamily = { type: "reasoning_effort", parameter: "reasoning_effort" }
const asked = { reasoning: { effort: "low", summary: "auto" } }

test("every model of the API is told its effort, beside what the client asked", () => {
  expect(needsFamily).toBe(false)
  for (const each of [undefined, family]) {
    expect(write({}, { enabled: true, effort: "high", family: each })).toEqual({ reasoning: { effort: "high" } })
    expect(write(asked, { enabled: true, effort: "high", family: each })).toEqual({
      reasoning: { effort: "high", summary: "auto" },
    })
  }
})

test("off is said in the family's word, where it has one and the client asks for nothing", () => {
  const off = { enabled: false, effort: "high", family } as const
  const named = { ...off, family: { ...family, disabled: "none" } }
  expect(write({}, off)).toEqual({})
  expect(write({}, named)).toEqual({ reasoning: { effort: "none" } })
  expect(write(asked, named)).toEqual(asked)
})
