import { expect, test } from "vitest"
import { toHeaderText } from "../../../ts/kernel/types/header-text.ts"

test.each([
  ["small", "small"],
  ["org/model: 7b (v2)", "org/model: 7b (v2)"],
  ["", ""],
  ["größe", "gr%C3%B6%C3%9Fe"],
  ["模型", "%E6%A8%A1%E5%9E%8B"],
  ["a\r\nx-evil: 1", "a%0D%0Ax-evil%3A%201"],
])("%j is sent as %s", (name, text) => {
  expect(toHeaderText(name)).toBe(text)
  expect(new Headers({ name: text }).get("name")).toBe(text)
})
