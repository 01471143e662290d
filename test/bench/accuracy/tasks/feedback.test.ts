import { expect, test } from "vitest"
import { withPrevious } from "../../../../bench/accuracy/tasks/feedback.ts"

test("the answer before stands behind the turn, without space around it", () => {
  expect(withPrevious({ text: "No, wrong.", previous: "\n It is 4. " })).toBe("No, wrong.\n\nassistant: It is 4.")
})

test("a turn alone stays as it is", () => {
  expect(withPrevious({ text: "Thanks!" })).toBe("Thanks!")
  expect(withPrevious({ text: "Thanks!", previous: "" })).toBe("Thanks!")
})

test("600 characters of a long answer are read, and none is cut in half", () => {
  const read = withPrevious({ text: "a", previous: "🙂".repeat(700) })
  expect(read).toBe(`a\n\nassistant: ${"🙂".repeat(600)}`)
})
