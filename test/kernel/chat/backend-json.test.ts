import { expect, test } from "vitest"
import { parseBackendObject } from "../../../ts/kernel/chat/backend-json.ts"

const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

test("an object is parsed, anything else is none", () => {
  expect(parseBackendObject('{"a":[1]}')).toEqual({ a: [1] })
  for (const text of ["", "[]", "null", "5", '"a"', "{", '{"a":1}x', "x".repeat(5000), `"${"[".repeat(5000)}`])
    expect(parseBackendObject(text), text.slice(0, 20)).toBeUndefined()
})

test("an object nested too deep is refused before it is parsed", () => {
  expect(parseBackendObject(nested(512))).toBeDefined()
  for (const levels of [513, 100_000])
    expect(() => parseBackendObject(nested(levels))).toThrow(
      expect.objectContaining({ code: "upstream_error", message: "its JSON is nested deeper than 512 levels" }),
    )
})

test("brackets in texts do not count", () => {
  for (const text of ["[".repeat(5000), `\\"${"[".repeat(5000)}`, `\\\\\\"${"{".repeat(5000)}\\\\`])
    expect(parseBackendObject(`{"a":"${text}","b":[]}`)).toEqual({ a: JSON.parse(`"${text}"`), b: [] })
  expect(() => parseBackendObject(`{"a":"\\\\","b":${"[".repeat(1200)}`)).toThrow("nested")
})
