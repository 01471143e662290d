import { expect, test } from "vitest"
import { passagesOf } from "../../../../ts/plugins/_shared/guards/passages.ts"

const sentence = (number: number, words = 12): string => `${`Word${number} `.repeat(words).trim()}. `

test("passages are whole sentences, each with the last one of the passage before", () => {
  const text = Array.from({ length: 20 }, (_, number) => sentence(number)).join("")
  const passages = passagesOf(text)
  expect(passages.length).toBeGreaterThan(3)
  for (const passage of passages) {
    expect(passage.length).toBeLessThanOrEqual(400)
    expect(passage).toMatch(/^Word/)
    expect(passage).toMatch(/\. $/)
  }
  for (const number of Array.from({ length: 19 }, (_, index) => index))
    expect(passages.some((passage) => passage.includes(sentence(number) + sentence(number + 1)))).toBe(true)
})

test("a sentence that is too long is a passage of its own, and nothing is lost", () => {
  const text = `${sentence(1)}${sentence(2, 200)}${sentence(3)}last words without an end`
  const passages = passagesOf(text)
  expect(passages).toContain(sentence(2, 200))
  for (const part of [sentence(1), sentence(3), "last words without an end"])
    expect(passages.some((passage) => passage.includes(part))).toBe(true)
  expect(passagesOf("short")).toEqual(["short"])
  expect(passagesOf("")).toEqual([])
})
